#include "shapes/trapezoid.hpp"

#include "hitbox/shapes/interface.hpp"

namespace hitbox::internal::shapes {

namespace {

TrapezoidPoint nearest_on_segment(double y, double z, double y0, double z0, double y1, double z1) {
  const double dy = y1 - y0, dz = z1 - z0, length_sq = dy * dy + dz * dz;
  const double t = length_sq > 0 ? ((y - y0) * dy + (z - z0) * dz) / length_sq : 0;
  const double c = std::clamp(t, 0.0, 1.0);
  return {y0 + c * dy, z0 + c * dz};
}

double to_segment(double y, double z, double y0, double z0, double y1, double z1) {
  const TrapezoidPoint q = nearest_on_segment(y, z, y0, z0, y1, z1);
  const double ey = y - q.y, ez = z - q.z;
  return std::sqrt(ey * ey + ez * ez);
}

}  // namespace

// Inside a convex region the nearest boundary point lies on the nearest side's line, outside on one of the segments. By
// symmetry one half is enough.
double signed_distance(const Trapezoid& trapezoid, double y, double z) {
  const double h = trapezoid.half_height;
  double bottom = trapezoid.bottom, top = trapezoid.top;
  if (!(h > 0)) bottom = top = std::max(bottom, top);  // without height only the wider side remains
  z = std::abs(z);
  const double side = std::max(Trapezoid{h, bottom, top}.side(), 0.0);
  const double ny = side > 0 ? (bottom - top) / side : 0, nz = side > 0 ? 2 * h / side : 1;
  const double to_side = ny * (y + h) + nz * (z - bottom);
  const double inside = std::max(to_side, std::abs(y) - h);
  if (inside <= 0) return inside;
  return std::min(
      {to_segment(y, z, -h, 0, -h, bottom), to_segment(y, z, -h, bottom, h, top), to_segment(y, z, h, 0, h, top)});
}

TrapezoidPoint nearest(const Trapezoid& trapezoid, double y, double z) {
  if (signed_distance(trapezoid, y, z) <= 0) return {y, z};
  const double h = trapezoid.half_height, up = std::abs(z);
  double bottom = trapezoid.bottom, top = trapezoid.top;
  if (!(h > 0)) bottom = top = std::max(bottom, top);
  const TrapezoidPoint candidates[] = {nearest_on_segment(y, up, -h, 0, -h, bottom),
                                       nearest_on_segment(y, up, -h, bottom, h, top),
                                       nearest_on_segment(y, up, h, 0, h, top)};
  const auto distance_sq = [&](const TrapezoidPoint& q) { return (y - q.y) * (y - q.y) + (up - q.z) * (up - q.z); };
  TrapezoidPoint best = candidates[0];
  for (const TrapezoidPoint& q : candidates)
    if (distance_sq(q) < distance_sq(best)) best = q;
  return {best.y, std::copysign(best.z, z)};
}

Trapezoid grown(const Trapezoid& trapezoid, double by) {
  const double k = trapezoid.slope(), out = by * std::sqrt(1 + k * k);
  const double h = trapezoid.half_height + by;
  const double widest = std::max(trapezoid.bottom, trapezoid.top) + by;
  const double bottom = trapezoid.bottom - k * by + out, top = trapezoid.top + k * by + out;
  if (!(trapezoid.half_height > 0) || bottom + top >= 2 * widest) return {h, widest, widest};
  return {h, bottom, top};
}

ShrunkTrapezoid shrunk(const Trapezoid& trapezoid, double by, double least) {
  const double k = std::abs(trapezoid.slope()), stretch = std::sqrt(1 + k * k);
  const double h = shrunk_size(trapezoid.half_height, by, least);
  const double middle_width = (trapezoid.bottom + trapezoid.top) / 2;
  // The wide end keeps `least`, and enough width that the sides do not meet too early.
  const double widest = std::max(trapezoid.bottom, trapezoid.top);
  const double keep = std::max(std::min(widest, least), 2 * k * std::min(h, least));
  const double in = std::clamp((middle_width + k * h - keep) / stretch, 0.0, by) * stretch;
  const double wide = middle_width + k * h - in, narrow = middle_width - k * h - in;
  if (narrow >= 0)
    return {trapezoid.bottom > trapezoid.top ? Trapezoid{h, wide, narrow} : Trapezoid{h, narrow, wide}, 0};
  const double height = wide / k / 2;  // half of the height up to the intersection of the sides
  return trapezoid.bottom > trapezoid.top ? ShrunkTrapezoid{{height, wide, 0}, height - h}
                                          : ShrunkTrapezoid{{height, 0, wide}, h - height};
}

}  // namespace hitbox::internal::shapes
