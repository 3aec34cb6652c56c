#include "parts/cut_planes.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>
#include <unordered_set>

#include "geometry/eigen3.hpp"
#include "mesh/directions.hpp"

namespace hitbox::internal::parts {

namespace {

constexpr double kThinning = 24;  // points along the longest side of a piece in the comparison of cuts
constexpr double kLeastCutOff = 20 * kOnPlane;
constexpr double kLongestBias = 0.99;  // a torus, on which all cuts are equal, is then halved

Sym3 spread_of(std::span<const Vec3> points) {
  Vec3 middle;
  for (const Vec3& p : points) middle += p / static_cast<double>(points.size());
  Sym3 spread;
  for (const Vec3& p : points) spread = spread + Sym3::outer(p - middle, 1);
  return spread;
}

void add_halving_planes(const Piece& piece, const Frame& axes, const CutSettings& settings,
                        std::vector<CutCandidate>& found) {
  double longest = 0;
  size_t longest_at = 0;
  for (const Vec3& axis : axes.axis) {
    double low = Bounds::kInfinity, high = -Bounds::kInfinity;
    const auto add = [&](const Vec3& p) {
      low = std::min(low, dot(axis, p));
      high = std::max(high, dot(axis, p));
    };
    for (const Vec3& p : piece.points) add(p);
    for (const Vec3& p : piece.inside) add(p);
    if (high - low < settings.least_extent) continue;
    const size_t middle = found.size() + static_cast<size_t>(settings.offsets / 2);
    for (int k = 1; k <= settings.offsets; ++k)
      found.push_back({HalfSpace{axis, low + (high - low) * k / (settings.offsets + 1)}, 1});
    if (high - low > longest * (1 + 1e-9)) {
      longest = high - low;
      longest_at = middle;
    }
  }
  if (longest > 0) found[longest_at].bias = kLongestBias;
}

void add_planes_through(const ConcaveEdge& edge, std::vector<CutCandidate>& found) {
  const Vec3 along = normalized(edge.to - edge.from), middle = (edge.from + edge.to) * 0.5;
  const Vec3 between = cross(along, normalized(edge.normals[0] + edge.normals[1]));
  for (const Vec3& normal : {normalized(between), edge.normals[0], edge.normals[1]})
    found.push_back({HalfSpace{normal, dot(normal, middle)}, 1});
}

// Takes the edges deepest below the hull, but no two at the same place in the same direction.
void add_edge_planes(const Piece& piece, const PartHull& hull, const CutSettings& settings,
                     std::vector<CutCandidate>& found) {
  constexpr size_t kMostLookedAt = 1500;
  const size_t stride = piece.concave_edges.size() / kMostLookedAt + 1;
  std::vector<std::pair<double, size_t>> by_depth;
  for (size_t k = 0; k < piece.concave_edges.size(); k += stride)
    by_depth.emplace_back(hull.above((piece.concave_edges[k].from + piece.concave_edges[k].to) * 0.5), k);
  std::sort(by_depth.begin(), by_depth.end());
  const double apart = 0.05 * hull.box.diagonal();
  std::vector<const ConcaveEdge*> taken;
  for (const auto& [above, k] : by_depth) {
    if (taken.size() >= static_cast<size_t>(settings.concave_edges) || above > -kLeastCutOff) break;
    const ConcaveEdge& edge = piece.concave_edges[k];
    const bool is_alike = std::any_of(taken.begin(), taken.end(), [&](const ConcaveEdge* other) {
      return norm((edge.from + edge.to) - (other->from + other->to)) < 2 * apart &&
             dot(edge.normals[0], other->normals[0]) > 0.9 && dot(edge.normals[1], other->normals[1]) > 0.9;
    });
    if (is_alike) continue;
    taken.push_back(&edge);
    add_planes_through(edge, found);
  }
}

size_t components_in(const Piece& piece, const Input& input) {
  std::unordered_set<uint32_t> seen;
  for (const uint32_t t : piece.triangles)
    if (seen.insert(input.component_of[t]).second && seen.size() > kMostComponents) break;
  return seen.size();
}

}  // namespace

Frame own_axes(const Piece& piece, const PartHull& hull) {
  constexpr double kMany = 0.15;     // fraction of the area: parallel faces of this area define the piece's axes
  constexpr double kUpright = 0.17;  // cosine of 80 degrees
  const Eigen3 spread = eigen3(spread_of(hull.mesh.vertices));
  Run alone(1);
  const FaceDirections faces = face_directions({piece.points, piece.corners, piece.offsets}, alone);
  if (faces.main.empty() || faces.main[0].area < kMany * faces.total_area) return spread.vectors;
  const Vec3 first = faces.main[0].normal;
  for (const Direction& other : faces.main)
    if (std::abs(dot(other.normal, first)) < kUpright) return frame_from(first, other.normal);
  return frame_from(first, spread.vectors.axis[2]);
}

std::vector<CutCandidate> cut_candidates(const Piece& piece, const PartHull& hull, const Input& input,
                                         const CutSettings& settings) {
  std::vector<CutCandidate> found;
  add_halving_planes(piece, settings.axes ? *settings.axes : own_axes(piece, hull), settings, found);
  add_edge_planes(piece, hull, settings, found);
  if (piece.component < 0 && input.comes_apart()) {
    const size_t components = components_in(piece, input);
    if (components > 1 && components <= kMostComponents) found.push_back({std::nullopt, 1});
  }
  return found;
}

CutScorer::CutScorer(const Piece& piece, const PartHull& hull, const Input& input) : volume_(hull.volume) {
  const double cell = max_component(hull.box.size()) / kThinning;
  const auto key_of = [&](const Vec3& p) {
    const Vec3 at = (p - hull.box.low) / std::max(cell, 1e-300);
    const auto bits = [](double x) { return static_cast<uint64_t>(std::max(x + 1, 0.0)); };
    return (bits(at.z) << 42) + (bits(at.y) << 21) + bits(at.x);
  };
  const bool by_component = piece.component < 0 && input.comes_apart();
  std::unordered_set<uint64_t> taken;
  std::vector<uint32_t> component(by_component ? piece.points.size() : 0);
  std::unordered_set<uint64_t> edges;
  for (size_t k = 0; k < piece.polygon_count(); ++k) {
    const auto polygon = piece.polygon(k);
    for (size_t c = 0; c < polygon.size(); ++c) {
      const uint32_t a = polygon[c], b = polygon[(c + 1) % polygon.size()];
      if (by_component) component[a] = input.component_of[piece.triangles[k]];
      if (norm_sq(piece.points[a] - piece.points[b]) <= cell * cell) continue;
      const uint64_t edge = (static_cast<uint64_t>(std::min(a, b)) << 32) + std::max(a, b);
      if (edges.insert(edge).second) long_edges_.push_back({piece.points[a], piece.points[b]});
    }
  }
  for (size_t p = 0; p < piece.points.size(); ++p) {
    // Two components may have points at the same place, and each needs its own.
    const uint64_t key = key_of(piece.points[p]) * 0x9e3779b97f4a7c15u + (by_component ? component[p] : 0);
    if (!taken.insert(key).second) continue;
    points_.push_back(piece.points[p]);
    if (by_component) component_of_.push_back(component[p]);
  }
  if (by_component) grouped_ = points_;
  for (const Edge& edge : long_edges_) {  // their ends and their crossings with the plane matter
    points_.push_back(edge.from);
    points_.push_back(edge.to);
  }
  points_.insert(points_.end(), hull.mesh.vertices.begin(), hull.mesh.vertices.end());
  points_.insert(points_.end(), piece.inside.begin(), piece.inside.end());
}

double CutScorer::score_by_component() const {
  std::unordered_map<uint32_t, std::vector<Vec3>> groups;
  for (size_t k = 0; k < grouped_.size(); ++k) groups[component_of_[k]].push_back(grouped_[k]);
  std::vector<uint32_t> order;
  for (const auto& [component, points] : groups) order.push_back(component);
  std::sort(order.begin(), order.end());
  double sum = 0;
  for (const uint32_t component : order) sum += hull_volume(groups[component]);
  return sum;
}

double CutScorer::score(const CutCandidate& candidate, const CutSettings& settings,
                        std::span<const Vec3> sphere_centers, double sphere_radius) const {
  if (!candidate.plane) return score_by_component();
  const HalfSpace& plane = *candidate.plane;
  std::array<std::vector<Vec3>, 2> sides;
  double lowest = 0, highest = 0;
  for (const Vec3& p : points_) {
    const double above = plane.above(p);
    lowest = std::min(lowest, above);
    highest = std::max(highest, above);
    if (above <= kOnPlane) sides[0].push_back(p);
    if (above >= -kOnPlane) sides[1].push_back(p);
  }
  if (lowest > -kLeastCutOff || highest < kLeastCutOff) return Bounds::kInfinity;
  for (const Edge& edge : long_edges_) {
    const double from = plane.above(edge.from), to = plane.above(edge.to);
    if (from * to >= 0) continue;
    const Vec3 between = edge.from + (edge.to - edge.from) * (from / (from - to));
    for (auto& side : sides) side.push_back(between);
  }
  if (settings.sphere_weight == 0 || sphere_centers.empty()) return hull_volume(sides[0]) + hull_volume(sides[1]);
  double sum = 0;
  std::array<PartHull, 2> hulls = {part_hull(sides[0], 1e-6), part_hull(sides[1], 1e-6)};
  size_t entered = 0;
  for (const PartHull& hull : hulls) {
    sum += hull.volume;
    size_t last = 0;
    for (const Vec3& center : sphere_centers) entered += hull.is_within(center, sphere_radius, last);
  }
  const double share = static_cast<double>(entered) / static_cast<double>(sphere_centers.size());
  return sum + settings.sphere_weight * volume_ * share;
}

}  // namespace hitbox::internal::parts
