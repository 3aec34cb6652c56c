#include "leaves.hpp"

#include <algorithm>
#include <cmath>
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
  whole.edges = (*std::max_element(parts.begin(), parts.end(), [](const Leaf* a, const Leaf* b) {
                  return a->op.area() < b->op.area();
                }))->edges;
  std::vector<uint32_t> kernel;
  for (const Leaf* part : parts) {
    whole.op = whole.op + part->op;
    whole.medial = joined(whole.medial, part->medial);
    whole.box.add(part->box);
    whole.has_simple = whole.has_simple || part->has_simple;
    kernel.insert(kernel.end(), part->kernel.begin(), part->kernel.end());
  }
  std::sort(kernel.begin(), kernel.end());
  kernel.erase(std::unique(kernel.begin(), kernel.end()), kernel.end());
  whole.kernel = extreme_vertices(mesh.vertices, kernel);
  return whole;
}

bool fills_nothing(const Fitted& shape, const FaceOperator& op, double thickness) {
  const auto [x, y, z, unused] = shape.size;
  const double flattest = std::min({x, y, z});
  if (shape.kind != Kind::box || flattest > thickness) return false;
  const double rectangle = 4 * x * y * z / flattest;
  constexpr double kEqual = 1e-6;
  return std::abs(op.area() - rectangle) <= kEqual * rectangle &&
         norm(op.facing) >= (1 - kEqual) * rectangle;
}

static Frame edge_frame(const MeshView& mesh, std::span<const uint32_t> faces) {
  Vec3 normal, edge;
  for (const uint32_t f : faces) {
    const auto face = mesh.face(f);
    const auto corner = [&](size_t k) -> const Vec3& { return mesh.vertices[face[k % face.size()]]; };
    Vec3 own_normal, own_edge;
    for (size_t k = 0; k < face.size(); ++k) {
      own_normal += cross(corner(k) - corner(0), corner(k + 1) - corner(0));
      if (const Vec3 along = corner(k + 1) - corner(k); norm_sq(along) > norm_sq(own_edge)) own_edge = along;
    }
    if (norm_sq(own_normal) <= norm_sq(normal)) continue;
    normal = own_normal;
    edge = own_edge;
  }
  return frame_from(normal, edge);
}

// With what it costs here. It is the part: the sides that several boxes of one part turn to each other
// are far from the mesh, but that is not what a deviation is.
static Fitted priced(Fitted simple, const Shaper& shaper) {
  const Shape shape = to_shape(simple);
  simple.weight = shaper.model().weight(simple.kind);
  simple.volume = simple.weight * volume(shape);
  simple.cost = shaper.meter() != nullptr ? 0 : shaper.model().cost(shape);
  return simple;
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
  std::vector<const Fitted*> simple(leaf_face.size(), nullptr);
  for (const SimpleNode& part : tree.simple) simple[part.node] = &part.shape;
  run.for_each_block(set.leaves.size(), 16, [&](size_t first, size_t last, size_t) {
    Fitter fitter(shaper.model());
    for (size_t k = first; k < last; ++k) {
      Leaf& leaf = set.leaves[k];
      leaf.node = premerged.node_of_leaf[k];
      leaf.group = premerged.group_of_leaf.empty() ? 0 : premerged.group_of_leaf[k];
      const uint32_t member = partition.cluster_of_face[leaf_face[leaf.node]];
      leaf.op = sum_of_operators(mesh, members.faces(member));
      leaf.edges = edge_frame(mesh, members.faces(member));
      leaf.kernel = extreme_vertices(mesh.vertices, members.vertices(member));
      for (const uint32_t v : members.vertices(member)) leaf.box.add(mesh.vertices[v]);
      leaf.has_simple = simple[leaf.node] != nullptr;
      if (leaf.has_simple) {  // no medial centres: it is no limb of anything
        leaf.shape = priced(*simple[leaf.node], shaper);
        continue;
      }
      if (around != nullptr) leaf.medial = medial_moments(mesh, *around, members.faces(member));
      fitter.points.assign(mesh.vertices, leaf.kernel);
      const Frame frames[] = {eigen3(combined(leaf.op, with_tangent)).vectors};
      leaf.shape = shaper.quick(fitter, frames);
    }
  });
  return set;
}

}  // namespace hitbox
