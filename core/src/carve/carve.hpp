// Convex hulls around a mesh that leave every space open where a ball can go (paper 4).
//
// The mesh is cut until no piece enters the space. Pieces are merged, and parts are dissolved into their neighbours, as
// long as no hull enters the space. Then the result is proved. A centre that the grid missed becomes a sphere, and the
// parts around it are cut and merged again.
//
// Always holds: every face lies in the union of the hulls. No hull enters the space, unless a count forces it to; the
// result then says so. Every hull lies in the convex hull of the mesh, except for the thickness of flat parts, 1 % of
// the tolerance, and for capped hulls, 30 % of it. A mesh that is a box, ball, capsule or cylinder becomes that shape
// around it. Cost: near linear in the faces; 1-3 s for a scan at a tolerance of 1 %.
#pragma once

#include "hitbox/shapes.hpp"
#include "space/space.hpp"

namespace hitbox::internal::carve {

struct CarveOptions {
  SpaceOptions space;
  int concave_edges = 4;       // edges that get candidate planes, per cut
  uint32_t most_vertices = 0;  // of a hull; 0: any
  size_t most_parts = 0;       // 0: any; with too few parts some enter the space
  double effort = 0;           // search steps per part, for fewer parts
  uint64_t seed = 0;
  bool simplifies = true;  // a mesh that is a simple shape becomes that shape, not a hull
};

struct Carved {
  std::vector<Shape> shapes;                 // hulls, or one simple shape
  std::vector<std::vector<uint32_t>> faces;  // for each shape the faces that lie in it, at least partly
  bool is_proved = false;                    // no hull enters the space
  bool is_capped = true;                     // no hull exceeds the cap on vertices
  std::vector<double>
      depths;  // for each shape how deep it enters a sphere of the space, as a fraction of the radius; empty if proved
};

Result<Carved> carve(const MeshView& mesh, const CarveOptions& options, Run& run);

}  // namespace hitbox::internal::carve
