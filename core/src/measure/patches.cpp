#include "measure/patches.hpp"

namespace hitbox::internal::measure {
namespace {

constexpr double kSliver = 1e-12;

double slant(double along, double radius) { return std::sqrt(along * along + radius * radius); }

// The barycentric weights, in the triangle of an arc's two ends and the intersection of its tangents, of the point at
// `outward` along the arc's middle direction and `across` it, for a unit circle and half angle h.
std::array<double, 3> arc_weights(double outward, double across, double h) {
  if (!(h > 1e-6)) return {1.0 / 3, 1.0 / 3, 1.0 / 3};  // the points coincide up to rounding
  const double tip = std::clamp((outward - std::cos(h)) / (1 / std::cos(h) - std::cos(h)), 0.0, 1.0);
  const double lean = std::clamp(across / std::sin(h), tip - 1, 1 - tip);
  return {(1 - tip - lean) / 2, (1 - tip + lean) / 2, tip};
}

std::array<double, 3> arc_mean_weights(double h) { return arc_weights(h > 0 ? std::sin(h) / h : 1, 0, h); }

// The directions to an arc's ends and to the intersection of its tangents.
std::array<Vec3, 3> around(const Vec3& u, const Vec3& v, const Window& w) {
  const double middle = (w.angle_from + w.angle_to) / 2, h = (w.angle_to - w.angle_from) / 2;
  const auto at = [&](double angle) { return u * std::cos(angle) + v * std::sin(angle); };
  return {at(w.angle_from), at(w.angle_to), at(middle) / std::cos(h)};
}

// Split at the centroid: the distance from it grows linearly along rays, and is convex along an edge.
double mean_distance_from_centroid(const Facet& t, const Vec3& center) {
  double sum = 0;
  for (const auto& [p, q] : {std::pair(t.a, t.b), std::pair(t.b, t.c), std::pair(t.c, t.a)})
    sum += norm(p - center) + norm(q - center) + 2 * norm((p + q) / 2 - center);
  return sum / 18;
}

PatchHull facet_hull(const Facet& t, double offset) {
  const Vec3 doubled = cross(t.b - t.a, t.c - t.a);
  const Vec3 out = offset > 0 ? normalized(doubled) * offset : Vec3{};
  PatchHull hull;
  hull.center = (t.a + t.b + t.c) / 3 + out;
  hull.area = norm(doubled) / 2;
  hull.mean_reach = mean_distance_from_centroid(t, hull.center - out);
  hull.count = 3;
  hull.points = {t.a + out, t.b + out, t.c + out};
  hull.weights = {1.0 / 3, 1.0 / 3, 1.0 / 3};
  return hull;
}

std::array<Facet, 2> halves_of(const Facet& t) {
  const double ab = norm_sq(t.b - t.a), bc = norm_sq(t.c - t.b), ca = norm_sq(t.a - t.c);
  const Facet turned = ab >= bc && ab >= ca ? t : bc >= ca ? Facet{t.b, t.c, t.a} : Facet{t.c, t.a, t.b};
  const Vec3 middle = (turned.a + turned.b) / 2;
  return {Facet{turned.a, middle, turned.c}, Facet{middle, turned.b, turned.c}};
}

}  // namespace

Surfaces::Surfaces(std::span<const Shape> shapes) {
  for (uint32_t k = 0; k < shapes.size(); ++k) std::visit([&](const auto& shape) { add(k, shape); }, shapes[k]);
}

void Surfaces::add(uint32_t shape, const Sphere& s) {
  add_ball(shape, {s.center, {0, 0, 1}, 0}, 0, s.radius, -kPi / 2, kPi / 2);
}

void Surfaces::add(uint32_t shape, const Capsule& s) {
  const Axis axis = axis_of(s.start, s.end);
  const double h = axis.half_length;
  add_ball(shape, axis, -h, s.radius, -kPi / 2, 0);
  add_cone(shape, axis, -h, s.radius, h, s.radius);
  add_ball(shape, axis, h, s.radius, 0, kPi / 2);
}

void Surfaces::add(uint32_t shape, const Cylinder& s) { add(shape, Frustum{s.start, s.end, s.radius, s.radius}); }

void Surfaces::add(uint32_t shape, const Frustum& s) {
  const Axis axis = axis_of(s.start, s.end);
  const double h = axis.half_length;
  add_cone(shape, axis, -h, 0, -h, s.radius_start);
  add_cone(shape, axis, -h, s.radius_start, h, s.radius_end);
  add_cone(shape, axis, h, s.radius_end, h, 0);
}

void Surfaces::add(uint32_t shape, const Box& s) { add_facets(shape, to_mesh(s, 3)); }
void Surfaces::add(uint32_t shape, const Prism& s) { add_facets(shape, to_mesh(s, 3)); }
void Surfaces::add(uint32_t shape, const Hull& s) { add_facets(shape, to_mesh(s, 3)); }

void Surfaces::add_facets(uint32_t shape, const TriangleMesh& mesh) {
  const double least = kSliver * bounds_of(mesh.vertices).diagonal();
  const size_t before = patches_.size();
  for (const bool keep_all : {false, true}) {
    for (const auto& t : mesh.triangles) {
      const Facet facet{mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]};
      const double base_sq =
          std::max({norm_sq(facet.b - facet.a), norm_sq(facet.c - facet.b), norm_sq(facet.a - facet.c)});
      const double doubled = norm(cross(facet.b - facet.a, facet.c - facet.a));
      if (keep_all || doubled > least * std::sqrt(base_sq)) patches_.push_back({shape, facet});
    }
    if (patches_.size() > before) break;
  }
}

void Surfaces::add_quarters(uint32_t shape, double from, double to) {
  const auto piece = static_cast<uint32_t>(pieces_.size() - 1);
  for (int quarter = 0; quarter < 4; ++quarter)
    patches_.push_back({shape, Window{piece, from, to, quarter * kPi / 2, (quarter + 1) * kPi / 2}});
}

void Surfaces::add_cone(uint32_t shape, const Axis& axis, double along_start, double radius_start, double along_end,
                        double radius_end) {
  if (along_start == along_end && radius_start == radius_end) return;  // the patch is a circle
  const Vec3 u = any_perpendicular(axis.direction), v = cross(axis.direction, u);
  pieces_.push_back({axis.center, axis.direction, u, v, false, along_start, radius_start, along_end, radius_end});
  add_quarters(shape, 0, 1);
}

void Surfaces::add_ball(uint32_t shape, const Axis& axis, double along, double radius, double from, double to) {
  const Vec3 u = any_perpendicular(axis.direction), v = cross(axis.direction, u);
  pieces_.push_back({axis.at(along), axis.direction, u, v, true, 0, radius, 0, radius});
  if (from < 0) add_quarters(shape, from, 0);
  if (to > 0) add_quarters(shape, 0, to);
}

PatchHull Surfaces::hull_of(const Patch& patch, double offset) const {
  if (const auto* facet = std::get_if<Facet>(&patch.where)) return facet_hull(*facet, offset);
  const Window& window = std::get<Window>(patch.where);
  return pieces_[window.piece].is_ball ? ball_hull(window, offset) : cone_hull(window, offset);
}

// The squared distance from the centre is ds^2 + 4 r r_c sin^2(angle / 2), so at most ds^2 + r r_c angle^2. By area the
// weight is the radius r; the mean of ds^2 about the middle of the slant stays length^2 / 12.
PatchHull Surfaces::cone_hull(const Window& window, double offset) const {
  const Piece& piece = pieces_[window.piece];
  const double along = piece.along_end - piece.along_start, widening = piece.radius_end - piece.radius_start;
  const double length = slant(along, widening);
  const double out_along = length > 0 ? -widening / length * offset : 0;
  const double out_radius = length > 0 ? along / length * offset : 0;
  const double h = (window.angle_to - window.angle_from) / 2, middle = (window.from + window.to) / 2;
  const auto radius_at = [&](double s) { return piece.radius_start + s * widening; };
  const double r0 = std::max(radius_at(window.from), 0.0), r1 = std::max(radius_at(window.to), 0.0);
  const double part = length * (window.to - window.from), r_sum = r0 + r1;

  const Vec3 &axis = piece.direction, &u = piece.u, &v = piece.v;
  const auto point = [&](double s, const Vec3& direction) {
    return piece.center + axis * (piece.along_start + s * along + out_along) + direction * (radius_at(s) + out_radius);
  };
  const double angle = (window.angle_from + window.angle_to) / 2;
  PatchHull hull;
  hull.center = point(middle, u * std::cos(angle) + v * std::sin(angle));
  hull.area = h * part * r_sum;
  const double mean_radius = r_sum > 0 ? (r0 * r0 + r0 * r1 + r1 * r1) / r_sum * (2.0 / 3) : 0;
  hull.mean_reach = std::sqrt((part * part + mean_radius * (r_sum / 2) * 4 * h * h) / 12);
  hull.count = 6;
  const std::array<double, 3> arc = arc_mean_weights(h);
  const double to_weight = r_sum > 0 ? (r0 + 2 * r1) / (3 * r_sum) : 0.5;
  const std::array<Vec3, 3> direction = around(u, v, window);
  for (size_t k = 0; k < 3; ++k) {
    hull.points[k] = point(window.from, direction[k]);
    hull.points[3 + k] = point(window.to, direction[k]);
    hull.weights[k] = arc[k] * (1 - to_weight);
    hull.weights[3 + k] = arc[k] * to_weight;
  }
  return hull;
}

// The squared distance from the centre is at most R^2 (dlat^2 + cos lat cos lat_c angle^2). By area the weight is the
// cosine of the latitude.
PatchHull Surfaces::ball_hull(const Window& window, double offset) const {
  const Piece& piece = pieces_[window.piece];
  const double radius = piece.radius_start, moved = radius + offset;
  const double h = (window.angle_to - window.angle_from) / 2, middle = (window.from + window.to) / 2,
               lift = (window.to - window.from) / 2;
  const Vec3 &axis = piece.direction, &u = piece.u, &v = piece.v;
  const double cosine = std::cos(middle), sine = std::sin(middle);
  const double angle = (window.angle_from + window.angle_to) / 2;
  PatchHull hull;
  hull.center = piece.center + ((u * std::cos(angle) + v * std::sin(angle)) * cosine + axis * sine) * moved;
  const double band = 2 * cosine * std::sin(lift);  // the integral of the cosine
  hull.area = radius * radius * 2 * h * band;

  const double mean_cos = band > 0 ? (lift + std::sin(lift) * std::cos(lift) * std::cos(2 * middle)) / band : 0;
  const double mean_sin = sine * std::cos(lift);
  const double largest_cos =
      window.from <= 0 && window.to >= 0 ? 1 : std::max(std::cos(window.from), std::cos(window.to));
  const double spread = band > 0 ? std::min(1.0, largest_cos * 2 * lift / band / 3) : 1;
  hull.mean_reach = radius * std::sqrt(lift * lift * spread + std::min(mean_cos, 1.0) * cosine * h * h / 3);

  const std::array<double, 3> meridian =
      arc_weights(mean_cos * cosine + mean_sin * sine, mean_sin * cosine - mean_cos * sine, lift);
  const std::array<double, 3> arc = arc_mean_weights(h);
  const std::array<Vec3, 3> direction = around(u, v, window);
  const double tip = 1 / std::cos(lift);
  const double out[3] = {std::cos(window.from), std::cos(window.to), cosine * tip};
  const double up[3] = {std::sin(window.from), std::sin(window.to), sine * tip};
  hull.count = 9;
  for (size_t j = 0; j < 3; ++j)
    for (size_t k = 0; k < 3; ++k) {
      hull.points[3 * j + k] = piece.center + (direction[k] * out[j] + axis * up[j]) * moved;
      hull.weights[3 * j + k] = meridian[j] * arc[k];
    }
  return hull;
}

std::array<Patch, 2> Surfaces::halves_of(const Patch& patch) const {
  if (const auto* facet = std::get_if<Facet>(&patch.where)) {
    const auto [one, other] = measure::halves_of(*facet);
    return {Patch{patch.shape, one}, Patch{patch.shape, other}};
  }
  const Window& window = std::get<Window>(patch.where);
  const Piece& piece = pieces_[window.piece];
  double tall, wide;
  if (piece.is_ball) {
    tall = window.to - window.from;
    wide = std::max(std::cos(window.from), std::cos(window.to)) * (window.angle_to - window.angle_from);
  } else {
    const double widening = piece.radius_end - piece.radius_start;
    tall = slant(piece.along_end - piece.along_start, widening) * (window.to - window.from);
    const double radius = piece.radius_start + std::max(window.from * widening, window.to * widening);
    wide = radius * (window.angle_to - window.angle_from);
  }
  Window one = window, other = window;
  if (tall > wide)
    one.to = other.from = (window.from + window.to) / 2;
  else
    one.angle_to = other.angle_from = (window.angle_from + window.angle_to) / 2;
  return {Patch{patch.shape, one}, Patch{patch.shape, other}};
}

}  // namespace hitbox::internal::measure
