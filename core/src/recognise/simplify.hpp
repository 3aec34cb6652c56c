// Before anything is merged: the parts of a mesh that are simple shapes, or a few boxes, as they are. Where hulls
// are allowed, convex parts of few corners too.
#pragma once

#include <optional>

#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"
#include "primitives/candidates.hpp"

namespace hitbox::internal::recognise {

struct SimplePart {
  std::vector<uint32_t> faces;    // ascending; fragments where faces are cut
  Fitted shape;                   // around all of them; its cost is its plain volume, or the hull's
  std::optional<Hull> hull = {};  // what they become, where they are convex; `shape` is then a box around it

  Shape final_shape() const { return hull ? Shape(*hull) : to_shape(shape); }
};

// Where a face lies in two boxes together, it is cut: each fragment then lies in one of them.
// Empty if no face is cut.
struct CutFaces {
  std::vector<Vec3> new_vertices;  // numbered after those of the mesh
  std::vector<uint32_t> indices, offsets;
  std::vector<uint32_t> source;  // the face that each fragment is of; ascending

  bool empty() const { return source.empty(); }
};

struct Simplified {
  std::vector<SimplePart> parts;
  CutFaces cut;
};

// Parts are what hangs together through vertices, and lies in one group; where that is nothing simple, the solids
// that touch in it. What lies inside a simple part goes with it, whatever it is. The mesh has unit diagonal. Where no
// face may be cut, parts that need it are not simple. Costs well below a microsecond a face where nothing is simple.
Simplified simplify(const MeshView& unit_mesh, const FitOptions& options, bool may_cut, Run& run);

}  // namespace hitbox::internal::recognise
