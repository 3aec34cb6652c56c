#include "primitives/candidates.hpp"

#include <algorithm>
#include <numeric>

#include "tests/check.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::primitives;
using namespace hitbox::tests;

namespace {

Frame random_frame(Random& random) { return frame_from(random_point(random, 1), random_point(random, 1)); }

PointArrays arrays_of(const std::vector<Vec3>& points) {
  std::vector<uint32_t> ids(points.size());
  std::iota(ids.begin(), ids.end(), 0u);
  PointArrays arrays;
  arrays.assign(points, ids);
  return arrays;
}

CostModel only(Kind kind) {
  CostModel model{{}, {1, 1, 1, 1, 1, 1}, 0, 1e-9};
  model.kinds[static_cast<size_t>(kind)] = true;
  return model;
}

CostModel all_kinds(double clearance = 0) {
  return {{true, true, true, true, true, true}, {1, 1, 1, 1.05, 2.1, 1.4}, clearance, 1e-9};
}

std::vector<Vec3> random_cloud(Random& random, size_t count, double narrowest = 0.05) {
  const Vec3 stretch = {random.uniform(narrowest, 1), random.uniform(narrowest, 1), random.uniform(narrowest, 1)};
  const Frame frame = random_frame(random);
  const Vec3 center = random_point(random, 2);
  std::vector<Vec3> points;
  for (size_t k = 0; k < count; ++k) {
    const Vec3 p = random_point(random, 1);
    points.push_back(center + frame.to_world({p.x * stretch.x, p.y * stretch.y, p.z * stretch.z}));
  }
  return points;
}

// How far the farthest point lies outside.
double excess(const Shape& shape, const std::vector<Vec3>& points) {
  std::vector<double> out(points.size());
  signed_distance(shape, points, out);
  return *std::max_element(out.begin(), out.end());
}

// The volume of the points' box in a frame, from their coordinates alone.
double box_volume(const std::vector<Vec3>& points, const Frame& frame) {
  double volume = 1;
  for (const Vec3& axis : frame.axis) {
    double low = Bounds::kInfinity, high = -Bounds::kInfinity;
    for (const Vec3& p : points) low = std::min(low, dot(axis, p)), high = std::max(high, dot(axis, p));
    volume *= high - low;
  }
  return volume;
}

std::vector<Frame> random_frames(Random& random, size_t count) {
  std::vector<Frame> frames;
  for (size_t k = 0; k < count; ++k) frames.push_back(random_frame(random));
  return frames;
}

}  // namespace

TEST(frustum_is_as_good_as_a_search_over_slopes) {
  Random random(7);
  const CostModel model = only(Kind::frustum);
  for (int round = 0; round < 60; ++round) {
    std::vector<Vec3> points;
    const double lean = random.uniform(-0.9, 0.9);
    for (int k = 0; k < 40; ++k) {
      const double x = random.uniform(-2, 2), angle = random.uniform(0, 2 * kPi);
      const double r = (1 + lean * x / 2) * std::sqrt(random.uniform());
      points.push_back({x, r * std::cos(angle), r * std::sin(angle)});
    }
    points.push_back({-2, 0, 0});
    points.push_back({2, 0, 0});
    Fitter fitter(model);
    fitter.points = arrays_of(points);
    // Tests the chosen axis: the other two must not give a better result.
    const Frame frames[] = {Frame{}};
    const Fitted fitted = fitter.cheapest(frames);
    CHECK(fitted.kind == Kind::frustum);
    const Shape shape = to_shape(fitted);
    std::vector<double> out(points.size());
    signed_distance(shape, points, out);
    CHECK(*std::max_element(out.begin(), out.end()) <= 1e-9);

    const Vec3 axis = fitted.frame.axis[0];
    const double h = fitted.size[0];
    double best = Bounds::kInfinity;
    for (int step = -2000; step <= 2000; ++step) {
      const double s = 4.0 * step / 2000;
      double a = 0;
      for (const Vec3& p : points) {
        const Vec3 local = p - fitted.center;
        const double y = dot(local, axis);
        a = std::max(a, norm(local - axis * y) - s * y);
      }
      const double low = a - s * h, high = a + s * h;
      if (low < 0 || high < 0) continue;
      best = std::min(best, 2 * h * kPi / 3 * (low * low + low * high + high * high));
    }
    CHECK(volume(shape) <= best * (1 + 1e-3));
  }
}

TEST(prism_is_as_good_as_a_search_over_slopes_and_orders) {
  Random random(8);
  const CostModel model = only(Kind::prism);
  for (int round = 0; round < 60; ++round) {
    std::vector<Vec3> points;
    const double lean = random.uniform(-0.9, 0.9);
    for (int k = 0; k < 40; ++k) {
      const double y = random.uniform(-1, 1);
      points.push_back({random.uniform(-1.5, 1.5), y, (1 + lean * y) * random.uniform(-1, 1)});
    }
    Fitter fitter(model);
    fitter.points = arrays_of(points);
    const Frame frames[] = {Frame{}};
    const Shape shape = to_shape(fitter.cheapest(frames));
    std::vector<double> out(points.size());
    signed_distance(shape, points, out);
    CHECK(*std::max_element(out.begin(), out.end()) <= 1e-9);

    Bounds box;
    for (const Vec3& p : points) box.add(p);
    double best = Bounds::kInfinity;
    for (int x = 0; x < 3; ++x)
      for (int turn = 1; turn <= 2; ++turn) {
        const int y = (x + turn) % 3, z = (x + 3 - turn) % 3;
        const double hy = box.size()[y] / 2, mid = box.center()[y];
        for (int step = -1000; step <= 1000; ++step) {
          const double s = 3.0 * step / 1000;
          double a = -Bounds::kInfinity, b = a;
          for (const Vec3& p : points) {
            a = std::max(a, p[z] - s * (p[y] - mid));
            b = std::max(b, -p[z] - s * (p[y] - mid));
          }
          const double mean = (a + b) / 2;
          if (mean < std::abs(s) * hy) continue;
          best = std::min(best, 4 * box.size()[x] / 2 * hy * 2 * mean);
        }
      }
    CHECK(volume(shape) <= best * (1 + 1e-3));
  }
}

TEST(every_kind_encloses_its_points_in_any_frame) {
  Random random(9);
  for (int round = 0; round < 200; ++round) {
    const auto kind = static_cast<Kind>(round % kPrimitiveCount);
    const CostModel model = only(kind);
    std::vector<Vec3> points;
    const Vec3 stretch = {std::pow(10, random.uniform(-6, 1)), std::pow(10, random.uniform(-6, 1)), 1};
    for (uint64_t k = 1 + random.below(30); k > 0; --k) {
      const Vec3 p = random_point(random, 1);
      points.push_back({p.x * stretch.x, p.y * stretch.y, p.z * stretch.z});
    }
    Fitter fitter(model);
    fitter.points = arrays_of(points);
    const Frame frames[] = {random_frame(random), Frame{}};
    for (const Fitted& fitted : {fitter.cheapest(frames), fitter.cheapest_of_all(frames)}) {
      CHECK(fitted.kind == kind);
      std::vector<double> out(points.size());
      signed_distance(to_shape(fitted), points, out);
      CHECK(*std::max_element(out.begin(), out.end()) <= 1e-9);
    }
  }
}

TEST(the_smallest_box_is_that_of_the_best_frame) {
  Random random(10);
  const CostModel model = all_kinds();
  for (int round = 0; round < 100; ++round) {
    const std::vector<Vec3> points = random_cloud(random, 4 + random.below(40));
    const std::vector<Frame> frames = random_frames(random, 1 + random.below(6));
    double least = Bounds::kInfinity;
    for (const Frame& frame : frames) least = std::min(least, box_volume(points, frame));
    Fitter fitter(model);
    fitter.points = arrays_of(points);
    const Fitted box = fitter.smallest_box(frames);
    CHECK(box.kind == Kind::box);
    CHECK_NEAR(volume(to_shape(box)), least, 1e-9 * least);
    CHECK(excess(to_shape(box), points) <= 1e-9);
  }
}

// A kind that is not allowed is never chosen. The choice costs as little as the cheapest of all kinds.
TEST(the_cheapest_shape_is_the_cheapest_of_the_allowed_kinds) {
  Random random(11);
  for (int round = 0; round < 100; ++round) {
    const std::vector<Vec3> points = random_cloud(random, 4 + random.below(40));
    const std::vector<Frame> frames = random_frames(random, 1 + random.below(3));
    CostModel model = all_kinds(round % 2 ? 0.05 : 0);
    for (bool& allowed : model.kinds) allowed = random.uniform() < 0.6;
    model.kinds[random.below(kPrimitiveCount)] = true;
    Fitter fitter(model);
    fitter.points = arrays_of(points);
    const Fitted cheapest = fitter.cheapest_of_all(frames);
    CHECK(model.allows(cheapest.kind));
    double least = Bounds::kInfinity;
    for (const Fitted& each : fitter.smallest_of_each_kind(frames)) {
      CHECK(model.allows(each.kind));
      CHECK(excess(to_shape(each), points) <= 1e-9);
      CHECK_NEAR(each.cost, model.cost(to_shape(each)), 1e-9 * each.cost);
      CHECK_NEAR(each.volume, model.weight(each.kind) * volume(to_shape(each)), 1e-9 * each.volume);
      least = std::min(least, each.cost);
    }
    CHECK_NEAR(cheapest.cost, least, 1e-8 * least);
    CHECK(fitter.cheapest(frames).cost >= cheapest.cost * (1 - 1e-8));
  }
}

TEST(each_kind_comes_once_in_the_order_of_kinds) {
  Random random(12);
  const CostModel model = all_kinds();
  const std::vector<Vec3> points = random_cloud(random, 30);
  Fitter fitter(model);
  fitter.points = arrays_of(points);
  const std::vector<Fitted> found = fitter.smallest_of_each_kind(random_frames(random, 4));
  CHECK(found.size() >= 4);  // a frustum or prism without taper is left to its simpler kind
  for (size_t k = 1; k < found.size(); ++k) CHECK(found[k - 1].kind < found[k].kind);
}

// Brute force: the points' own distances from the middle of their box, and from each line through it along an axis.
// The cloud is no plate: an axis across which the points are long and narrow may be skipped.
TEST(spheres_cylinders_and_capsules_are_as_small_as_their_points_allow) {
  Random random(13);
  for (int round = 0; round < 100; ++round) {
    const std::vector<Vec3> points = random_cloud(random, 20 + random.below(30), 0.5);
    const Frame frame = random_frame(random);
    Bounds local;
    for (const Vec3& p : points) local.add(frame.to_local(p));
    double ball = 0, cylinder = Bounds::kInfinity, capsule = Bounds::kInfinity;
    for (const Vec3& p : points) ball = std::max(ball, norm(frame.to_local(p) - local.center()));
    for (int axis = 0; axis < 3; ++axis) {
      double radius = 0, low = Bounds::kInfinity, high = -Bounds::kInfinity;
      const auto off_axis = [&](const Vec3& p) {
        Vec3 apart = frame.to_local(p) - local.center();
        apart[axis] = 0;
        return norm(apart);
      };
      for (const Vec3& p : points) radius = std::max(radius, off_axis(p));
      for (const Vec3& p : points) {
        const double cap = std::sqrt(std::max(radius * radius - off_axis(p) * off_axis(p), 0.0));
        low = std::min(low, frame.to_local(p)[axis] + cap);
        high = std::max(high, frame.to_local(p)[axis] - cap);
      }
      const double disc = kPi * radius * radius;
      cylinder = std::min(cylinder, disc * local.size()[axis]);
      capsule = std::min(capsule, disc * (std::max(high - low, 0.0) + 4.0 / 3 * radius));
    }
    const std::pair<Kind, double> expected[] = {
        {Kind::sphere, 4.0 / 3 * kPi * ball * ball * ball}, {Kind::cylinder, cylinder}, {Kind::capsule, capsule}};
    for (const auto& [kind, least] : expected) {
      const CostModel model = only(kind);
      Fitter fitter(model);
      fitter.points = arrays_of(points);
      const Shape shape = to_shape(fitter.cheapest({&frame, 1}));
      CHECK_NEAR(volume(shape), least, 1e-6 * least);  // a cap's height is the root of a difference
      CHECK(excess(shape, points) <= 1e-9);
    }
  }
}

TEST(a_flat_cloud_has_shapes_of_the_least_thickness) {
  for (const Kind kind : {Kind::box, Kind::cylinder, Kind::capsule, Kind::sphere, Kind::frustum, Kind::prism}) {
    CostModel model = only(kind);
    model.thickness = 0.01;
    const std::vector<std::vector<Vec3>> clouds = {
        {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}}, {{0, 0, 0}, {1, 0, 0}}, {{2, 3, 4}}};
    for (const std::vector<Vec3>& points : clouds) {
      Fitter fitter(model);
      fitter.points = arrays_of(points);
      const Frame frame;
      const Fitted fitted = fitter.cheapest({&frame, 1});
      CHECK(fitted.kind == kind);
      CHECK(excess(to_shape(fitted), points) <= 1e-9);
      CHECK(std::isfinite(fitted.cost) && volume(to_shape(fitted)) > 0);
      const bool has_half_length = kind != Kind::capsule;  // a capsule may be a ball
      if (has_half_length) CHECK(fitted.size[0] >= model.thickness);
      if (kind == Kind::box) CHECK(fitted.size[1] >= model.thickness && fitted.size[2] >= model.thickness);
      if (kind == Kind::capsule || kind == Kind::cylinder || kind == Kind::frustum)
        CHECK(fitted.size[1] >= model.thickness);
    }
  }
}

TEST(round_shapes_about_a_line_keep_it_and_hold_the_points) {
  Random random(14);
  const CostModel model = all_kinds();
  for (int round = 0; round < 60; ++round) {
    const std::vector<Vec3> points = random_cloud(random, 2 + random.below(30));
    const Frame frame = random_frame(random);
    const Vec3 center = random_point(random, 3);
    Fitter fitter(model);
    fitter.points = arrays_of(points);
    const std::vector<Fitted> found = fitter.round_about(frame, center);
    CHECK(found.size() >= 3);
    for (const Fitted& fitted : found) {
      CHECK(fitted.kind != Kind::box && fitted.kind != Kind::prism && fitted.about_center);
      CHECK(excess(to_shape(fitted), points) <= 1e-9);
      const Vec3 apart = fitted.center - center;
      const double along = dot(apart, frame.axis[0]);
      CHECK(norm(apart - frame.axis[0] * along) <= 1e-9);
      if (fitted.kind == Kind::sphere)
        CHECK(norm(apart) <= 1e-9);
      else
        CHECK_NEAR(std::abs(dot(fitted.frame.axis[0], frame.axis[0])), 1, 1e-12);
    }
  }
}

TEST(round_shapes_like_points_find_the_circle_of_an_arc) {
  Random random(15);
  const CostModel model = all_kinds();
  for (int round = 0; round < 60; ++round) {
    const Frame frame = random_frame(random);
    const Vec3 center = random_point(random, 3);
    const double radius = random.uniform(0.3, 2), first = random.uniform(0, 2 * kPi), arc = random.uniform(0.8, 5);
    std::vector<Vec3> points;
    for (int k = 0; k < 24; ++k) {
      const double angle = first + arc * k / 23;
      points.push_back(center +
                       frame.to_world({random.uniform(-1, 1), radius * std::cos(angle), radius * std::sin(angle)}));
    }
    Fitter fitter(model);
    fitter.points = arrays_of(points);
    for (const Fitted& fitted : fitter.round_like_points(frame)) {
      CHECK(excess(to_shape(fitted), points) <= 1e-9);
      const Vec3 apart = fitted.center - center;
      CHECK(norm(apart - frame.axis[0] * dot(apart, frame.axis[0])) <= 1e-6);
      if (fitted.kind == Kind::cylinder) CHECK_NEAR(fitted.size[1], radius, 1e-6);
    }
    CHECK(fitter.round_like_points(frame).size() >= 3);
  }
  Fitter straight(model);
  straight.points = arrays_of({{0, 0, 0}, {1, 1, 0}, {2, 2, 0}, {5, 5, 0}});
  CHECK(straight.round_like_points(Frame{}).empty());
}

// The same shape where the points are the same; with more points one that holds them, in the same frame.
TEST(a_refit_holds_other_points_in_the_frame_of_the_first) {
  Random random(16);
  for (int round = 0; round < 200; ++round) {
    const auto kind = static_cast<Kind>(round % kPrimitiveCount);
    const CostModel model = only(kind);
    std::vector<Vec3> points = random_cloud(random, 3 + random.below(20));
    const std::vector<Frame> frames = random_frames(random, 2);
    Fitter fitter(model);
    fitter.points = arrays_of(points);
    const bool about = round % 2 && kind != Kind::box && kind != Kind::prism;
    const Fitted first = about ? fitter.round_about(frames[0], random_point(random, 1))[0] : fitter.cheapest(frames);
    CHECK(first.kind == kind);
    const Fitted again = fitter.refit(first);
    CHECK(again.kind == kind && again.frame == first.frame);
    CHECK_NEAR(again.cost, first.cost, 1e-6 * first.cost);

    for (int k = 0; k < 10; ++k) points.push_back(random_point(random, 3));
    std::vector<uint32_t> added(10);
    std::iota(added.begin(), added.end(), static_cast<uint32_t>(points.size() - 10));
    fitter.points.append(points, added);
    CHECK(fitter.points.size() == points.size());
    const Fitted larger = fitter.refit(first);
    CHECK(excess(to_shape(larger), points) <= 1e-9);
    CHECK(larger.frame == first.frame && larger.about_center == first.about_center);
    if (about) CHECK(norm(cross(larger.center - first.center, first.frame.axis[0])) <= 1e-9);
  }
}

// Steiner's formula in numbers: the volume of all points within the clearance, by sampling.
TEST(a_cost_is_the_weighted_volume_of_the_shape_grown_by_the_clearance) {
  Random random(17);
  for (int k = 0; k < kPrimitiveCount; ++k) {
    const auto kind = static_cast<Kind>(k);
    const Shape shape = random_shape(random, kind);
    CostModel model = all_kinds(0.2);
    Bounds box = bounds(shape);
    box.grow(model.clearance);
    std::vector<Vec3> points;
    for (int j = 0; j < 200'000; ++j)
      points.push_back({random.uniform(box.low.x, box.high.x), random.uniform(box.low.y, box.high.y),
                        random.uniform(box.low.z, box.high.z)});
    std::vector<double> out(points.size());
    signed_distance(shape, points, out);
    const auto inside = static_cast<double>(std::count_if(out.begin(), out.end(), [](double d) { return d <= 0.2; }));
    const double sampled = model.weight(kind) * box.volume() * inside / static_cast<double>(points.size());
    CHECK_NEAR(model.cost(shape), sampled, 0.02 * sampled);
    model.clearance = 0;
    CHECK_NEAR(model.cost(shape), model.weight(kind) * volume(shape), 1e-12 * volume(shape));
  }
}
