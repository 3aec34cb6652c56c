#include "measure/mesh_moments.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include "bvh/bvh.hpp"
#include "measure/inside.hpp"
#include "mesh/clean.hpp"
#include "mesh/components.hpp"
#include "mesh/triangulate.hpp"

namespace hitbox::internal::measure {

namespace {

using Corners = std::array<Vec3, 3>;

constexpr double kSpeck = 1e-9;  // of the volume

// The closed surfaces that a mesh is made of, in the order of their first faces.
class Shells {
 public:
  Shells(const MeshView& mesh, Run& run) {
    const mesh::CleanedMesh cleaned = mesh::clean(mesh, {}, "", run).value();
    const MeshView welded{cleaned.vertices, cleaned.indices, mesh.offsets};
    const mesh::Components solids = mesh::solids_of(welded, run);
    const std::vector<Triangle> triangles = mesh::triangles_of(welded, run);
    std::vector<size_t> next(solids.count + 1);
    for (size_t f = 0; f < welded.face_count(); ++f) next[solids.of_face[f] + 1] += welded.face(f).size() - 2;
    std::partial_sum(next.begin(), next.end(), next.begin());
    starts_ = next;
    corners_.resize(triangles.size());
    for (size_t f = 0, t = 0; f < welded.face_count(); ++f)
      for (size_t k = welded.face(f).size() - 2; k > 0; --k, ++t) {
        const auto& [a, b, c] = triangles[t];
        corners_[next[solids.of_face[f]]++] = {welded.vertices[a], welded.vertices[b], welded.vertices[c]};
      }
    for (size_t k = 0; k < size(); ++k) {
      boxes_.emplace_back();
      for (const Corners& triangle : shell(k))
        for (const Vec3& corner : triangle) boxes_.back().add(corner);
    }
  }

  // Each shell is seen from the middle of its own box: seen from afar, a small one would be lost in rounding.
  Moments moments() const {
    Bounds whole;
    for (const Bounds& box : boxes_) whole.add(box);
    const Vec3 origin = whole.center();
    std::vector<MomentsPart> parts;
    for (size_t k = 0; k < size(); ++k) {
      const Vec3 middle = boxes_[k].center();
      parts.push_back(sum_over(k, middle));
      parts.back().at = middle - origin;
    }
    return joined(parts, origin);
  }

  // Whether those whose boxes overlap lie in each other, and are material and cavity in turn.
  bool are_nested(Run& run) const {
    if (size() == 1) return true;
    std::vector<double> volumes;
    for (size_t k = 0; k < size(); ++k) volumes.push_back(sum_over(k, shell(k)[0][0]).volume);
    double total = 0;
    for (const double volume : volumes) total += std::abs(volume);
    std::vector<size_t> order;  // along x; where two begin together the larger is first: none is held by one after it
    for (size_t k = 0; k < size(); ++k)
      if (std::abs(volumes[k]) > kSpeck * total) order.push_back(k);
    const auto girth = [&](size_t k) { return dot(boxes_[k].size(), {1, 1, 1}); };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return boxes_[a].low.x != boxes_[b].low.x ? boxes_[a].low.x < boxes_[b].low.x : girth(a) > girth(b);
    });
    std::vector<bool> is_cavity(size());  // by how many shells hold it
    for (size_t k = 0; k < order.size(); ++k) {
      run.poll();
      std::vector<size_t> inner;
      for (size_t j = k + 1; j < order.size() && boxes_[order[j]].low.x < boxes_[order[k]].high.x; ++j)
        if (overlap(boxes_[order[k]], boxes_[order[j]])) inner.push_back(order[j]);
      if (!inner.empty() && !holds_all(order[k], inner, run)) return false;
      for (const size_t held : inner) is_cavity[held] = !is_cavity[held];
    }
    return std::all_of(order.begin(), order.end(), [&](size_t k) { return (volumes[k] < 0) == is_cavity[k]; });
  }

 private:
  size_t size() const { return starts_.size() - 1; }
  std::span<const Corners> shell(size_t k) const {
    return std::span(corners_).subspan(starts_[k], starts_[k + 1] - starts_[k]);
  }

  // In blocks, so that sums of millions lose no digits. Seen from `middle`.
  MomentsPart sum_over(size_t k, const Vec3& middle) const {
    constexpr size_t kBlock = 256;
    const auto triangles = shell(k);
    MomentsPart sum;
    for (size_t first = 0; first < triangles.size(); first += kBlock) {
      MomentsPart of_block;
      for (const auto& [a, b, c] : triangles.subspan(first, std::min(kBlock, triangles.size() - first)))
        of_block = of_block + tetrahedron_part({a - middle, b - middle, c - middle});
      sum = sum + of_block;
    }
    return sum;
  }

  static bool overlap(const Bounds& a, const Bounds& b) {
    return a.low.x < b.high.x && b.low.x < a.high.x && a.low.y < b.high.y && b.low.y < a.high.y && a.low.z < b.high.z &&
           b.low.z < a.high.z;
  }

  bool holds_all(size_t outer, std::span<const size_t> inner, Run& run) const {
    for (const size_t k : inner)
      if (!boxes_[outer].contains(boxes_[k].low) || !boxes_[outer].contains(boxes_[k].high)) return false;
    std::vector<Vec3> vertices;
    std::vector<Triangle> triangles;
    for (const Corners& corners : shell(outer)) {
      const auto first = static_cast<uint32_t>(vertices.size());
      vertices.insert(vertices.end(), corners.begin(), corners.end());
      triangles.push_back({first, first + 1, first + 2});
    }
    const bvh::TriangleBvh surface(vertices, triangles, run);
    const Solid solid(surface);
    return std::all_of(inner.begin(), inner.end(), [&](size_t k) {
      run.poll();
      return std::all_of(shell(k).begin(), shell(k).end(), [&](const Corners& corners) {
        const auto& [a, b, c] = corners;
        return solid.contains(a) && solid.contains(b) && solid.contains(c) && solid.contains((a + b + c) / 3);
      });
    });
  }

  std::vector<Corners> corners_;
  std::vector<size_t> starts_;  // the first triangle of each shell, and the end
  std::vector<Bounds> boxes_;
};

}  // namespace

VolumeFault volume_fault(const MeshView& mesh, Run& run) {
  if (!is_closed_solid(mesh, run)) return VolumeFault::open;
  return Shells(mesh, run).are_nested(run) ? VolumeFault::none : VolumeFault::overlapping;
}

Moments mesh_moments(const MeshView& mesh, Run& run) { return Shells(mesh, run).moments(); }

}  // namespace hitbox::internal::measure
