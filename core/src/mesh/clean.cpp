#include "mesh/clean.hpp"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/format.hpp"
#include "mesh/duplicates.hpp"
#include "mesh/hash_table.hpp"

namespace hitbox::internal::mesh {
namespace {

constexpr uint32_t kNone = 0xffffffffu;

uint64_t hash_of(uint64_t a, uint64_t b, uint64_t c) {
  return mix(a * 0x9e3779b97f4a7c15u + mix(b * 0xc2b2ae3d27d4eb4fu + mix(c + 0x165667b19e3779f9u)));
}

uint64_t hash_of(const Vec3& p) {
  const auto bits = [](double x) { return std::bit_cast<uint64_t>(x + 0.0); };  // -0 + 0 is +0
  return hash_of(bits(p.x), bits(p.y), bits(p.z));
}

std::vector<bool> used_vertices(const MeshView& mesh) {
  std::vector<bool> used(mesh.vertices.size());
  for (const uint32_t v : mesh.indices) used[v] = true;
  return used;
}

// For every used vertex the first used vertex equal to it.
std::vector<uint32_t> weld_exactly(const MeshView& mesh, const std::vector<bool>& used) {
  constexpr size_t kAhead = 16;  // hides the wait for the table's memory
  const size_t count = mesh.vertices.size();
  std::vector<uint32_t> kept(count, kNone);
  HashTable table(count);
  uint64_t hashes[kAhead];
  for (size_t v = 0; v < count + kAhead; ++v) {
    if (v >= kAhead) {
      const size_t k = v - kAhead;
      const Vec3& p = mesh.vertices[k];
      if (used[k]) {
        kept[k] = table.find_or_add(hashes[k % kAhead], static_cast<uint32_t>(k),
                                    [&](uint32_t other) { return mesh.vertices[other] == p; });
      }
    }
    if (v < count) {
      hashes[v % kAhead] = hash_of(mesh.vertices[v]);
      table.prefetch(hashes[v % kAhead]);
    }
  }
  return kept;
}

// Kept vertices by their grid cells.
class Grid {
  struct Cell {
    int64_t x, y, z;
    friend bool operator==(const Cell&, const Cell&) = default;
  };
  auto same_cell(const Cell& cell) const {
    return [this, cell](uint32_t other) { return cell_of(vertices_[other]) == cell; };
  }

 public:
  Grid(std::span<const Vec3> vertices, const Vec3& low, double cell)
      : vertices_(vertices), low_(low), cell_(cell), next_(vertices.size(), kNone), table_(vertices.size()) {}

  // The first kept vertex within one cell's width of `v`, or `v` itself, which is then kept.
  uint32_t find_or_keep(uint32_t v) {
    const Cell center = cell_of(vertices_[v]);
    uint32_t best = kNone;
    for (int64_t dx = -1; dx <= 1; ++dx) {
      for (int64_t dy = -1; dy <= 1; ++dy) {
        for (int64_t dz = -1; dz <= 1; ++dz) {
          best = std::min(best, first_near(v, {center.x + dx, center.y + dy, center.z + dz}));
        }
      }
    }
    if (best != kNone) return best;
    const uint32_t head = table_.find_or_add(hash_of(center), v, same_cell(center));
    if (head != v) next_[v] = std::exchange(next_[head], v);
    return v;
  }

 private:
  Cell cell_of(const Vec3& p) const {
    const Vec3 q = (p - low_) / cell_;
    return {static_cast<int64_t>(std::floor(q.x)), static_cast<int64_t>(std::floor(q.y)),
            static_cast<int64_t>(std::floor(q.z))};
  }
  static uint64_t hash_of(const Cell& c) {
    return mesh::hash_of(static_cast<uint64_t>(c.x), static_cast<uint64_t>(c.y), static_cast<uint64_t>(c.z));
  }
  uint32_t first_near(uint32_t v, const Cell& cell) const {
    uint32_t best = kNone;
    for (uint32_t k = table_.find(hash_of(cell), same_cell(cell)); k != kNone; k = next_[k]) {
      if (norm_sq((vertices_[k] - vertices_[v]) / cell_) <= 1) best = std::min(best, k);
    }
    return best;
  }

  std::span<const Vec3> vertices_;
  Vec3 low_;
  double cell_;
  std::vector<uint32_t> next_;  // the next vertex in the same cell
  HashTable table_;
};

std::vector<uint32_t> weld_by_distance(const MeshView& mesh, const std::vector<bool>& used, const Vec3& low,
                                       double distance) {
  std::vector<uint32_t> kept(mesh.vertices.size(), kNone);
  Grid grid(mesh.vertices, low, distance);
  for (size_t v = 0; v < kept.size(); ++v) {
    if (used[v]) kept[v] = grid.find_or_keep(static_cast<uint32_t>(v));
  }
  return kept;
}

std::vector<uint32_t> weld_nothing(const std::vector<bool>& used) {
  std::vector<uint32_t> kept(used.size(), kNone);
  for (size_t v = 0; v < kept.size(); ++v) {
    if (used[v]) kept[v] = static_cast<uint32_t>(v);
  }
  return kept;
}

// Renumbers the kept vertices in their old order.
CleanedMesh renumber(const MeshView& mesh, const std::vector<uint32_t>& kept) {
  CleanedMesh result;
  CleanReport& report = result.report;
  report.vertices_before = kept.size();
  report.faces = mesh.face_count();
  std::vector<uint32_t> number(kept.size(), kNone);
  for (size_t v = 0; v < kept.size(); ++v) {
    if (kept[v] == kNone) {
      ++report.unreferenced;
    } else if (kept[v] != v) {
      ++report.welded;
      number[v] = number[kept[v]];
    } else {
      number[v] = static_cast<uint32_t>(result.vertices.size());
      result.vertices.push_back(mesh.vertices[v]);
    }
  }
  report.vertices_after = result.vertices.size();
  result.indices.resize(mesh.indices.size());
  for (size_t k = 0; k < mesh.indices.size(); ++k) result.indices[k] = number[mesh.indices[k]];
  return result;
}

void count_faces(const MeshView& mesh, CleanReport& report) {
  for (size_t f = 0; f < mesh.face_count(); ++f) {
    if (has_repeated_index(mesh.face(f))) {
      ++report.repeated_index;
    } else if (!has_area(mesh, f)) {
      ++report.zero_area;
    }
  }
  report.duplicates = count_duplicate_faces(mesh);
}

}  // namespace

bool has_area(const MeshView& mesh, size_t face) {
  const auto corners = mesh.face(face);
  const Vec3 first = mesh.vertices[corners[0]];
  Vec3 longest;
  double size = 0;
  for (const uint32_t v : corners.subspan(1)) {
    const Vec3 side = mesh.vertices[v] - first;
    const double length = max_component(abs(side));
    if (length > size) {
      size = length;
      longest = side;
    }
  }
  if (!(size > 0)) return false;
  const double rounding = 1e-15;  // relative rounding error of subtracting and multiplying doubles
  for (const uint32_t v : corners.subspan(1)) {
    const Vec3 normal = cross(longest / size, (mesh.vertices[v] - first) / size);
    if (max_component(abs(normal)) > rounding) return true;
  }
  return false;
}

Result<Bounds> check_mesh(const MeshView& mesh, const std::string& name) {
  const char* who = name.c_str();
  const size_t vertices = mesh.vertices.size(), faces = mesh.face_count();
  if (faces == 0) return Error{format("%s: the mesh has no faces. Give at least one.", who)};
  if (vertices > kNone) return Error{format("%s: more than 2^32 vertices. Split the mesh.", who)};
  for (size_t v = 0; v < vertices; ++v) {
    const Vec3& p = mesh.vertices[v];
    if (max_component(abs(p)) <= kLargestCoordinate && is_finite(p)) continue;
    return Error{
        format("%s: vertex %zu is (%g, %g, %g), but coordinates must be finite and at most 1e60 in "
               "size. Fix the export.",
               who, v, p.x, p.y, p.z)};
  }
  if (mesh.offsets[0] != 0 || mesh.offsets[faces] != mesh.indices.size()) {
    return Error{format("%s: the faces' offsets do not begin at 0 and end at the number of indices.", who)};
  }
  for (size_t f = 0; f < faces; ++f) {
    const uint32_t first = mesh.offsets[f], last = mesh.offsets[f + 1];
    if (last >= first + uint64_t{3} && last <= mesh.indices.size()) continue;
    return Error{format("%s: face %zu has %lld corners, but must have 3 or more. Fix the export.", who, f,
                        static_cast<long long>(last) - static_cast<long long>(first))};
  }
  for (size_t k = 0; k < mesh.indices.size(); ++k) {
    if (mesh.indices[k] < vertices) continue;
    const auto after = std::upper_bound(mesh.offsets.begin(), mesh.offsets.end(), k);
    return Error{format("%s: face %zu uses vertex %u, but there are %zu (counted from 0). Fix the export.", who,
                        static_cast<size_t>(after - mesh.offsets.begin()) - 1, mesh.indices[k], vertices)};
  }
  const Bounds bounds = referenced_bounds(mesh);
  if (bounds.diagonal() < kSmallestDiagonal) {
    return Error{format("%s: all vertices that faces use lie in one point. Give a mesh with some extent.", who)};
  }
  return bounds;
}

Result<CleanedMesh> clean(const MeshView& mesh, const CleanOptions& options, const std::string& name, Run& run) {
  const auto used = used_vertices(mesh);
  std::vector<uint32_t> kept;
  switch (options.weld) {
    case CleanOptions::Weld::off: kept = weld_nothing(used); break;
    case CleanOptions::Weld::exact: kept = weld_exactly(mesh, used); break;
    case CleanOptions::Weld::distance: {
      const Bounds bounds = referenced_bounds(mesh);
      // At smaller distances, doubles cannot distinguish neighbouring cells.
      const double least = 1e-12 * bounds.diagonal();
      if (!(options.distance >= least && std::isfinite(options.distance))) {
        return Error{
            format("%s: the weld distance is %g, but must be finite and at least %g (1e-12 of the "
                   "diagonal). Use \"exact\" to weld equal vertices only.",
                   name.c_str(), options.distance, least)};
      }
      kept = weld_by_distance(mesh, used, bounds.low, options.distance);
      break;
    }
  }
  run.poll();
  CleanedMesh result = renumber(mesh, kept);
  run.poll();
  if (result.vertices.size() < 2) {
    return Error{
        format("%s: welding within %g leaves a single point. Use a smaller distance.", name.c_str(), options.distance)};
  }
  count_faces({result.vertices, result.indices, mesh.offsets}, result.report);
  return result;
}

}  // namespace hitbox::internal::mesh
