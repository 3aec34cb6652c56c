#include "fit/cost/deviation.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace hitbox::internal::fit {

namespace {

constexpr int kMostSteps = 16;

// Directions around an axis: cosine and sine of k/24 of a turn, independent of the C library.
constexpr double kHalfRoot2 = 0.70710678118654752, kHalfRoot3 = 0.86602540378443865;
constexpr double kCos15 = 0.96592582628906829, kSin15 = 0.25881904510252076;
constexpr std::array<std::array<double, 2>, 24> kAround = [] {
  constexpr std::array<std::array<double, 2>, 6> quarter = {
      {{1, 0}, {kCos15, kSin15}, {kHalfRoot3, 0.5}, {kHalfRoot2, kHalfRoot2}, {0.5, kHalfRoot3}, {kSin15, kCos15}}};
  std::array<std::array<double, 2>, 24> all{};
  for (size_t k = 0; k < 6; ++k) {
    const auto [c, s] = quarter[k];
    all[k] = {c, s};
    all[k + 6] = {-s, c};
    all[k + 12] = {-c, -s};
    all[k + 18] = {s, -c};
  }
  return all;
}();

// Samples on a shape's surface, measured several at a time.
class Samples {
 public:
  Samples(const DistanceField& field, const Vec3& center, const Frame& frame)
      : field_(field), center_(center), frame_(frame) {}

 protected:
  static constexpr size_t kTogether = 8;
  Vec3 to_world(const Vec3& local) const { return center_ + frame_.to_world(local); }
  void measure() { field_.at({point_.data(), count_}, distance_); }

  const DistanceField& field_;
  Vec3 center_;
  Frame frame_;
  std::array<Vec3, kTogether> point_;
  std::array<double, kTogether> distance_;
  size_t count_ = 0;  // samples waiting to be measured together
};

class Sum : Samples {
 public:
  Sum(const DistanceField& field, const Vec3& center, const Frame& frame, double enough)
      : Samples(field, center, frame), enough_(enough) {}

  void add(const Vec3& local, double area) {
    if (result_.sum >= enough_) return;
    point_[count_] = to_world(local);
    area_[count_] = area;
    if (++count_ == kTogether) take();
  }
  Deviation result() {
    take();
    return result_;
  }

 private:
  void take() {
    measure();
    for (size_t k = 0; k < count_; ++k) {
      result_.sum += area_[k] * distance_[k] * distance_[k];
      result_.largest = std::max(result_.largest, distance_[k]);
    }
    count_ = 0;
  }

  double enough_;
  Deviation result_;
  std::array<double, kTogether> area_;
};

// Measures a sample thoroughly only if its quick distance is larger than all before, because the thorough distance is
// never larger. (At sharp corners the quick distance may take outside for inside, so a sample may be missed.)
class Largest : Samples {
 public:
  using Samples::Samples;

  void add(const Vec3& local, double) {
    point_[count_] = to_world(local);
    if (++count_ == kTogether) take();
  }
  double result() {
    take();
    return largest_;
  }

 private:
  void take() {
    measure();
    for (size_t k = 0; k < count_; ++k)
      if (distance_[k] > largest_) largest_ = std::max(largest_, field_.carefully_at(point_[k]));
    count_ = 0;
  }

  double largest_ = 0;
};

// At least two, so that the middle is sampled: a shape that closes a gap between two boards has its edges on the
// boards. One for a thin extent.
int steps_along(double spacings, int most) {
  constexpr double kThin = 0.2;
  return std::clamp(static_cast<int>(std::lround(spacings)), spacings > kThin ? 2 : 1, most);
}

// Lattice steps along each side of a box, in proportion to its length, for about 6 x `density` squared samples.
std::array<int, 3> lattice_steps(const Vec3& half, double density) {
  // A lattice with spacing s has about area / s^2 points; a cube with 3 steps an edge has 54.
  const double area = 8 * (half.x * half.y + half.y * half.z + half.z * half.x);
  const double spacing = std::sqrt(area / (6 * density * density));
  std::array<int, 3> steps;
  for (int k = 0; k < 3; ++k) steps[static_cast<size_t>(k)] = steps_along(2 * half[k] / spacing, kMostSteps);
  return steps;
}

// Lattice lines are neither evenly spaced nor symmetric. Evenly spaced boards of a shelf could meet all of them, and
// the gaps between the boards none.
constexpr double kUneven = 0.25;
double place(int k, int steps) {  // 0 .. 1
  const double t = static_cast<double>(k) / steps;
  return t + kUneven * t * (1 - t);
}
// The fraction of the length that a line represents: halfway to its neighbours on both sides.
double share(int k, int steps) {
  return 0.5 * (place(std::min(k + 1, steps), steps) - place(std::max(k - 1, 0), steps));
}

// Samples the surface of a box or a prism. `width(y)` is its half extent along z at height y in -1 .. 1.
template <class Points, class Width>
void add_box(Points& sum, double hx, double hy, Width&& width, double density) {
  const double middle = width(0.0);
  const auto [nx, ny, nz] = lattice_steps({hx, hy, middle}, density);
  const auto at = [](int k, int steps) { return 2 * place(k, steps) - 1; };
  for (int j = 0; j <= ny; ++j) {
    const double y = at(j, ny), w = width(y);
    for (int i = 0; i <= nx; ++i) {  // the two sides across z
      const double area = 4 * hx * hy * share(i, nx) * share(j, ny);
      sum.add({at(i, nx) * hx, y * hy, w}, area);
      sum.add({at(i, nx) * hx, y * hy, -w}, area);
    }
  }
  // The other four sides, without the rows on the edges to those two.
  for (int k = 1; k < nz; ++k) {
    const double row = 1.0 / (nz - 1);
    for (int j = 0; j <= ny; ++j) {
      const double y = at(j, ny), w = width(y), area = 4 * hy * w * share(j, ny) * row;
      sum.add({hx, y * hy, at(k, nz) * w}, area);
      sum.add({-hx, y * hy, at(k, nz) * w}, area);
    }
    for (const double y : {-1.0, 1.0}) {
      const double w = width(y);
      for (int i = 0; i <= nx; ++i) sum.add({at(i, nx) * hx, y * hy, at(k, nz) * w}, 4 * hx * w * share(i, nx) * row);
    }
  }
}

// The number of samples on a circle around the axis.
size_t points_around(double density) {
  constexpr double kDense = 5;
  return density < kDense ? 12 : 24;
}

// Samples a circle around the axis, at height x. With few samples, every second circle is rotated by half a step, so
// that the circles together do not miss a feature along the axis.
template <class Points>
void add_circle(Points& sum, double x, double r, size_t points, size_t number, double area) {
  const size_t step = kAround.size() / points;
  for (size_t k = number % 2 * (step / 2); k < kAround.size(); k += step) {
    const auto& [c, s] = kAround[k];
    sum.add({x, r * c, r * s}, area / static_cast<double>(points));
  }
}

// Samples the side between two circles and the discs at its ends. The discs use Simpson's rule in the square of the
// radius, so that their rims, which dominate the deviation of a flat disc, count too.
template <class Points>
void add_frustum(Points& sum, double h, double rb, double rt, double density) {
  const double middle = 0.5 * (rb + rt);
  const int steps = steps_along(density * h / std::max(middle, 1e-12), 8);
  const double side = 4 * kPi * middle * h;
  const size_t points = points_around(density);
  for (int k = 0; k <= steps; ++k) {
    const double t = place(k, steps), r = rb + (rt - rb) * t;
    const double rim = k == 0 || k == steps ? kPi * r * r / 6 : 0;
    add_circle(sum, (2 * t - 1) * h, r, points, static_cast<size_t>(k), side * share(k, steps) + rim);
  }
  for (const double end : {-1.0, 1.0}) {
    const double r = end < 0 ? rb : rt, disc = kPi * r * r;
    sum.add({end * h, 0, 0}, disc / 6);
    add_circle(sum, end * h, kHalfRoot2 * r, points / 2, 0, disc * 4 / 6);
  }
}

// Samples two half balls and the side between them.
template <class Points>
void add_capsule(Points& sum, double l, double r, double density) {
  const int steps = l > 0 ? steps_along(density * l / r, 8) : 0;
  const size_t points = points_around(density);
  for (int k = 0; k <= steps && steps > 0; ++k)
    add_circle(sum, (2 * place(k, steps) - 1) * l, r, points, static_cast<size_t>(k),
               4 * kPi * r * l * share(k, steps));
  // The area of a half ball is uniform in height, so rings at equal steps have equal shares.
  constexpr double kHeights[3] = {1.0 / 6, 0.5, 5.0 / 6};
  for (const double end : {-1.0, 1.0}) {
    sum.add({end * (l + r), 0, 0}, 2 * kPi * r * r / 12);
    for (size_t k = 0; k < 3; ++k)
      add_circle(sum, end * (l + kHeights[k] * r), r * std::sqrt(1 - kHeights[k] * kHeights[k]), points / 2, k + 1,
                 2 * kPi * r * r * (11.0 / 12) / 3);
  }
}

template <class Points>
void add_surface(Points& sum, const Fitted& shape, double density) {
  const auto& [a, b, c, d] = shape.size;
  switch (shape.kind) {
    case Kind::sphere: add_capsule(sum, 0, a, density); break;
    case Kind::capsule: add_capsule(sum, a, b, density); break;
    case Kind::cylinder: add_frustum(sum, a, b, b, density); break;
    case Kind::frustum: add_frustum(sum, a, b, c, density); break;
    case Kind::prism: {
      const double top = c, bottom = d;
      add_box(
          sum, a, b, [&](double y) { return 0.5 * (bottom + top) + 0.5 * y * (top - bottom); }, density);
      break;
    }
    default: {
      const double w = c;
      add_box(
          sum, a, b, [&](double) { return w; }, density);
    }
  }
}

}  // namespace

// Seven samples per triangle: corners, midpoints of the edges and the centre, exact for cubic functions.
Deviation DeviationMeter::operator()(const Hull& hull) const {
  Sum sum(field_, {}, {}, Bounds::kInfinity);
  for (const Triangle& t : hull.triangles) {
    const std::array<Vec3, 3> p = {hull.vertices[t[0]], hull.vertices[t[1]], hull.vertices[t[2]]};
    const double area = 0.5 * norm(cross(p[1] - p[0], p[2] - p[0]));
    for (size_t k = 0; k < 3; ++k) {
      sum.add(p[k], area / 20);
      sum.add((p[k] + p[(k + 1) % 3]) * 0.5, area * 2 / 15);
    }
    sum.add((p[0] + p[1] + p[2]) / 3, area * 9 / 20);
  }
  return sum.result();
}

Deviation DeviationMeter::operator()(const Fitted& shape, double enough) const {
  Sum sum(field_, shape.center, shape.frame, enough);
  add_surface(sum, shape, density_);
  return sum.result();
}

double DeviationMeter::reach(const Fitted& shape) const {
  constexpr double kDense = 6;
  Largest largest(field_, shape.center, shape.frame);
  add_surface(largest, shape, std::max(kDense, 2 * density_));
  return largest.result();
}

}  // namespace hitbox::internal::fit
