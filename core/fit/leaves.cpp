#include "leaves.hpp"

#include <algorithm>
#include <numeric>

#include "../geometry/eigen3.hpp"
#include "clusters.hpp"
#include "kernel.hpp"

namespace hitbox {

Moments joined(const Moments& a, const Moments& b) {
  if (!(a.area > 0)) return b;
  return b.area > 0 ? a + b : a;
}

Leaf joined(const MeshView& mesh, std::span<const Leaf* const> parts) {
  Leaf whole;
  whole.group = parts[0]->group;
  std::vector<uint32_t> kernel;
  for (const Leaf* part : parts) {
    whole.op = whole.op + part->op;
    whole.medial = joined(whole.medial, part->medial);
    whole.box.add(part->box);
    kernel.insert(kernel.end(), part->kernel.begin(), part->kernel.end());
  }
  std::sort(kernel.begin(), kernel.end());
  kernel.erase(std::unique(kernel.begin(), kernel.end()), kernel.end());
  whole.kernel = extreme_vertices(mesh.vertices, kernel);
  return whole;
}

LeafSet make_leaves(const MeshView& mesh, const Premerged& premerged, const MergeTree& tree, const Shaper& shaper,
                    const Surroundings* around, bool with_tangent, Run& run) {
  LeafSet set{std::vector<Leaf>(premerged.node_of_leaf.size()), premerged.edges, {}};
  const Partition partition = tree.partition_after(tree.merges.size());
  const ClusterMembers members(mesh, partition);
  // Leaves keep premerge's numbers, which need not be those of the partition.
  std::vector<uint32_t> leaf_face(tree.face_count + tree.merges.size());
  std::iota(leaf_face.begin(), leaf_face.end(), 0u);
  for (size_t k = 0; k < tree.merges.size(); ++k)
    leaf_face[tree.face_count + k] = leaf_face[tree.merges[k].a];
  run.for_each_block(set.leaves.size(), 16, [&](size_t first, size_t last, size_t) {
    Fitter fitter(shaper.model());
    for (size_t k = first; k < last; ++k) {
      Leaf& leaf = set.leaves[k];
      leaf.node = premerged.node_of_leaf[k];
      leaf.group = premerged.group_of_leaf.empty() ? 0 : premerged.group_of_leaf[k];
      const uint32_t member = partition.cluster_of_face[leaf_face[leaf.node]];
      leaf.op = sum_of_operators(mesh, members.faces(member));
      leaf.kernel = extreme_vertices(mesh.vertices, members.vertices(member));
      for (const uint32_t v : members.vertices(member)) leaf.box.add(mesh.vertices[v]);
      if (around != nullptr) leaf.medial = medial_moments(mesh, *around, members.faces(member));
      fitter.points.assign(mesh.vertices, leaf.kernel);
      const Frame frames[] = {eigen3(combined(leaf.op, with_tangent)).vectors};
      leaf.shape = shaper.quick(fitter, frames);
    }
  });
  return set;
}

}  // namespace hitbox
