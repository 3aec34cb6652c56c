// merge: fewer convex shapes in place of many.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hitbox/space.hpp"

namespace hitbox {

// Lengths are those of the shapes.
struct MergeOptions {
  double tolerance = 0;                      // thickness of the layer that a merge adds at most, above 0
  uint32_t count = 0;                        // of shapes; 0: as few as the space or the tolerance allows
  std::optional<NavigableSpace> space = {};  // merged shapes do not enter it; then the tolerance does not limit merges
  std::optional<double> distance = {};  // between shapes that merge, unless a count needs more; none: the tolerance
  uint32_t max_vertices = 0;            // of a hull, at least 8; 0: any
  // Merged hulls stay hulls. Otherwise a box, sphere, capsule or cylinder within the tolerance replaces them.
  bool hulls_only = false;
};

struct MergeResult {
  std::vector<Shape> shapes;
  std::vector<std::vector<uint32_t>> from;  // for each shape the numbers of the given shapes that it replaces
};

// Every given shape lies in a shape of the result. A shape that was not merged stays unchanged. No merged shape enters
// the space. An Error without shapes, or where an option makes no sense.
Result<MergeResult> merge(std::span<const Shape> shapes, const MergeOptions& options, Run& run);

}  // namespace hitbox
