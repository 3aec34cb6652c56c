// carve: convex hulls around a mesh that keep open every way that a ball can go.
#pragma once

#include <cstdint>
#include <vector>

#include "hitbox/space.hpp"

namespace hitbox {

struct CarveOptions {
  SpaceOptions space = {};     // what stays open
  uint32_t count = 0;          // of hulls, at most; 0: any. If it is too low, hulls enter the space
  uint32_t max_vertices = 0;   // of a hull, at least 8; 0: any
  double effort = 0;           // search steps per hull, for fewer hulls
  uint32_t concave_edges = 4;  // concave edges through which each cut tries planes
  uint64_t seed = 0;           // of the search
  bool hulls_only = false;     // a mesh that is a box, ball, capsule or cylinder becomes a hull, not that shape
};

struct CarveResult {
  std::vector<Shape> shapes;                 // hulls, or one simple shape
  std::vector<std::vector<uint32_t>> faces;  // for each shape the faces that lie in it, at least partly
  bool is_proved = false;                    // no shape enters the space
  bool is_capped = true;                     // no hull exceeds `max_vertices`
  // For each shape how deep it enters a sphere of the space, as a fraction of the radius; empty if proved.
  std::vector<double> depths;
  NavigableSpace space;  // what stays open
};

// Every face lies in the union of the shapes. No shape enters the space, unless `count` forces it to. An Error if
// the mesh is not one, an option makes no sense, or the tolerance needs too fine a grid.
Result<CarveResult> carve(const MeshView& mesh, const CarveOptions& options, Run& run);

}  // namespace hitbox
