// The public doors of navigable_space, carve and merge: what they promise, and what they refuse.
#include "hitbox/hitbox.hpp"
#include "tests/api/inputs.hpp"
#include "tests/check.hpp"
#include "tests/meshes.hpp"

using namespace hitbox;
using namespace hitbox::tests;

namespace {

Run& run() {
  static Run shared(1);
  return shared;
}

SpaceOptions lengths(double radius = 0.1, double tolerance = 0.04) {
  return {.radius = radius, .tolerance = tolerance};
}

template <class Value>
bool refuses(const Result<Value>& result, const std::string& words) {
  return !result.ok() && result.error().message.find(words) != std::string::npos;
}

}  // namespace

TEST(public_carve_keeps_its_space_open) {
  const Mesh mesh = window();
  const auto carved = carve(mesh, {.space = lengths()}, run());
  CHECK(carved.ok() && carved->is_proved && carved->shapes.size() == 4);
  const auto entered = overlap(carved->space, carved->shapes, run());
  CHECK(entered.ok() && entered->is_proved && entered->entered == 0);
  const auto space = navigable_space(mesh, lengths(), run());
  CHECK(space.ok() && space->spheres.size() == carved->space.spheres.size());
  const auto forced = carve(mesh, {.space = lengths(), .count = 1}, run());
  CHECK(forced.ok() && !forced->is_proved && forced->depths.size() == 1);
}

TEST(public_merge_stays_out_of_a_space) {
  const Mesh mesh = window();
  const auto carved = carve(mesh, {.space = lengths()}, run());
  const auto open = merge(carved->shapes, {.tolerance = 0.02, .space = carved->space, .distance = 2}, run());
  CHECK(open.ok() && open->shapes.size() == 4);
  const auto one = merge(carved->shapes, {.tolerance = 0.02, .count = 1}, run());
  CHECK(one.ok() && one->shapes.size() == 1 && one->from[0].size() == 4);
  const auto blocked = overlap(carved->space, one->shapes, run());
  CHECK(blocked->deepest == 1 && blocked->enters[0]);
}

TEST(public_fit_and_fit_spheres_stay_out_of_a_space) {
  const Mesh mesh = window();
  const auto space = navigable_space(mesh, lengths(), run());
  const auto fitted = fit(mesh, {.count = 1, .spaces = {*space}}, run());
  CHECK(fitted.ok() && fitted->shapes.size() > 1);
  const auto entered = overlap(*space, fitted->shapes, run());
  CHECK(entered->entered == 0);
  const auto balls = fit_spheres(mesh, {.count = 4, .spaces = {*space}}, run());
  CHECK(balls.ok() && balls->spheres.size() > 4);
}

TEST(public_space_refuses_wrong_options) {
  const Mesh mesh = window();
  CHECK(refuses(navigable_space(mesh, lengths(0), run()), "navigable_space: radius: must be a finite number above 0"));
  CHECK(refuses(navigable_space(mesh, lengths(9), run()), "radius: must be at most the mesh's diagonal"));
  CHECK(refuses(navigable_space(mesh, lengths(0.1, -1), run()), "tolerance: must be a finite number above 0"));
  CHECK(refuses(navigable_space(mesh, lengths(0.1, 1e-9), run()), "Give a larger tolerance"));
  SpaceOptions options = lengths();
  options.floor_tolerance = 1;
  CHECK(refuses(navigable_space(mesh, options, run()), "floor_tolerance: must be at most the tolerance"));
  options = lengths();
  options.up = {0, 0, 2};
  CHECK(refuses(navigable_space(mesh, options, run()), "up: must be a unit vector"));
  options = lengths();
  options.half_spaces = {{{0, 0, 0}, 1}};
  CHECK(refuses(navigable_space(mesh, options, run()), "half_spaces"));
  options = lengths();
  options.shapes = {Sphere{{0, 0, 0}, -1}};
  CHECK(refuses(navigable_space(mesh, options, run()), "shapes: number 0"));
  CHECK(!navigable_space(Mesh(), lengths(), run()).ok());
  CHECK(!overlap({}, {}, run()).ok());
}

TEST(public_carve_and_merge_refuse_wrong_options) {
  const Mesh mesh = window();
  CHECK(refuses(carve(mesh, {.space = lengths(), .max_vertices = 3}, run()), "carve: max_vertices"));
  CHECK(refuses(carve(mesh, {.space = lengths(), .effort = -1}, run()), "carve: effort"));
  CHECK(refuses(carve(mesh, {}, run()), "carve: radius"));
  CHECK(!carve(Mesh(), {.space = lengths()}, run()).ok());
  const std::vector<Shape> shapes{Sphere{{0, 0, 0}, 1}};
  CHECK(refuses(merge({}, {.tolerance = 1}, run()), "merge: shapes: there are none"));
  CHECK(refuses(merge(shapes, {}, run()), "merge: tolerance"));
  CHECK(refuses(merge(shapes, {.tolerance = 1, .max_vertices = 4}, run()), "merge: max_vertices"));
  CHECK(refuses(merge(shapes, {.tolerance = 1, .distance = -1}, run()), "merge: distance"));
}
