#include "trapezoid.hpp"

namespace hitbox {

namespace {

double to_segment(double y, double z, double y0, double z0, double y1, double z1) {
  const double dy = y1 - y0, dz = z1 - z0, length_sq = dy * dy + dz * dz;
  const double t = length_sq > 0 ? ((y - y0) * dy + (z - z0) * dz) / length_sq : 0;
  const double c = std::clamp(t, 0.0, 1.0);
  const double ey = y - (y0 + c * dy), ez = z - (z0 + c * dz);
  return std::sqrt(ey * ey + ez * ez);
}

}  // namespace

// Inside a convex region the nearest boundary point lies on the nearest side's line; outside it
// lies on one of the segments. By symmetry one half is enough.
double signed_distance(const Trapezoid& trapezoid, double y, double z) {
  const double h = trapezoid.half_height;
  double bottom = trapezoid.bottom, top = trapezoid.top;
  if (!(h > 0)) bottom = top = std::max(bottom, top);  // no height: the wider of the two remains
  z = std::abs(z);
  const double side = std::max(Trapezoid{h, bottom, top}.side(), 0.0);
  const double ny = side > 0 ? (bottom - top) / side : 0, nz = side > 0 ? 2 * h / side : 1;
  const double to_side = ny * (y + h) + nz * (z - bottom);
  const double inside = std::max(to_side, std::abs(y) - h);
  if (inside <= 0) return inside;
  return std::min({to_segment(y, z, -h, 0, -h, bottom), to_segment(y, z, -h, bottom, h, top),
                   to_segment(y, z, h, 0, h, top)});
}

Trapezoid grown(const Trapezoid& trapezoid, double by) {
  const double k = trapezoid.slope(), out = by * std::sqrt(1 + k * k);
  const double h = trapezoid.half_height + by;
  const double widest = std::max(trapezoid.bottom, trapezoid.top) + by;
  const double bottom = trapezoid.bottom - k * by + out, top = trapezoid.top + k * by + out;
  if (!(trapezoid.half_height > 0) || bottom + top >= 2 * widest) return {h, widest, widest};
  return {h, bottom, top};
}

}  // namespace hitbox
