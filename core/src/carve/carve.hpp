// Convex hulls around a mesh that leave every space open where a ball can go (paper 4).
//
// The mesh is cut until no piece enters the space, pieces are merged, and parts given away to their neighbours while
// that is still so. Then it is proved; where the proof finds a centre that the grid had missed, it joins the spheres,
// and the parts around it are cut and merged anew.
//
// Always holds: every face lies in the union of the hulls; no hull enters the space (unless a count forces it to, and
// then the result says so); every hull lies in the convex hull of the mesh, but for the thickness of flat parts, 1 % of
// the tolerance, and for capped ones, 30 % of it. A mesh that is a box, ball, capsule or cylinder is that shape, around
// it. Cost: near linear in the faces; 1-3 s for a scan at a tolerance of 1 %.
#pragma once

#include "hitbox/shapes.hpp"
#include "space/space.hpp"

namespace hitbox::internal::carve {

struct CarveOptions {
  SpaceOptions space;
  int concave_edges = 4;       // that planes are laid through, for each cut
  uint32_t most_vertices = 0;  // of a hull; 0: any
  size_t most_parts = 0;       // 0: any. Fewer than keep the space open enter it
  double effort = 0;           // search steps a part, for fewer parts
  uint64_t seed = 0;
  bool simplifies = true;  // a mesh that is a simple shape is that shape, and no hull
};

struct Carved {
  std::vector<Shape> shapes;                 // hulls; one simple shape where the mesh is that
  std::vector<std::vector<uint32_t>> faces;  // of each: those that lie in it, or partly
  bool is_proved = false;                    // that no hull enters the space
  bool is_capped = true;                     // no hull has more vertices than it may
  std::vector<double>
      depths;  // of each: how far it enters a sphere of the space, as a share of its radius; none: proved
};

Result<Carved> carve(const MeshView& mesh, const CarveOptions& options, Run& run);

}  // namespace hitbox::internal::carve
