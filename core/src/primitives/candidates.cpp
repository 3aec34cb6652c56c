#include "primitives/candidates.hpp"

#include <algorithm>
#include <numeric>

namespace hitbox::internal::primitives {

// Shapes at the origin, along x, which is enough to compute their cost.
static Box box_of(const Vec3& half) { return {{}, {}, half}; }
static Cylinder cylinder_of(double h, double r) { return {{-h, 0, 0}, {h, 0, 0}, r}; }
static Capsule capsule_of(double l, double r) { return {{-l, 0, 0}, {l, 0, 0}, r}; }
static Frustum frustum_of(double h, double rb, double rt) { return {{-h, 0, 0}, {h, 0, 0}, rb, rt}; }
static Prism prism_of(double hx, double hy, double top, double bottom) { return {{}, {}, hx, hy, top, bottom}; }

void PointArrays::assign(std::span<const Vec3> vertices, std::span<const uint32_t> ids) {
  x.clear();
  y.clear();
  z.clear();
  append(vertices, ids);
}

void PointArrays::append(std::span<const Vec3> vertices, std::span<const uint32_t> ids) {
  for (const uint32_t v : ids) {
    x.push_back(vertices[v].x);
    y.push_back(vertices[v].y);
    z.push_back(vertices[v].z);
  }
}

double Fitter::project(const Frame& frame) {
  frame_ = frame;
  const size_t count = points.size();
  for (int axis = 0; axis < 3; ++axis) {
    std::vector<double>& u = local_[axis];
    u.resize(count);
    const Vec3 a = frame.axis[axis];
    double low = Bounds::kInfinity, high = -Bounds::kInfinity;
    for (size_t k = 0; k < count; ++k) {
      u[k] = a.x * points.x[k] + a.y * points.y[k] + a.z * points.z[k];
      low = std::min(low, u[k]);
      high = std::max(high, u[k]);
    }
    const double mid = 0.5 * (low + high);
    for (double& value : u) value -= mid;
    mid_[axis] = mid;
    half_[axis] = std::max(0.5 * (high - low), model_.thickness);
  }
  const double c = model_.clearance;
  return (half_.x + c) * (half_.y + c) * (half_.z + c);
}

template <class S>
void Fitter::offer(Fitted& best, const S& shape, const Frame& frame, const Vec3& local_center,
                   std::array<double, 4> size) const {
  const double cost = model_.cost(shape);
  constexpr double kTie = 1e-9;  // rounding can make a capsule without length smaller than its ball
  if (!(cost < best.cost * (1 - kTie))) return;
  const double weight = model_.weight(S::kKind);
  best = {S::kKind, frame, frame_.to_world(mid_ + local_center), size, 0, false, false, weight, weight * volume(shape),
          cost};
}

void Fitter::try_box(Fitted& best) { offer(best, box_of(half_), frame_, {}, {half_.x, half_.y, half_.z}); }

void Fitter::try_sphere(Fitted& best) {
  // A sphere around these points is at least as large as the longest half extent.
  if (model_.cost(Sphere{{}, max_component(half_)}) >= best.cost) return;
  double r_sq = 0;
  for (size_t k = 0; k < points.size(); ++k) {
    const double x = local_[0][k], y = local_[1][k], z = local_[2][k];
    r_sq = std::max(r_sq, x * x + y * y + z * z);
  }
  const double r = std::max(std::sqrt(r_sq), model_.thickness);
  offer(best, Sphere{{}, r}, frame_, {}, {r});
}

double Fitter::measure_radius(int axis) {
  const std::vector<double>&u = local_[(axis + 1) % 3], &v = local_[(axis + 2) % 3];
  rho_sq_.resize(points.size());
  double largest = 0;
  for (size_t k = 0; k < points.size(); ++k) {
    rho_sq_[k] = u[k] * u[k] + v[k] * v[k];
    largest = std::max(largest, rho_sq_[k]);
  }
  return std::max(std::sqrt(largest), model_.thickness);
}

static Frame along(const Frame& frame, int axis) { return permuted(frame, axis, (axis + 1) % 3); }

void Fitter::try_cylinder(int axis, double r, Fitted& best) {
  const double h = half_[axis];
  offer(best, cylinder_of(h, r), along(frame_, axis), {}, {h, r});
}

void Fitter::try_capsule(int axis, double r, Fitted& best) {
  // The centres of the caps, as close to each other as the points allow (Eq. 3, with the sign of the lower end
  // corrected).
  if (model_.cost(capsule_of(std::max(half_[axis] - r, 0.0), r)) >= best.cost) return;
  double high = -Bounds::kInfinity, low = Bounds::kInfinity;
  for (size_t k = 0; k < points.size(); ++k) {
    const double bulge = std::sqrt(std::max(r * r - rho_sq_[k], 0.0));
    high = std::max(high, local_[axis][k] - bulge);
    low = std::min(low, local_[axis][k] + bulge);
  }
  Vec3 center;
  center[axis] = 0.5 * (low + high);
  const double l = std::max(0.5 * (high - low), 0.0);
  offer(best, capsule_of(l, r), along(frame_, axis), center, {l, r});
}

// The cylinder is the smallest of all frustums with this radius at mid height.
double Fitter::least_frustum_cost(double h, double mid_radius) const {
  return model_.weight(Kind::frustum) / model_.weight(Kind::cylinder) * model_.cost(cylinder_of(h, mid_radius));
}

// The radius is a + s y around all points, with a(s) = max(rho - s y). The volume is minimal where 3 a^2 + h^2 s^2 is,
// which is convex in s.
void Fitter::try_frustum(int axis, double cylinder_radius, Fitted& best) {
  const std::vector<double>& y = local_[axis];
  const double h = half_[axis];
  // Two points, one in each half, already require this radius at mid height.
  double low_rho = 0, low_y = -h, high_rho = 0, high_y = h;
  for (size_t k = 0; k < points.size(); ++k) {
    if (y[k] < 0 ? rho_sq_[k] > low_rho : rho_sq_[k] > high_rho) {
      (y[k] < 0 ? low_rho : high_rho) = rho_sq_[k];
      (y[k] < 0 ? low_y : high_y) = y[k];
    }
  }
  const double mid_radius =
      (std::sqrt(low_rho) * high_y - std::sqrt(high_rho) * low_y) / std::max(high_y - low_y, 1e-300);
  if (least_frustum_cost(h, mid_radius) >= best.cost) return;

  std::vector<double>& rho = rho_sq_;
  for (double& value : rho) value = std::sqrt(value);
  const auto radius_at_middle = [&](double s, double& active_y) {
    double a = -Bounds::kInfinity;
    for (size_t k = 0; k < points.size(); ++k) {
      const double value = rho[k] - s * y[k];
      if (value > a) a = value, active_y = y[k];
    }
    return a;
  };
  constexpr int kSlopeSteps = 12;
  double low = -cylinder_radius / h, high = -low;
  for (int step = 0; step < kSlopeSteps; ++step) {
    const double s = 0.5 * (low + high);
    double active_y = 0;
    const double a = radius_at_middle(s, active_y);
    (h * h * s - 3 * a * active_y > 0 ? high : low) = s;
  }
  const double s = 0.5 * (low + high);
  double unused = 0;
  const double a = radius_at_middle(s, unused);
  if (std::abs(s) * h < 0.002 * a && model_.allows(Kind::cylinder)) return;  // a simpler kind is enough
  const double rb = std::max(a - s * h, model_.thickness), rt = std::max(a + s * h, model_.thickness);
  offer(best, frustum_of(h, rb, rt), along(frame_, axis), {}, {h, rb, rt});
}

// Cylinders, capsules and the frustum share the radii. An axis is skipped if its cross section is too long for a round
// shape, or if even the least radius cannot win.
void Fitter::try_round(const Slots& best) {
  int frustum_axis = -1;
  double frustum_radius = 0, frustum_volume = Bounds::kInfinity;
  for (int axis = 0; axis < 3; ++axis) {
    const double u = half_[(axis + 1) % 3], v = half_[(axis + 2) % 3];
    const double least = std::max(u, v);
    const bool has_answer = best[Kind::box].cost < Bounds::kInfinity;
    if (has_answer && least > 4 * std::min(u, v) && model_.clearance < least) continue;
    const double h = half_[axis];
    const bool cylinder =
        model_.allows(Kind::cylinder) && model_.cost(cylinder_of(h, least)) < best[Kind::cylinder].cost;
    const bool capsule = model_.allows(Kind::capsule) &&
                         model_.cost(capsule_of(std::max(h - least, 0.0), least)) < best[Kind::capsule].cost;
    const bool frustum = model_.allows(Kind::frustum) && least_frustum_cost(h, 0.5 * least) < best[Kind::frustum].cost;
    if (!cylinder && !capsule && !frustum) continue;
    const double r = measure_radius(axis);
    if (cylinder) try_cylinder(axis, r, best[Kind::cylinder]);
    if (capsule) try_capsule(axis, r, best[Kind::capsule]);
    if (frustum && r * r * h < frustum_volume) {
      frustum_volume = r * r * h;
      frustum_axis = axis;
      frustum_radius = r;
    }
  }
  if (frustum_axis < 0) return;
  measure_radius(frustum_axis);
  try_frustum(frustum_axis, frustum_radius, best[Kind::frustum]);
}

// The trapezoid's z goes from -(B + s y) to A + s y with A(s) = max(z - s y), B(s) = max(-z - s y). Its width A + B is
// convex and piecewise linear in the lean s. Each pair of points bounds it from below by a line, and the two pairs
// below give such a line for either side.
struct Fitter::WidthBound {
  struct Half {  // the highest and the lowest point on one side of y = 0
    double top = -Bounds::kInfinity, bottom = Bounds::kInfinity, top_y = 0, bottom_y = 0;
    void add(double y, double z) {
      if (z > top) top = z, top_y = y;
      if (z < bottom) bottom = z, bottom_y = y;
    }
    WidthLine line() const { return {top - bottom, -(top_y + bottom_y)}; }
  } below, above;

  // The crossing of the two lines. No lean gives a smaller width.
  double least() const {
    const WidthLine rising = below.line(), falling = above.line();
    if (!(rising.slope > 0 && falling.slope < 0)) return 0;
    return crossing(rising, falling).width;
  }
};

Fitter::Crossing Fitter::crossing(const WidthLine& a, const WidthLine& b) {
  const double lean = (b.width - a.width) / (a.slope - b.slope);
  return {lean, a.width + a.slope * lean};
}

// A few points decide most cases. Stops as soon as the width is known to reach `enough`.
Fitter::WidthBound Fitter::bound_width(int y, int z, double enough) const {
  WidthBound bound;
  const double *py = local_[y].data(), *pz = local_[z].data();
  for (size_t first = 0; first < points.size(); first += 16) {
    const size_t last = std::min(first + 16, points.size());
    for (size_t k = first; k < last; ++k) (py[k] > 0 ? bound.above : bound.below).add(py[k], pz[k]);
    if (bound.least() >= enough) break;
  }
  return bound;
}

// Intersects the two lines that bracket the least width, computes the exact width and its line there, and repeats, in
// three to five steps. Gives up once the width cannot fall below `enough`.
void Fitter::try_prism(int x, int y, int z, double enough, Fitted& best) {
  const WidthBound bound = bound_width(y, z, enough);
  WidthLine rising = bound.below.line(), falling = bound.above.line();
  // A single point at an end of y requires its own width there. This bound is weak but always valid.
  if (!(rising.slope > 0)) rising = {0, 2 * half_[y]};
  if (!(falling.slope < 0)) falling = {0, -2 * half_[y]};
  const double *py = local_[y].data(), *pz = local_[z].data();
  double width = Bounds::kInfinity, lean = 0, shift = 0;
  for (int step = 0; step < 12; ++step) {
    const Crossing cross = crossing(rising, falling);
    if (cross.width >= enough) return;
    if (cross.width >= width - 1e-12 * half_[z]) break;
    double a = -Bounds::kInfinity, b = a, ya = 0, yb = 0;
    for (size_t k = 0; k < points.size(); ++k) {
      const double drop = cross.lean * py[k];
      if (pz[k] - drop > a) a = pz[k] - drop, ya = py[k];
      if (-pz[k] - drop > b) b = -pz[k] - drop, yb = py[k];
    }
    if (a + b < width) width = a + b, lean = cross.lean, shift = 0.5 * (a - b);
    const WidthLine line{a + b + (ya + yb) * cross.lean, -(ya + yb)};
    if (line.slope == 0) break;
    (line.slope > 0 ? rising : falling) = line;
  }
  const double mean = 0.5 * width, hy = half_[y], flare = lean * hy;
  if (std::abs(flare) < 0.02 * mean && model_.allows(Kind::box)) return;  // a simpler kind is enough
  const double top = std::max(mean + flare, model_.thickness);
  const double bottom = std::max(mean - flare, model_.thickness);
  Vec3 center;
  center[z] = shift;
  offer(best, prism_of(half_[x], hy, top, bottom), permuted(frame_, x, y), center, {half_[x], hy, top, bottom});
}

void Fitter::try_prisms(Fitted& best) {
  for (int x = 0; x < 3; ++x) {
    for (int turn = 1; turn <= 2; ++turn) {
      const int y = (x + turn) % 3, z = (x + 3 - turn) % 3;
      try_prism(x, y, z, hopeless_width(x, y, best.cost), best);
    }
  }
}

// The width at which even upright sides, the shortest, have this cost. The cost is linear in the width.
double Fitter::hopeless_width(int x, int y, double cost) const {
  if (cost == Bounds::kInfinity) return cost;
  const auto upright = [&](double width) {
    return model_.cost(prism_of(half_[x], half_[y], 0.5 * width, 0.5 * width));
  };
  const double none = upright(0);
  return (cost - none) / (upright(1) - none);
}

Fitter::Slots Fitter::all_into(Fitted& best) { return {{&best, &best, &best, &best, &best, &best}}; }

void Fitter::try_kinds(const Slots& best) {
  if (model_.allows(Kind::box)) try_box(best[Kind::box]);
  if (model_.allows(Kind::sphere)) try_sphere(best[Kind::sphere]);
  try_round(best);
  if (model_.allows(Kind::prism)) try_prisms(best[Kind::prism]);
}

void Fitter::project_to_smallest(std::span<const Frame> frames) {
  size_t tightest = 0;
  double least = Bounds::kInfinity;
  for (size_t k = 0; k < frames.size(); ++k) {
    const double volume = project(frames[k]);
    if (volume < least) least = volume, tightest = k;
  }
  if (tightest + 1 != frames.size()) project(frames[tightest]);
}

Fitted Fitter::smallest_box(std::span<const Frame> frames) {
  project_to_smallest(frames);
  Fitted best;
  try_box(best);
  return best;
}

Fitted Fitter::cheapest(std::span<const Frame> frames) {
  project_to_smallest(frames);
  Fitted best;
  try_kinds(all_into(best));
  return best;
}

Fitted Fitter::cheapest_of_all(std::span<const Frame> frames) {
  Fitted best;
  for (const Frame& frame : frames) {
    project(frame);
    try_kinds(all_into(best));
  }
  return best;
}

std::vector<Fitted> Fitter::smallest_of_each_kind(std::span<const Frame> frames) {
  std::array<Fitted, kPrimitiveCount> best;
  Slots slots;
  for (size_t k = 0; k < best.size(); ++k) slots.of_kind[k] = &best[k];
  for (const Frame& frame : frames) {
    project(frame);
    try_kinds(slots);
  }
  std::vector<Fitted> found;
  for (const Fitted& fitted : best)
    if (fitted.cost < Bounds::kInfinity) found.push_back(fitted);
  return found;
}

std::vector<Fitted> Fitter::round_about(const Frame& frame, const Vec3& center) {
  project(frame);
  const Vec3 shift = mid_ - frame.to_local(center);
  for (int axis = 1; axis < 3; ++axis) {
    for (double& value : local_[axis]) value += shift[axis];
    mid_[axis] -= shift[axis];
  }
  std::vector<Fitted> found;
  const auto keep = [&](Fitted& fitted) {
    fitted.about_center = true;
    if (fitted.cost < Bounds::kInfinity) found.push_back(fitted);
  };
  const double radius = measure_radius(0);
  if (model_.allows(Kind::sphere)) {
    double r_sq = 0;
    for (size_t k = 0; k < points.size(); ++k) {
      const double along = local_[0][k] + shift.x;
      r_sq = std::max(r_sq, along * along + rho_sq_[k]);
    }
    const double r = std::max(std::sqrt(r_sq), model_.thickness);
    Fitted sphere;
    offer(sphere, Sphere{{}, r}, frame_, {-shift.x, 0, 0}, {r});
    keep(sphere);
  }
  Fitted capsule, cylinder, frustum;
  if (model_.allows(Kind::capsule)) try_capsule(0, radius, capsule);
  if (model_.allows(Kind::cylinder)) try_cylinder(0, radius, cylinder);
  if (model_.allows(Kind::frustum)) try_frustum(0, radius, frustum);
  for (Fitted* fitted : {&capsule, &cylinder, &frustum}) keep(*fitted);
  return found;
}

// The circle by linear least squares of u^2 + v^2 = 2 a u + 2 b v + c, relative to the points' mean.
std::vector<Fitted> Fitter::round_like_points(const Frame& frame) {
  constexpr double kStraight = 1e-6;
  project(frame);
  const std::vector<double>&u = local_[1], &v = local_[2];
  const auto mean = [](const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  };
  const double mean_u = mean(u), mean_v = mean(v);
  double uu = 0, uv = 0, vv = 0, u_sq = 0, v_sq = 0;
  for (size_t k = 0; k < points.size(); ++k) {
    const double x = u[k] - mean_u, y = v[k] - mean_v, r_sq = x * x + y * y;
    uu += x * x;
    uv += x * y;
    vv += y * y;
    u_sq += x * r_sq;
    v_sq += y * r_sq;
  }
  const double determinant = uu * vv - uv * uv;
  if (!(determinant > kStraight * (uu + vv) * (uu + vv))) return {};
  const double a = 0.5 * (vv * u_sq - uv * v_sq) / determinant, b = 0.5 * (uu * v_sq - uv * u_sq) / determinant;
  return round_about(frame, frame.to_world(mid_ + Vec3{0, mean_u + a, mean_v + b}));
}

Fitted Fitter::refit(const Fitted& like) {
  if (like.about_center) {
    const std::vector<Fitted> round = round_about(like.frame, like.center);
    const auto same = std::find_if(round.begin(), round.end(), [&](const Fitted& f) { return f.kind == like.kind; });
    if (same != round.end()) return *same;
  }
  project(like.frame);
  Fitted best;
  switch (like.kind) {
    case Kind::box: try_box(best); break;
    case Kind::sphere: try_sphere(best); break;
    case Kind::capsule: try_capsule(0, measure_radius(0), best); break;
    case Kind::cylinder: try_cylinder(0, measure_radius(0), best); break;
    case Kind::frustum: try_frustum(0, measure_radius(0), best); break;
    case Kind::prism: try_prism(0, 1, 2, Bounds::kInfinity, best); break;
    case Kind::hull: break;
  }
  // With more points a frustum may become a cylinder, and a prism a box.
  if (best.cost == Bounds::kInfinity) {
    if (like.kind == Kind::frustum) try_cylinder(0, measure_radius(0), best);
    if (like.kind == Kind::prism) try_box(best);
  }
  return best;
}

Shape to_shape(const Fitted& f) {
  const Vec3 reach = f.frame.axis[0] * f.size[0];
  switch (f.kind) {
    case Kind::sphere: return Sphere{f.center, f.size[0]};
    case Kind::capsule: return Capsule{f.center - reach, f.center + reach, f.size[1]};
    case Kind::cylinder: return Cylinder{f.center - reach, f.center + reach, f.size[1]};
    case Kind::frustum: return Frustum{f.center - reach, f.center + reach, f.size[1], f.size[2]};
    case Kind::prism: return Prism{f.center, to_quaternion(f.frame), f.size[0], f.size[1], f.size[2], f.size[3]};
    default: return Box{f.center, to_quaternion(f.frame), {f.size[0], f.size[1], f.size[2]}};
  }
}

}  // namespace hitbox::internal::primitives
