#include "measure/shape_moments.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "geometry/eigen3.hpp"
#include "shapes/axis.hpp"

namespace hitbox::internal::measure {

namespace {

constexpr double kFlat = 1e-6;  // of a shape's largest extent: what rounding leaves of a smaller one tells nothing

struct Weighted {
  Vec3 point;
  double weight;
};

// A shape in a frame in which it has a size near 1, and its coordinates do not vary together.
struct Body {
  Vec3 origin;
  std::array<Vec3, 3> axes;                       // a point p of the frame is at origin + axes p
  Vec3 mean;                                      // of all its points, in the frame
  Vec3 deviations;                                // from this mean, the root of the mean square
  std::function<Weighted(const Vec3&)> point_at;  // of a point of the unit cube; spreads evenly what is even there

  Vec3 turned(const Vec3& p) const { return axes[0] * p.x + axes[1] * p.y + axes[2] * p.z; }
};

struct Halves {  // half the extents of a slice, at most 1
  double x, y;
};

// Slices across the third axis, from -1 to 1: discs or rectangles. Between two `levels` their areas and squared extents
// are quadratic in the height, so three nodes integrate them exactly.
Body stack(const Vec3& origin, const std::array<Vec3, 3>& axes, std::span<const double> levels,
           const std::function<Halves(double)>& halves, bool is_round) {
  static const double kNodes[3] = {-std::sqrt(0.6), 0, std::sqrt(0.6)}, kWeights[3] = {5 / 9.0, 8 / 9.0, 5 / 9.0};
  double share = 0, first = 0, second = 0;
  Vec3 across;
  for (size_t level = 1; level < levels.size(); ++level)
    for (int k = 0; k < 3; ++k) {
      const double low = levels[level - 1], high = levels[level];
      const double height = (low + high + kNodes[k] * (high - low)) / 2;
      const Halves half = halves(height);
      const double part = kWeights[k] * (high - low) * half.x * half.y;
      share += part;
      first += part * height;
      second += part * height * height;
      across += Vec3{half.x * half.x, half.y * half.y, 0} * part;
    }
  const double middle = first / share;
  double along = 0;  // about the middle: the difference of the sums above would lose digits
  for (size_t level = 1; level < levels.size(); ++level)
    for (int k = 0; k < 3; ++k) {
      const double low = levels[level - 1], high = levels[level];
      const double height = (low + high + kNodes[k] * (high - low)) / 2;
      const Halves half = halves(height);
      along += kWeights[k] * (high - low) * half.x * half.y * (height - middle) * (height - middle);
    }
  across = across / (share * (is_round ? 4 : 3));
  Body body{origin, axes, {0, 0, middle}, {std::sqrt(across.x), std::sqrt(across.y), std::sqrt(along / share)}, {}};
  body.point_at = [halves, is_round](const Vec3& numbers) -> Weighted {
    const double height = 2 * numbers.x - 1;
    const Halves half = halves(height);
    const double radius = std::sqrt(numbers.y), angle = 2 * kPi * numbers.z;
    const double x = is_round ? radius * std::cos(angle) : 2 * numbers.y - 1;
    const double y = is_round ? radius * std::sin(angle) : 2 * numbers.z - 1;
    return {{x * half.x, y * half.y, height}, half.x * half.y};
  };
  return body;
}

// On the line from `low` at height -1 to `high` at 1.
double between(double low, double high, double height) { return (low * (1 - height) + high * (1 + height)) / 2; }

std::array<Vec3, 3> axes_along(const Vec3& direction, double across, double along) {
  const Vec3 side = any_perpendicular(direction);
  return {side * across, cross(direction, side) * across, direction * along};
}

Body body_of(const Prism& prism) {
  const double widest = std::max(prism.half_bottom, prism.half_top);
  const double bottom = prism.half_bottom / widest, top = prism.half_top / widest;
  const Frame frame = to_frame(prism.rotation);
  const double levels[2] = {-1, 1};
  return stack(
      prism.center, {frame.axis[0] * prism.half_x, frame.axis[2] * widest, frame.axis[1] * prism.half_y}, levels,
      [bottom, top](double height) {
        return Halves{1, between(bottom, top, height)};
      },
      false);
}
Body body_of(const Box& box) {
  const Vec3& half = box.half_extents;
  return body_of(Prism{box.center, box.rotation, half.x, half.y, half.z, half.z});
}

Body body_of(const Frustum& frustum) {
  const double widest = std::max(frustum.radius_start, frustum.radius_end);
  const double start = frustum.radius_start / widest, end = frustum.radius_end / widest;
  const shapes::Axis axis = shapes::axis_of(frustum.start, frustum.end);
  const auto halves = [start, end](double height) {
    const double radius = between(start, end, height);
    return Halves{radius, radius};
  };
  const double levels[2] = {-1, 1};
  return stack(axis.center, axes_along(axis.direction, widest, axis.half_length), levels, halves, true);
}
Body body_of(const Cylinder& cylinder) {
  return body_of(Frustum{cylinder.start, cylinder.end, cylinder.radius, cylinder.radius});
}

Body body_of(const Capsule& capsule) {
  const shapes::Axis axis = shapes::axis_of(capsule.start, capsule.end);
  const double half = axis.half_length, radius = capsule.radius, reach = half + radius;
  const auto halves = [half, radius, reach](double height) {
    const double beyond = std::max(std::abs(height) * reach - half, 0.0) / radius;
    const double width = std::sqrt(std::max(1 - beyond * beyond, 0.0));
    return Halves{width, width};
  };
  const double levels[4] = {-1, -half / reach, half / reach, 1};
  return stack(axis.center, axes_along(axis.direction, radius, reach), levels, halves, true);
}
Body body_of(const Sphere& sphere) { return body_of(Capsule{sphere.center, sphere.center, sphere.radius}); }

// The tetrahedra between a hull's triangles and a point inside, in the frame of their principal axes.
class Tetrahedra {
 public:
  explicit Tetrahedra(const Hull& hull) {
    for (const Vec3& p : hull.vertices) origin += (p - hull.vertices[0]) / static_cast<double>(hull.vertices.size());
    origin += hull.vertices[0];
    for (const auto& [a, b, c] : hull.triangles)
      corners.push_back({hull.vertices[a] - origin, hull.vertices[b] - origin, hull.vertices[c] - origin});
    for (const auto& triangle : corners)
      for (const Vec3& p : triangle) size = std::max(size, max_component(abs(p)));
    MomentsPart sum;
    for (auto& triangle : corners) {
      for (Vec3& p : triangle) p = p / size;
      MomentsPart part = tetrahedron_part(triangle);
      if (part.volume < 0) part = {-part.volume, -part.first, part.second * -1, {}};
      volumes.push_back(std::max(part.volume, 1e-300));  // rounding may leave none of a sliver
      sum = sum + part;
      ends.push_back(volumes.back() + (ends.empty() ? 0 : ends.back()));
    }
    const Vec3 away = sum.first / sum.volume;
    spread = geometry::eigen3(sum.second * (1 / sum.volume) + Sym3::outer(away, -1));
    mean = spread.vectors.to_local(away);
    for (auto& triangle : corners)
      for (Vec3& p : triangle) p = spread.vectors.to_local(p);
  }

  Weighted point_at(const Vec3& numbers) const {
    const double place = numbers.y * ends.back();
    const auto found = std::upper_bound(ends.begin(), ends.end(), place) - ends.begin();
    const size_t chosen = std::min(static_cast<size_t>(found), ends.size() - 1);
    const double side = std::sqrt((ends[chosen] - place) / volumes[chosen]);  // the rest is spread evenly once more
    const auto& [a, b, c] = corners[chosen];
    const Vec3 on_surface = a * (1 - side) + b * (side * numbers.z) + c * (side * (1 - numbers.z));
    return {on_surface * std::cbrt(numbers.x), 1};
  }

  Vec3 origin, mean;
  double size = 0;
  geometry::Eigen3 spread;

 private:
  std::vector<std::array<Vec3, 3>> corners;
  std::vector<double> volumes, ends;
};

Body body_of(const Hull& hull) {
  const auto parts = std::make_shared<const Tetrahedra>(hull);
  const auto deviation = [&](int k) { return std::sqrt(std::max(parts->spread.value[k], 0.0)); };
  const auto& axis = parts->spread.vectors.axis;
  const double size = parts->size;
  return {parts->origin,
          {axis[0] * size, axis[1] * size, axis[2] * size},
          parts->mean,
          {deviation(0), deviation(1), deviation(2)},
          [parts](const Vec3& numbers) { return parts->point_at(numbers); }};
}

Body body_of_shape(const Shape& shape) {
  return std::visit([](const auto& s) { return body_of(s); }, shape);
}

// Spread evenly in the unit cube: even steps along x, and in y and z a lattice that no axis runs along. One of the same
// kind in x, y and z is little better than random points.
Vec3 lattice_point(size_t k, size_t count, size_t seed) {
  constexpr double kY = 0.7548776662466927, kZ = 0.5698402909980532;  // one over the plastic number, and its square
  const auto number = static_cast<double>(k), shift = 0.5 + static_cast<double>(seed) * 0.618;
  return {(number + 0.5) / static_cast<double>(count), std::fmod(number * kY + shift, 1.0),
          std::fmod(number * kZ + shift, 1.0)};
}

// Moves points a little, all by the same map, so that their mean and covariance are the body's.
class Matching {
 public:
  Matching(const Body& body, std::span<const Weighted> points) : body_(body) {
    const Vec3& size = body.deviations;
    is_flat_ = min_component(size) < kFlat * max_component(size);
    if (is_flat_) return;
    for (const auto& [point, weight] : points) shift_ += to_unit(point) * weight;
    Sym3 spread;
    for (const auto& [point, weight] : points) spread = spread + Sym3::outer(to_unit(point) - shift_, weight);
    // Cholesky: spread = lower lower^T
    xx_ = std::sqrt(spread.xx), yx_ = spread.xy / xx_, zx_ = spread.xz / xx_;
    yy_ = std::sqrt(spread.yy - yx_ * yx_), zy_ = (spread.yz - zx_ * yx_) / yy_;
    zz_ = std::sqrt(spread.zz - zx_ * zx_ - zy_ * zy_);
  }

  Vec3 operator()(const Vec3& point) const {
    if (is_flat_) return point;
    const Vec3 u = to_unit(point) - shift_;
    const double x = u.x / xx_, y = (u.y - yx_ * x) / yy_, z = (u.z - zx_ * x - zy_ * y) / zz_;
    return body_.mean + Vec3{x * body_.deviations.x, y * body_.deviations.y, z * body_.deviations.z};
  }

 private:
  Vec3 to_unit(const Vec3& point) const {
    const Vec3 away = point - body_.mean;
    return {away.x / body_.deviations.x, away.y / body_.deviations.y, away.z / body_.deviations.z};
  }

  const Body& body_;
  bool is_flat_;
  Vec3 shift_;
  double xx_ = 1, yx_ = 0, yy_ = 1, zx_ = 0, zy_ = 0, zz_ = 1;
};

}  // namespace

Moments shape_moments(const Shape& shape) {
  const Body body = body_of_shape(shape);
  Moments moments{volume(shape), body.origin + body.turned(body.mean), {}};
  for (int k = 0; k < 3; ++k) {
    const double deviation = body.deviations[k];
    moments.about = moments.about + Sym3::outer(body.axes[static_cast<size_t>(k)] * deviation, moments.volume);
  }
  return moments;
}

InnerPoints inner_points(const Shape& shape, size_t count, size_t seed, const Vec3& from) {
  const Body body = body_of_shape(shape);
  std::vector<Weighted> raw;
  double total = 0;
  for (size_t k = 0; k < count; ++k) {
    raw.push_back(body.point_at(lattice_point(k, count, seed)));
    total += raw.back().weight;
  }
  for (Weighted& each : raw) each.weight /= total;
  const Matching matching(body, raw);
  const Vec3 origin = body.origin - from;
  const double whole = volume(shape);
  InnerPoints result;
  for (const auto& [point, weight] : raw) {
    result.points.push_back(body.origin + body.turned(point));
    result.matched.push_back(origin + body.turned(matching(point)));
    result.weights.push_back(whole * weight);
  }
  return result;
}

}  // namespace hitbox::internal::measure
