#include "mesh/adjacency.hpp"

#include "mesh/edges.hpp"

namespace hitbox::internal::mesh {

std::vector<FacePair> face_pairs(const MeshView& mesh, Run& run) {
  const std::vector<HalfEdge> edges = sorted_half_edges(mesh, run);
  std::vector<FacePair> pairs;
  pairs.reserve(edges.size() / 2);
  for_each_edge(edges, [&](std::span<const HalfEdge> uses) {
    for (size_t k = 1; k < uses.size(); ++k)
      if (uses[k].face() != uses[k - 1].face()) pairs.push_back({uses[k - 1].face(), uses[k].face()});
  });
  return pairs;
}

}  // namespace hitbox::internal::mesh
