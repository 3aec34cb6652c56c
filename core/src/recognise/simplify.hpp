// Finds the parts of a mesh that are simple shapes or a few boxes, before any merge. If hulls are allowed, it also
// finds convex parts of few corners.
#pragma once

#include <optional>

#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"
#include "primitives/candidates.hpp"

namespace hitbox::internal::recognise {

struct SimplePart {
  std::vector<uint32_t> faces;    // ascending; fragments if faces were cut
  Fitted shape;                   // around all faces; its cost is its plain volume, or the hull's
  std::optional<Hull> hull = {};  // the hull of a convex part; `shape` is then a box around it

  Shape final_shape() const { return hull ? Shape(*hull) : to_shape(shape); }
};

// The fragments of faces that lie in two boxes together. Each fragment lies in one box. Empty if no face is cut.
struct CutFaces {
  std::vector<Vec3> new_vertices;  // numbered after the vertices of the mesh
  std::vector<uint32_t> indices, offsets;
  std::vector<uint32_t> source;  // the face of each fragment, ascending

  bool empty() const { return source.empty(); }
};

struct Simplified {
  std::vector<SimplePart> parts;
  CutFaces cut;
};

// Parts are components that are connected through vertices and lie in one group, or, if such a component is not simple,
// the touching solids in it. The contents of a simple part belong to it. The mesh has unit diagonal. If faces must not
// be cut, parts that need cuts are not simple. Cost: well below a microsecond per face if no part is simple.
Simplified simplify(const MeshView& unit_mesh, const FitOptions& options, bool may_cut, Run& run);

}  // namespace hitbox::internal::recognise
