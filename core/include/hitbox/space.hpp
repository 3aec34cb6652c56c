// navigable_space: where a ball can go around a mesh.
//
// A ball can go wherever it comes from outside while it stays `tolerance` away from the mesh. Shapes that stay out of
// that space block no way that the ball can go. It ends about a radius and a tolerance beyond the mesh's
// bounding box.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "hitbox/half_space.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/result.hpp"
#include "hitbox/run.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox {

namespace internal::hulls {
class OpenSpace;
}

// Lengths are mesh units.
struct SpaceOptions {
  double radius = 0;           // of the smallest ball that must get through, above 0
  double tolerance = 0;        // how far from the mesh the ball stays, above 0
  double floor_tolerance = 0;  // the same above faces that face `up`, at most the tolerance; 0: the tolerance
  Vec3 up = {0, 0, 1};
  bool sealed = false;  // space that no ball reaches from outside counts too, except the inside of solids
  std::vector<Vec3> clear_points = {};  // the room around these points, less the tolerance, counts too
  // Blockers, which a ball may not enter although the mesh leaves room, such as solid ground.
  std::vector<HalfSpace> half_spaces = {};
  std::vector<Shape> shapes = {};
  // Signed distances of points, negative inside a blocker. It must be 1-Lipschitz: it changes by at most
  // the distance between two points.
  // It is called from all threads of a Run.
  std::function<void(std::span<const Vec3>, std::span<double>)> function = {};
};

struct NavigableSpace {
  std::vector<Sphere> spheres;  // along the boundary; those around `clear_points` come first
  double radius = 0, tolerance = 0;
  double step = 0;  // of the grid that found the spheres
  // Proves that a shape stays out of the whole space. Without it only the spheres are tested.
  std::shared_ptr<const internal::hulls::OpenSpace> proof;
};

// `mesh` may be a triangle soup, open or self-crossing. An Error if it is no mesh, an option makes no sense, or the
// tolerance needs too fine a grid.
Result<NavigableSpace> navigable_space(const MeshView& mesh, const SpaceOptions& options, Run& run);

// How far shapes enter a space.
struct Overlap {
  // Spheres of the space that shapes enter. A shape that enters none of them counts with up to 1,000 centres that the
  // proof found between them.
  size_t entered = 0;
  double deepest = 0;        // as a fraction of the ball's radius; 1 where a shape contains a centre
  bool is_proved = false;    // the whole space was tested, not only its spheres
  std::vector<bool> enters;  // one per shape
};

// An Error if a shape is invalid, or there is none.
Result<Overlap> overlap(const NavigableSpace& space, std::span<const Shape> shapes, Run& run);

}  // namespace hitbox
