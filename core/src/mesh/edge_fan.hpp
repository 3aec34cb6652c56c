// Sorts the faces of one edge around it by exact predicates.
//
// A face leaves its edge in a half-plane that the edge bounds. The edge and one corner of the face, its apex, define
// the half-plane: the corner that is farthest from the edge on the side of the face. Faces in one half-plane are ties:
// they are coplanar and on the same side of the edge.
//
// Exact for tolerance 0 if coordinates are within the range of geometry/predicates. Cost: O(k log k) for k faces.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mesh/edges.hpp"

namespace hitbox::internal::mesh {

struct EdgeFan {
  struct Blade {
    uint32_t use;         // index of the face's half-edge among the uses
    uint32_t apex;        // a vertex
    uint32_t half_plane;  // equal for ties; counted from 0
  };
  // Counter-clockwise as seen from `high` towards `low`: the rotation from one blade to the next is right-handed about
  // low -> high. The first blade follows the widest gap, or the first of equal gaps counted from the first face. Ties
  // are in the order of the uses.
  std::vector<Blade> blades;
  uint32_t half_planes = 0;
  std::vector<uint32_t> flat;  // uses whose face has no area at this edge, and so no half-plane
};

// `uses` are those of one edge, from for_each_edge. Half-planes less than `same_angle` (radians, below pi) from the
// first one of a tie join it.
EdgeFan edge_fan(const MeshView& mesh, std::span<const HalfEdge> uses, double same_angle = 0);

// The side on which the surface continues from one face to the other. On the `front` both see the same wedge of space,
// that to which their normals point. On the `back` they bound the same wedge of material.
enum class Side : uint8_t { front, back };
struct PairedUses {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;  // the first face counter-clockwise, then the other one
  std::vector<uint32_t> single;                      // ascending, including flat ones
};

// Pairs faces that are neighbours around the edge and turn the same side to the wedge between them. Faces of one
// half-plane bound no wedge with each other. The faces around them determine their order, because void and material
// alternate. If this is ambiguous, because in each half-plane as many faces traverse the edge upward as downward, the
// front takes them for two-sided sheets in a void, and the back for touching solids.
PairedUses paired_uses(const EdgeFan& fan, std::span<const HalfEdge> uses, Side side);

}  // namespace hitbox::internal::mesh
