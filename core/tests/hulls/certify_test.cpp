// Compares the proof that no hull enters the space with centres on an independent grid.
#include "hulls/certify.hpp"

#include "tests/check.hpp"
#include "tests/meshes.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::hulls;

namespace {

struct Scene {
  Mesh mesh;
  Run run{2};
  SpaceQuery options;
  TriangleBvh surface;
  Clearance clearance;
  Boundary boundary;
  double slack;

  Scene(Mesh given, double radius, double tolerance, double floor = 0)
      : mesh(std::move(given)),
        options(options_of(radius, tolerance, floor)),
        surface(mesh.view(), run),
        clearance(surface, options.tolerance, options.blockers),
        boundary(boundary_of(reached_space(mesh.view(), surface, options, run).value().reach, clearance, run)),
        slack(0.01 * options.tolerance.least()) {}

  static SpaceQuery options_of(double radius, double tolerance, double floor) {
    SpaceQuery options;
    options.radius = radius;
    options.tolerance = {tolerance, floor, {0, 0, 1}};
    return options;
  }
  std::vector<Violation> wrong(const PartHull& hull) {
    const PartHull* hulls[] = {&hull};
    return violations(hulls, boundary, clearance, options.radius, slack, 50, run);
  }
};

// Whether the hull comes nearer than the radius, minus the slack and `by`, to a possible centre of a ball.
bool enters_a_sample(const PartHull& hull, Scene& scene, double by, const std::vector<Vec3>& centers) {
  for (const Vec3& c : centers)
    if (hull.distance(c) < scene.options.radius - scene.slack - by) return true;
  return false;
}

// Points with room for a ball, which gets there from above or below: half of them just so much room.
std::vector<Vec3> free_centers(Scene& scene, Random& random, const Bounds& around, size_t count) {
  std::vector<Vec3> centers;
  while (centers.size() < count) {
    const Vec3 size = around.size();
    const double x = random.uniform(), y = random.uniform();
    const Vec3 p = around.low + Vec3{size.x * x, size.y * y, size.z * random.uniform()};
    if (scene.clearance.at(p) < scene.options.radius) continue;
    centers.push_back(p);
    Vec3 near = p;  // towards the mesh as far as there is room
    for (int k = 0; k < 20; ++k)
      near -= scene.clearance.gradient(near) * (0.9 * (scene.clearance.at(near) - scene.options.radius));
    if (scene.clearance.at(near) >= scene.options.radius) centers.push_back(near);
  }
  return centers;
}

}  // namespace

TEST(certify_finds_every_hull_that_a_sample_finds) {
  Random random(1);
  for (const double floor : {0.0, 0.02}) {
    Scene scene(tests::window(), 0.1, 0.04, floor);
    const Bounds around{{-0.3, -0.3, -0.3}, {1.3, 1.3, 0.4}};
    const std::vector<Vec3> centers = free_centers(scene, random, around, 1500);
    int bad = 0, good = 0;
    for (int k = 0; k < 24; ++k) {
      // Points of one or two bars of the mesh, so that the hull touches it.
      std::vector<Vec3> points;
      for (int n = 0; n < 8; ++n) {
        const double along = random.uniform(), across = random.uniform(0, 0.3), z = random.uniform(0, 0.1);
        const bool turns = k % 3 != 0 && n % 2 == 0;
        points.push_back(turns ? Vec3{across, along, z} : Vec3{along, across, z});
      }
      const PartHull hull = part_hull(points, 1e-4);
      const std::vector<Violation> found = scene.wrong(hull);
      if (enters_a_sample(hull, scene, 0, centers)) CHECK(!found.empty());
      for (const Violation& v : found) {
        CHECK(v.hull == 0 && hull.distance(v.sphere.center) < v.sphere.radius);
        // A ball of nearly that radius fits at the centre.
        CHECK(scene.clearance.at(v.sphere.center) >= v.sphere.radius - 1e-9);
        CHECK_NEAR(v.sphere.radius, scene.options.radius, scene.slack);
      }
      (found.empty() ? good : bad)++;
    }
    CHECK(bad > 3 && good > 3);
  }
}

TEST(certify_lets_the_parts_of_the_mesh_be) {
  Scene scene(tests::window(), 0.1, 0.02);
  const auto bar = [](double low, double high) {
    std::vector<Vec3> points;
    for (const double x : {0.0, 1.0})
      for (const double y : {low, high})
        for (const double z : {0.0, 0.1}) points.push_back({x, y, z});
    return part_hull(points, 0);
  };
  CHECK(scene.wrong(bar(0, 0.3)).empty());
  CHECK(scene.wrong(bar(-0.015, 0.315)).empty());  // less than the tolerance larger
  CHECK(!scene.wrong(bar(-0.03, 0.3)).empty());    // more than that
  CHECK(!scene.wrong(bar(0, 0.33)).empty());
  CHECK(!scene.wrong(part_hull(scene.mesh.vertices, 0)).empty());
}

TEST(certify_names_the_hulls_that_are_wrong) {
  Scene scene(tests::angle_mesh(1, 0.3, 0.3), 0.08, 0.02);
  const auto box = [](const Bounds& b) {
    const Mesh mesh = tests::box_mesh(b);
    return part_hull(mesh.vertices, 0);
  };
  const PartHull left = box({{0, 0, 0}, {0.3, 1, 0.3}}), right = box({{0, 0, 0}, {1, 0.3, 0.3}});
  const PartHull over = part_hull(scene.mesh.vertices, 0), high = box({{0, 0, 0}, {0.3, 1, 0.36}});
  const PartHull* hulls[] = {&left, &over, &right, &high};
  std::vector<size_t> count(4);
  for (const unsigned threads : {1u, 3u}) {
    Run run(threads);
    const auto found = violations(hulls, scene.boundary, scene.clearance, 0.08, scene.slack, 5, run);
    for (const Violation& v : found) ++count[v.hull];
    CHECK(count[0] == 0 && count[2] == 0);
    CHECK(count[1] == 5 && count[3] == 5);  // as many as requested
    count.assign(4, 0);
  }
  CHECK(violations({}, scene.boundary, scene.clearance, 0.08, scene.slack, 5, scene.run).empty());
}
