// Replaces many convex shapes by fewer (paper 4, section 5): hulls around neighbouring shapes, as long as no hull
// enters a space or adds more than a tolerance, or until a count is reached.
//
// Round shapes are represented by polytopes around them, which are too large by at most a twentieth of the tolerance.
// Shared volume counts once (Eq. 7 counts it twice): each shape counts the fraction of points inside it that no larger
// one contains.
//
// Always holds: every input shape lies in an output shape. A shape that was not merged stays unchanged.
#pragma once

#include <vector>

#include "base/rooms.hpp"
#include "hitbox/result.hpp"
#include "hitbox/run.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox::internal::merge {

struct MergeOptions {
  double tolerance = 0;         // a length, above 0
  double distance = 0;          // shapes whose boxes are further apart are merged only to reach a count
  size_t count = 0;             // merging ends here; 0: it continues as long as the space or the tolerance allows
  std::vector<Sphere> spheres;  // a space that hulls may not enter
  bool has_space = false;       // then the space is the limit, else the tolerance, unless there is a count
  uint32_t most_vertices = 0;   // cap on the vertices of a hull; 0: no cap
  bool simplifies =
      true;  // a merged hull becomes a box, sphere, capsule or cylinder that is within the tolerance of it
};

struct MergedShapes {
  std::vector<Shape> shapes;
  std::vector<std::vector<uint32_t>> from;  // for each shape the numbers of the input shapes that it replaces
};

// Takes at least one shape, all finite.
Result<MergedShapes> merge_shapes(std::span<const Shape> shapes, const MergeOptions& options, Run& run);

}  // namespace hitbox::internal::merge
