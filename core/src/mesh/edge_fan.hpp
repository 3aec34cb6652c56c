// The faces at one edge, sorted around it by exact predicates.
//
// A face leaves its edge in a half-plane that the edge bounds. The half-plane is given by the edge and by one corner of
// the face, its apex: the corner that is farthest from the edge on the side where the face is. Faces in one half-plane
// are ties: they are coplanar and on the same side of the edge.
//
// Exact for tolerance 0 where coordinates are within the range of geometry/predicates. Cost: O(k log k) for k faces.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "mesh/edges.hpp"

namespace hitbox::internal::mesh {

struct EdgeFan {
  struct Blade {
    uint32_t use;         // place of the face's half-edge among the uses
    uint32_t apex;        // a vertex
    uint32_t half_plane;  // equal for ties; counted from 0 on
  };
  // Counter-clockwise seen from `high`, looking at `low`: turning from one blade to the next is a right-handed turn
  // about low -> high. The first blade follows the widest gap, the first of equal ones from the first face on. Ties are
  // in the order of the uses.
  std::vector<Blade> blades;
  uint32_t half_planes = 0;
  std::vector<uint32_t> flat;  // uses whose face has no area at this edge, so no half-plane
};

// `uses` are those of one edge, as for_each_edge gives them. Half-planes less than `same_angle` (radians, below pi)
// apart from the first one of a tie join it.
EdgeFan edge_fan(const MeshView& mesh, std::span<const HalfEdge> uses, double same_angle = 0);

// The surface goes on from one face to the other. On the `front` the two see the same wedge of space, that to which
// their normals point; on the `back` they bound the same wedge of material.
enum class Side : uint8_t { front, back };
struct PairedUses {
  std::vector<std::pair<uint32_t, uint32_t>> pairs;  // the face that comes first counter-clockwise, then the other one
  std::vector<uint32_t> single;                      // ascending; flat ones too
};

// Pairs faces that are neighbours around the edge and turn the same side to the wedge between them. Faces of one
// half-plane bound no wedge with each other. Which of them comes first follows from the faces around them: void and
// material alternate. Where nothing tells, because as many run up as down in each half-plane, the front takes them for
// sheets of two sides in a void, and the back for solids that touch.
PairedUses paired_uses(const EdgeFan& fan, std::span<const HalfEdge> uses, Side side);

}  // namespace hitbox::internal::mesh
