// Fewer convex shapes in place of many (paper 4, section 5): hulls around shapes that lie together, as long as no hull
// enters a space, or adds more than a tolerance, or until a count is reached.
//
// Round shapes take part as polytopes around them, by a twentieth of the tolerance too large at most. Where shapes
// overlap, what they share counts once (Eq. 7 counts it twice): each shape counts the share of points inside it that no
// larger one holds.
//
// Always holds: every shape given lies in one that comes out; one that was not merged comes out as it was.
#pragma once

#include <vector>

#include "base/rooms.hpp"
#include "hitbox/result.hpp"
#include "hitbox/run.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox::internal::merge {

struct MergeOptions {
  double tolerance = 0;         // a length, above 0
  double distance = 0;          // shapes whose boxes are further apart are not merged, unless a count asks for it
  size_t count = 0;             // merges end here; 0: they go on as long as the space or the tolerance lets them
  std::vector<Sphere> spheres;  // a space that hulls may not enter
  bool has_space = false;       // then it is the limit, else the tolerance is, unless there is a count
  uint32_t most_vertices = 0;   // of a hull; 0: any
  bool simplifies =
      true;  // a merged hull becomes a box, sphere, capsule or cylinder that is within the tolerance of it
};

struct MergedShapes {
  std::vector<Shape> shapes;
  std::vector<std::vector<uint32_t>> from;  // of each: the numbers of the shapes that it stands for
};

// At least one shape, all finite.
Result<MergedShapes> merge_shapes(std::span<const Shape> shapes, const MergeOptions& options, Run& run);

}  // namespace hitbox::internal::merge
