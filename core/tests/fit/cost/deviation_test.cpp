// Compares the reach of shapes with many random points of their surfaces.
#include "fit/cost/deviation.hpp"

#include "shapes/surface.hpp"
#include "tests/check.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::fit;

namespace {

Fitted random_fitted(Random& random, Kind kind) {
  Fitted fitted;
  fitted.kind = kind;
  fitted.frame = to_frame(tests::random_rotation(random));
  fitted.center = tests::random_point(random, 0.2);
  for (double& size : fitted.size) size = random.uniform(0.05, 0.3);
  return fitted;
}

double sampled_reach(const DistanceField& field, const Shape& shape, Random& random) {
  double largest = 0;
  for (const SurfacePatch& patch : surface_patches(shape))
    for (int k = 0; k < 2000; ++k) {
      const double u = random.uniform(), v = random.uniform();
      largest = std::max(largest, field.carefully_at(point_on(patch, u, v).point));
    }
  return largest;
}

}  // namespace

TEST(reach_is_what_many_points_say) {
  Random random(5);
  Run run(1);
  const Mesh mesh = tests::mesh_of(Box{{}, {}, {0.3, 0.25, 0.2}}, 12);
  const DistanceField open(mesh.view(), false, {}, 0, run), solid(mesh.view(), true, {}, 0, run);
  for (const Kind kind : {Kind::box, Kind::sphere, Kind::capsule, Kind::cylinder, Kind::frustum, Kind::prism}) {
    for (int k = 0; k < 30; ++k) {
      const DistanceField& field = k % 2 == 0 ? open : solid;
      const DeviationMeter meter(field, 2.5);
      const Fitted shape = random_fitted(random, kind);
      const double reach = meter.reach(shape), truth = sampled_reach(field, to_shape(shape), random);
      // No point is further than this from a line of the lattice, and distances are 1-Lipschitz.
      const double spacing = std::sqrt(area(to_shape(shape)) / (6 * 6 * 6));
      CHECK(reach >= truth - spacing);
      CHECK(reach <= truth + 0.05);  // random points seldom hit corners
      CHECK(reach >= meter(shape).largest - spacing);
    }
  }
}
