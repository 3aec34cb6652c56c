#include "fit/tree/leaves.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "fit/shaping/kernel.hpp"
#include "fit/tree/nodes.hpp"
#include "geometry/eigen3.hpp"
#include "mesh/clusters.hpp"
#include "mesh/directions.hpp"

namespace hitbox::internal::fit {

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
  return std::abs(op.area() - rectangle) <= kEqual * rectangle && norm(op.facing) >= (1 - kEqual) * rectangle;
}

Fitted without_noise(Fitted shape, const FaceOperator& op, double thickness) {
  if (fills_nothing(shape, op, thickness)) shape.cost = shape.reach = 0;
  return shape;
}

namespace {

// The sides at the right angle give the orientation of half a rectangle, the longest side that of any other triangle.
Vec3 telling_edge(const MeshView& mesh, std::span<const uint32_t> face) {
  constexpr double kRight = 1e-3;  // a cosine
  Vec3 longest, right;
  for (size_t k = 0; k < face.size(); ++k) {
    const Vec3& corner = mesh.vertices[face[k]];
    const Vec3 to = mesh.vertices[face[(k + 1) % face.size()]] - corner;
    const Vec3 from = mesh.vertices[face[(k + face.size() - 1) % face.size()]] - corner;
    if (norm_sq(to) > norm_sq(longest)) longest = to;
    const double product = dot(to, from);
    if (product * product > kRight * kRight * norm_sq(to) * norm_sq(from)) continue;
    for (const Vec3& side : {to, from})
      if (norm_sq(side) > norm_sq(right)) right = side;
  }
  return norm_sq(right) > 0 ? right : longest;
}

}  // namespace

Frame edge_frame(const MeshView& mesh, std::span<const uint32_t> faces) {
  Vec3 normal;
  uint32_t largest = faces[0];
  for (const uint32_t f : faces) {
    const Vec3 own = area_vector(mesh.vertices, mesh.face(f));
    if (norm_sq(own) <= norm_sq(normal)) continue;
    normal = own;
    largest = f;
  }
  return frame_from(normal, telling_edge(mesh, mesh.face(largest)));
}

// The cost of a simple part. Inner sides between several boxes of one part are far from the mesh, but that does not
// count as deviation.
static Fitted priced(Fitted simple, const Shaper& shaper) {
  const Shape shape = to_shape(simple);
  simple.weight = shaper.model().weight(simple.kind);
  // the volume of the box that the hull does not fill
  const double not_filled = simple.weight * (volume(shape) - simple.volume);
  simple.volume *= simple.weight;
  simple.cost = shaper.meter() != nullptr ? 0 : shaper.model().cost(shape) - not_filled;
  return simple;
}

namespace {

class LeafMaker {
 public:
  LeafMaker(const MeshView& mesh, const MergeTree& tree, const Shaper& shaper, const Surroundings* around,
            bool with_tangent)
      : mesh_(mesh), shaper_(shaper), around_(around), with_tangent_(with_tangent) {
    for (const SimpleNode& part : tree.simple) simple_[part.node] = &part.shape;
  }

  Leaf make(uint32_t node, uint32_t group, std::span<const uint32_t> faces, std::span<const uint32_t> vertices,
            Fitter& fitter) const {
    Leaf leaf;
    leaf.node = node;
    leaf.group = group;
    leaf.op = sum_of_operators(mesh_, faces);
    leaf.edges = edge_frame(mesh_, faces);
    leaf.kernel = extreme_vertices(mesh_.vertices, vertices);
    for (const uint32_t v : vertices) leaf.box.add(mesh_.vertices[v]);
    leaf.is_simple = leaf.has_simple = simple_.contains(node);
    if (leaf.is_simple) {  // no medial centres, because it is not a limb
      leaf.shape = priced(*simple_.at(node), shaper_);
      return leaf;
    }
    if (around_ != nullptr) leaf.medial = medial_moments(mesh_, *around_, faces);
    fitter.points.assign(mesh_.vertices, leaf.kernel);
    const Frame frames[] = {eigen3(combined(leaf.op, with_tangent_)).vectors};
    leaf.shape = shaper_.quick(fitter, frames);
    if (shaper_.meter() != nullptr) leaf.shape = without_noise(leaf.shape, leaf.op, shaper_.model().thickness);
    return leaf;
  }

  const MeshView& mesh() const { return mesh_; }
  const Shaper& shaper() const { return shaper_; }

 private:
  const MeshView& mesh_;
  const Shaper& shaper_;
  const Surroundings* around_;
  bool with_tangent_;
  std::unordered_map<uint32_t, const Fitted*> simple_;  // by node
};

// Undoes the merges of leaves that reach far, the furthest first.
class Opener {
 public:
  Opener(const LeafMaker& maker, LeafSet set, MergeTree& tree, Run& run)
      : maker_(maker),
        set_(std::move(set)),
        tree_(tree),
        run_(run),
        fitter_(maker.shaper().model()),
        undone_(tree.merges.size()) {}

  LeafSet open(std::span<const FacePair> face_pairs) {
    constexpr size_t kMore = 8;  // at most one eighth more leaves
    const size_t most = set_.leaves.size() + set_.leaves.size() / kMore;
    const size_t before = set_.leaves.size();
    for (uint32_t k = 0; k < before; ++k) offer(k);
    while (!far_.empty() && set_.leaves.size() < most) {
      run_.poll();
      std::pop_heap(far_.begin(), far_.end());
      const uint32_t leaf = far_.back().second;
      far_.pop_back();
      halve(leaf);
    }
    if (set_.leaves.size() > before) {
      renumber();
      link(face_pairs);
    }
    return std::move(set_);
  }

 private:
  void offer(uint32_t k) {
    constexpr double kFar = 0.01;  // of the diagonal
    const Leaf& leaf = set_.leaves[k];
    if (leaf.is_simple || leaf.node < tree_.face_count || leaf.shape.reach <= kFar) return;
    far_.emplace_back(leaf.shape.reach, k);
    std::push_heap(far_.begin(), far_.end());
  }

  void halve(uint32_t leaf) {
    const uint32_t merge = set_.leaves[leaf].node - tree_.face_count;
    undone_[merge] = true;
    const uint32_t group = set_.leaves[leaf].group;
    set_.leaves[leaf] = leaf_of(tree_.merges[merge].a, group);
    set_.leaves.push_back(leaf_of(tree_.merges[merge].b, group));
    const auto other = static_cast<uint32_t>(set_.leaves.size() - 1);
    set_.edges.push_back({leaf, other});
    opened_.resize(set_.leaves.size());
    opened_[leaf] = opened_[other] = true;
    offer(leaf);
    offer(other);
  }

  Leaf leaf_of(uint32_t node, uint32_t group) {
    std::vector<uint32_t> faces, left = {node};
    while (!left.empty()) {
      const uint32_t next = left.back();
      left.pop_back();
      if (next < tree_.face_count) {
        faces.push_back(next);
      } else {
        left.push_back(tree_.merges[next - tree_.face_count].a);
        left.push_back(tree_.merges[next - tree_.face_count].b);
      }
    }
    std::sort(faces.begin(), faces.end());
    return maker_.make(node, group, faces, vertices_of(maker_.mesh(), faces), fitter_);
  }

  // The tree without the undone merges, which all lie above the kept ones.
  void renumber() {
    std::vector<uint32_t> number(tree_.face_count + tree_.merges.size());
    std::iota(number.begin(), number.begin() + tree_.face_count, 0u);
    uint32_t kept = 0;
    for (size_t k = 0; k < tree_.merges.size(); ++k) {
      if (undone_[k]) continue;
      Merge merge = tree_.merges[k];
      merge.a = number[merge.a];
      merge.b = number[merge.b];
      number[tree_.face_count + k] = tree_.face_count + kept;
      tree_.merges[kept++] = merge;
    }
    tree_.merges.resize(kept);
    for (SimpleNode& part : tree_.simple) part.node = number[part.node];
    for (Leaf& leaf : set_.leaves) leaf.node = number[leaf.node];
  }

  // Opened leaves are neighbours of leaves that share an edge of the mesh. Only leaves without such neighbours keep
  // their former edges, by which premerging linked them across a gap.
  void link(std::span<const FacePair> face_pairs) {
    const std::vector<FacePair> before = std::move(set_.edges);
    set_.edges.clear();
    const Partition partition = tree_.partition_after(tree_.merges.size());
    std::vector<uint32_t> leaf_of_cluster(partition.cluster_count);
    for (uint32_t k = 0; k < set_.leaves.size(); ++k)
      leaf_of_cluster[partition.cluster_of_face[tree_.first_face(set_.leaves[k].node)]] = k;
    for (const FacePair& pair : face_pairs) {
      const auto [a, b] = std::minmax(leaf_of_cluster[partition.cluster_of_face[pair.a]],
                                      leaf_of_cluster[partition.cluster_of_face[pair.b]]);
      if (a != b) set_.edges.push_back({a, b});
    }
    std::vector<bool> has_edge(set_.leaves.size());
    for (const FacePair& edge : set_.edges) has_edge[edge.a] = has_edge[edge.b] = true;
    opened_.resize(set_.leaves.size());
    for (const FacePair& edge : before) {
      const bool both_settled = has_edge[edge.a] && has_edge[edge.b];
      if (!both_settled || !(opened_[edge.a] || opened_[edge.b])) set_.edges.push_back(edge);
    }
    std::sort(set_.edges.begin(), set_.edges.end());
    set_.edges.erase(std::unique(set_.edges.begin(), set_.edges.end()), set_.edges.end());
  }

  const LeafMaker& maker_;
  LeafSet set_;
  MergeTree& tree_;
  Run& run_;
  Fitter fitter_;
  std::vector<bool> undone_;                      // per merge
  std::vector<bool> opened_;                      // per leaf: it was part of a larger leaf
  std::vector<std::pair<double, uint32_t>> far_;  // a heap: reach, leaf
};

}  // namespace

LeafSet make_leaves(const MeshView& mesh, const Premerged& premerged, std::span<const FacePair> face_pairs,
                    MergeTree& tree, const Shaper& shaper, const Surroundings* around, bool with_tangent, Run& run) {
  LeafSet set{std::vector<Leaf>(premerged.node_of_leaf.size()), premerged.edges, {}};
  const LeafMaker maker(mesh, tree, shaper, around, with_tangent);
  const Partition partition = tree.partition_after(tree.merges.size());
  const ClusterMembers members(mesh, partition);
  // Leaves keep the numbers of premerge, which may differ from those of the partition.
  run.for_each_block(set.leaves.size(), 16, [&](size_t first, size_t last, size_t) {
    Fitter fitter(shaper.model());
    for (size_t k = first; k < last; ++k) {
      const uint32_t node = premerged.node_of_leaf[k];
      const uint32_t member = partition.cluster_of_face[tree.first_face(node)];
      set.leaves[k] = maker.make(node, premerged.group_of_leaf.empty() ? 0 : premerged.group_of_leaf[k],
                                 members.faces(member), members.vertices(member), fitter);
    }
  });
  return Opener(maker, std::move(set), tree, run).open(face_pairs);
}

}  // namespace hitbox::internal::fit
