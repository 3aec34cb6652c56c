// Compares the navigable space with an independent flood fill over exact distances, and tests its guarantees.
#include "space/space.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "tests/check.hpp"
#include "tests/meshes.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::space;

namespace {

SpaceQuery options_of(double radius, double tolerance) {
  SpaceQuery options;
  options.radius = radius;
  options.tolerance.all = tolerance;
  return options;
}

ReachedSpace space_of(const Mesh& mesh, const SpaceQuery& options, unsigned threads = 1) {
  Run run(threads);
  const TriangleBvh surface(mesh.view(), run);
  return reached_space(mesh.view(), surface, options, run).value();
}

// The grid points that a ball can reach from outside by steps between neighbours: a lower bound of the space.
class Flood {
 public:
  Flood(const Mesh& mesh, const SpaceQuery& options, double step)
      : surface_(mesh.view(), run_), clearance_(surface_, options.tolerance, options.blockers), options_(options) {
    Bounds box = bounds_of(mesh.vertices);
    grid_ = Grid::around(box, 3 * options.radius, step);
    std::vector<size_t> open{0};
    reached_.insert(0);
    while (!open.empty()) {
      const GridPoint at = grid_.point(open.back());
      open.pop_back();
      for (size_t axis = 0; axis < 3; ++axis)
        for (const int way : {-1, 1}) {
          GridPoint next = at;
          next[axis] += way;
          if (next[axis] < 0 || next[axis] >= grid_.size[axis]) continue;
          if (reached_.count(grid_.index(next)) != 0 || !is_way_free(next, step)) continue;
          reached_.insert(grid_.index(next));
          open.push_back(grid_.index(next));
        }
    }
  }

  const Grid& grid() const { return grid_; }
  const std::set<size_t>& reached() const { return reached_; }
  double room(const Vec3& p) const { return clearance_.at(p); }

 private:
  // With a spare room of one step, the whole path between two such points is free.
  bool is_way_free(const GridPoint& p, double step) const {
    return clearance_.at(grid_.position(p)) >= options_.radius + step / 2;
  }

  Run run_{1};
  TriangleBvh surface_;
  Clearance clearance_;
  SpaceQuery options_;
  Grid grid_;
  std::set<size_t> reached_;
};

// Whether the reach contains a point nearest to p, so that p counts as reachable.
bool is_in_reach(const Reach& reach, const Vec3& p) {
  const Vec3 at = (p - reach.grid.origin) / reach.grid.step;
  const GridPoint nearest = {static_cast<int>(std::lround(at.x)), static_cast<int>(std::lround(at.y)),
                             static_cast<int>(std::lround(at.z))};
  for (size_t k = 0; k < 3; ++k)
    if (nearest[k] < 0 || nearest[k] >= reach.grid.size[k]) return true;  // points beside the grid are outside
  return reach.is_reached[reach.grid.index(nearest)] != 0;
}

bool has_sphere_near(const ReachedSpace& space, const Vec3& p, double away) {
  return std::any_of(space.spheres.begin(), space.spheres.end(),
                     [&](const Sphere& s) { return norm(s.center - p) <= away; });
}

}  // namespace

TEST(space_holds_all_that_a_flood_gets_to) {
  Mesh two = tests::box_mesh({{0, 0, 0}, {0.4, 1, 1}});
  tests::add_box(two, {{0.7, 0, 0}, {1, 1, 1}});
  for (const Mesh& mesh : {tests::window(), tests::torus(12, 0.4, 0.12), tests::tray(1, 0.5), two}) {
    const SpaceQuery options = options_of(0.1, 0.03);
    const ReachedSpace space = space_of(mesh, options);
    const Flood flood(mesh, options, 0.05);
    CHECK(flood.reached().size() > 500);
    for (const size_t k : flood.reached())
      CHECK(is_in_reach(space.reach, flood.grid().position(flood.grid().point(k))));
    // Each sphere fits into its room, and lies on the boundary of the set of centres.
    for (const Sphere& s : space.spheres) {
      const double room = flood.room(s.center);
      CHECK(s.radius <= room + 1e-9 && room >= options.radius - 1e-9);
      CHECK(room <= options.radius + 2 * space.reach.grid.step);
    }
    CHECK(space.spheres.size() > 50);
  }
}

TEST(space_leaves_sealed_rooms_out_unless_asked) {
  const Mesh mesh = tests::hollow_box({{0, 0, 0}, {1, 1, 1}}, {{0.1, 0.1, 0.1}, {0.9, 0.9, 0.9}});
  SpaceQuery options = options_of(0.1, 0.03);
  const auto inside = [](const ReachedSpace& space) {
    return std::count_if(space.spheres.begin(), space.spheres.end(), [](const Sphere& s) {
      return Bounds{{0, 0, 0}, {1, 1, 1}}.contains(s.center);
    });
  };
  CHECK(inside(space_of(mesh, options)) == 0);
  options.reachable_only = false;
  const ReachedSpace sealed = space_of(mesh, options);
  CHECK(inside(sealed) > 20);
  CHECK(is_in_reach(sealed.reach, {0.5, 0.5, 0.5}));
  CHECK(!is_in_reach(sealed.reach, {0.05, 0.5, 0.5}));  // in the wall
}

// A hole is open or closed for a ball. Within a grid step of the limit either result is allowed.
TEST(space_goes_through_holes_that_are_wide_enough) {
  const double radius = 0.1, tolerance = 0.03;
  for (const double spare : {-0.06, 0.002}) {
    const double half = radius + tolerance + spare;
    const Mesh mesh = tests::window(0.5 - half, 0.5 + half, 0.1);
    const ReachedSpace space = space_of(mesh, options_of(radius, tolerance));
    CHECK(space.reach.grid.step < 0.06);
    CHECK(is_in_reach(space.reach, {0.5, 0.5, 0.05}) == (spare > 0));
    CHECK(has_sphere_near(space, {0.5, 0.5, 0.05}, 0.04) == (spare > 0));
  }
}

TEST(space_keeps_clear_what_the_user_points_at) {
  const Mesh mesh = tests::hollow_box({{0, 0, 0}, {1, 1, 1}}, {{0.2, 0.2, 0.2}, {0.8, 0.8, 0.8}});
  SpaceQuery options = options_of(0.1, 0.03);
  options.clear_points = {{0.5, 0.5, 0.5}, {0.25, 0.5, 0.5}, {0.19, 0.5, 0.5}};  // the last one has no room
  const ReachedSpace space = space_of(mesh, options);
  CHECK(space.user_count == 2);
  CHECK(space.spheres[0].center == options.clear_points[0] && space.spheres[1].center == options.clear_points[1]);
  CHECK_NEAR(space.spheres[0].radius, 0.27, 1e-9);
  CHECK_NEAR(space.spheres[1].radius, 0.02, 1e-9);
}

TEST(space_stays_out_of_blockers) {
  const Mesh mesh = tests::window();
  SpaceQuery options = options_of(0.1, 0.03);
  options.blockers.half_spaces.push_back({{0, 0, 1}, 0.0});  // the space below the window is blocked
  const ReachedSpace space = space_of(mesh, options);
  CHECK(!space.spheres.empty());
  for (const Sphere& s : space.spheres) CHECK(s.center.z >= s.radius - 1e-9);
  options.blockers.shapes.push_back(Box{{0.5, 0.5, 0.3}, {}, {0.2, 0.2, 0.2}});
  const ReachedSpace closed = space_of(mesh, options);
  for (const Sphere& s : closed.spheres) {
    double distance = 0;
    signed_distance(options.blockers.shapes[0], {&s.center, 1}, {&distance, 1});
    CHECK(distance >= s.radius - 1e-9);
  }
  CHECK(!has_sphere_near(closed, {0.5, 0.5, 0.1}, 0.1) && has_sphere_near(space, {0.5, 0.5, 0.1}, 0.1));
}

TEST(space_is_the_same_for_any_number_of_threads) {
  const Mesh mesh = tests::torus(16, 0.4, 0.12);
  const SpaceQuery options = options_of(0.08, 0.02);
  const ReachedSpace one = space_of(mesh, options, 1), three = space_of(mesh, options, 3);
  CHECK(one.reach.is_reached == three.reach.is_reached && one.spheres.size() == three.spheres.size());
  for (size_t k = 0; k < std::min(one.spheres.size(), three.spheres.size()); ++k)
    CHECK(one.spheres[k].center == three.spheres[k].center && one.spheres[k].radius == three.spheres[k].radius);
}

TEST(space_too_fine_to_hold_is_an_error) {
  const Mesh mesh = tests::window();
  Run run(1);
  const TriangleBvh surface(mesh.view(), run);
  CHECK(!reached_space(mesh.view(), surface, options_of(0.1, 1e-7), run).ok());
}
