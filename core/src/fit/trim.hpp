// Clusters give away the faces that lie in the shapes of others, and their own shapes shrink: where shapes overlap
// a face needs only one of them. No other step works on single faces; the leaves that clusters are made of are
// coarse, and shapes stick out by as much.
//
// The worst cluster goes first, and what it gives away the others hold from then on. A cluster that gives away all
// is left without faces, and its shape is not needed.
// Always holds: every face lies in the shape of its cluster, if it did before; no shape costs more than before.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "fit/shaping/shaper.hpp"
#include "fit/tree/tree.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::fit {

struct TrimRules {
  std::vector<bool> stays;          // a cluster: it neither gives nor takes
  std::span<const uint32_t> group;  // of each cluster; empty: all the same. Faces stay in theirs.
  // The face that each fragment is of, ascending; empty: faces are whole. What a cluster has of one stays together.
  std::span<const uint32_t> source_face;
  double low = 0;  // how far a shape may reach, whatever it did before
  // The best shape around what is left of a cluster.
  std::function<Fitted(uint32_t cluster, std::span<const uint32_t> faces, std::span<const uint32_t> vertices)> best;
};

// Changes clusters and the shapes around them; tells which have another shape, or none, now.
std::vector<bool> trim(const MeshView& mesh, Partition& partition, std::vector<Fitted>& shapes, const TrimRules& rules,
                       const Shaper& shaper, Run& run);

}  // namespace hitbox::internal::fit
