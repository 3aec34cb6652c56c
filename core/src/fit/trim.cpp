#include "fit/trim.hpp"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "bvh/bvh.hpp"
#include "fit/tree/nodes.hpp"
#include "mesh/clusters.hpp"

namespace hitbox::internal::fit {

namespace {

constexpr uint32_t kNobody = UINT32_MAX;
constexpr double kOnTheSide = 1e-7;   // fraction of the diagonal: a deeper vertex does not limit the shape
constexpr double kWorthwhile = 1e-3;  // of a cost

class Trimmer {
 public:
  Trimmer(const MeshView& mesh, Partition& partition, std::vector<Fitted>& shapes, const TrimRules& rules,
          const Shaper& shaper, Run& run)
      : mesh_(mesh),
        partition_(partition),
        fitted_(shapes),
        rules_(rules),
        shaper_(shaper),
        run_(run),
        fitter_(shaper.model()),
        faces_(shapes.size()),
        changed_(shapes.size()),
        place_(mesh.vertices.size()) {
    const ClusterMembers members(mesh, partition);
    for (size_t c = 0; c < shapes.size(); ++c) {
      faces_[c].assign(members.faces(c).begin(), members.faces(c).end());
      shapes_.push_back(to_shape(shapes[c]));
    }
  }

  std::vector<bool> trim() {
    std::vector<Bounds> boxes;
    for (const Shape& shape : shapes_) boxes.push_back(bounds(shape));
    const BoxBvh tree(boxes, run_);  // the initial boxes, because shapes usually shrink
    std::vector<uint32_t> order(fitted_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return fitted_[a].cost > fitted_[b].cost; });
    for (const uint32_t cluster : order) {
      run_.poll();
      if (!rules_.stays[cluster] && !faces_[cluster].empty() && fitted_[cluster].reach > 0) trim(cluster, tree);
    }
    return std::move(changed_);
  }

 private:
  void trim(uint32_t cluster, const BoxBvh& tree) {
    look_at(cluster);
    const std::vector<uint32_t> receivers = find_receivers(cluster, tree);
    std::vector<uint32_t> kept;
    for (size_t k = 0; k < receivers.size(); ++k)
      if (receivers[k] == kNobody) kept.push_back(faces_[cluster][k]);
    if (kept.size() == receivers.size()) return;
    if (!kept.empty()) {
      if (all_held_up_by(kept, cluster)) return;
      const Fitted& now = fitted_[cluster];
      const double most = (1 - kWorthwhile) * now.cost;
      const Fitted smaller = around(cluster, kept, most);
      if (smaller.refused || smaller.cost >= most) return;
      if (const double reach = shaper_.reach(smaller); reach > rules_.low && reach > shaper_.reach(now)) return;
      fitted_[cluster] = smaller;
      shapes_[cluster] = to_shape(smaller);
    }
    give(cluster, receivers, std::move(kept));
  }

  // The same shape made smaller, and if that costs less than `most`, the best shape.
  Fitted around(uint32_t cluster, std::span<const uint32_t> faces, double most) {
    const std::vector<uint32_t> vertices = vertices_of(mesh_, faces);
    fitter_.points.assign(mesh_.vertices, vertices);
    Fitted same = fitter_.refit(fitted_[cluster]);
    shaper_.price(same, most);
    if (same.refused || same.cost >= most) return same;
    const Fitted best = rules_.best(cluster, faces, vertices);
    return best.refused || same.cost < best.cost ? same : best;
  }

  void look_at(uint32_t cluster) {
    vertices_.clear();
    points_.clear();
    box_ = {};
    for (const uint32_t face : faces_[cluster]) {
      for (const uint32_t v : mesh_.face(face)) {
        if (place_[v] < vertices_.size() && vertices_[place_[v]] == v) continue;
        place_[v] = static_cast<uint32_t>(vertices_.size());
        vertices_.push_back(v);
        points_.push_back(mesh_.vertices[v]);
        box_.add(points_.back());
      }
    }
    distance_.resize(points_.size());
  }

  // For each face the first other cluster whose shape contains it. Shapes are convex, so corners are enough.
  std::vector<uint32_t> find_receivers(uint32_t cluster, const BoxBvh& tree) {
    std::vector<uint32_t> near;
    tree.overlaps(box_, [&](uint32_t other) {
      if (other != cluster && may_take(other, cluster)) near.push_back(other);
    });
    std::sort(near.begin(), near.end());
    const std::vector<uint32_t>& faces = faces_[cluster];
    std::vector<uint32_t> receivers(faces.size(), kNobody);
    for (const uint32_t other : near) {
      run_.poll();
      signed_distance(shapes_[other], points_, distance_);
      for (size_t k = 0; k < faces.size(); ++k) {
        if (receivers[k] != kNobody) continue;
        const auto corners = mesh_.face(faces[k]);
        if (std::all_of(corners.begin(), corners.end(), [&](uint32_t v) { return distance_[place_[v]] <= 0; }))
          receivers[k] = other;
      }
    }
    if (!rules_.source_face.empty()) keep_together(faces, receivers);
    return receivers;
  }

  // A face in one shape must not end up in two, so all its fragments go to one receiver, or stay.
  void keep_together(std::span<const uint32_t> faces, std::span<uint32_t> receivers) const {
    std::unordered_map<uint32_t, uint32_t> receiver_of;
    for (size_t k = 0; k < faces.size(); ++k) {
      const auto [known, is_new] = receiver_of.emplace(rules_.source_face[faces[k]], receivers[k]);
      if (!is_new && known->second != receivers[k]) known->second = kNobody;
    }
    for (size_t k = 0; k < faces.size(); ++k) receivers[k] = receiver_of[rules_.source_face[faces[k]]];
  }

  bool may_take(uint32_t other, uint32_t from) const {
    return !rules_.stays[other] && !faces_[other].empty() &&
           (rules_.group.empty() || rules_.group[other] == rules_.group[from]);
  }

  // Whether all vertices on the shape's sides belong to these faces; then giving away others cannot shrink it.
  bool all_held_up_by(std::span<const uint32_t> faces, uint32_t cluster) {
    signed_distance(shapes_[cluster], points_, distance_);
    for (const uint32_t face : faces)
      for (const uint32_t v : mesh_.face(face)) distance_[place_[v]] = -Bounds::kInfinity;
    return std::all_of(distance_.begin(), distance_.end(), [](double d) { return d <= -kOnTheSide; });
  }

  void give(uint32_t cluster, std::span<const uint32_t> receivers, std::vector<uint32_t> kept) {
    for (size_t k = 0; k < receivers.size(); ++k) {
      if (receivers[k] == kNobody) continue;
      const uint32_t face = faces_[cluster][k];
      faces_[receivers[k]].push_back(face);
      partition_.cluster_of_face[face] = receivers[k];
    }
    faces_[cluster] = std::move(kept);
    changed_[cluster] = true;
  }

  const MeshView& mesh_;
  Partition& partition_;
  std::vector<Fitted>& fitted_;
  const TrimRules& rules_;
  const Shaper& shaper_;
  Run& run_;
  Fitter fitter_;
  std::vector<std::vector<uint32_t>> faces_;  // per cluster
  std::vector<Shape> shapes_;
  std::vector<bool> changed_;
  // Data of the current cluster
  std::vector<uint32_t> vertices_, place_;  // without repetitions; the position of each vertex of the mesh
  std::vector<Vec3> points_;
  std::vector<double> distance_;
  Bounds box_;
};

}  // namespace

std::vector<bool> trim(const MeshView& mesh, Partition& partition, std::vector<Fitted>& shapes, const TrimRules& rules,
                       const Shaper& shaper, Run& run) {
  return Trimmer(mesh, partition, shapes, rules, shaper, run).trim();
}

}  // namespace hitbox::internal::fit
