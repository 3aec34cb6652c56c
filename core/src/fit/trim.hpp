// Clusters give away faces that lie in the shapes of others, and their own shapes shrink. Where shapes overlap, a face
// needs only one of them. No other step works on single faces: clusters consist of leaves, which are coarse, so shapes
// stick out.
//
// The worst cluster goes first, and others must contain the faces it gives away from then on. A cluster that gives away
// all faces is left empty, and its shape is not needed.
// Always holds: every face lies in the shape of its cluster if it did before, and no shape costs more than before.
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
  std::vector<bool> stays;          // per cluster: it neither gives nor takes faces
  std::span<const uint32_t> group;  // per cluster; empty: all the same. Faces stay in their group.
  // The face of each fragment, ascending; empty: faces are whole. The fragments of a face in one cluster stay together.
  std::span<const uint32_t> source_face;
  double low = 0;  // a reach that is always allowed
  // The best shape around the rest of a cluster.
  std::function<Fitted(uint32_t cluster, std::span<const uint32_t> faces, std::span<const uint32_t> vertices)> best;
};

// Changes clusters and their shapes. Returns which clusters have another shape, or none, now.
std::vector<bool> trim(const MeshView& mesh, Partition& partition, std::vector<Fitted>& shapes, const TrimRules& rules,
                       const Shaper& shaper, Run& run);

}  // namespace hitbox::internal::fit
