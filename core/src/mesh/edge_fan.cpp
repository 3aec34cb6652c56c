#include "mesh/edge_fan.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <utility>

#include "geometry/predicates.hpp"

namespace hitbox::internal::mesh {

namespace {

constexpr uint32_t kNone = 0xffffffffu;

Vec3 area_vector(const MeshView& mesh, std::span<const uint32_t> face) {
  const Vec3& first = mesh.vertices[face[0]];
  Vec3 sum;
  for (size_t k = 2; k < face.size(); ++k)
    sum += cross(mesh.vertices[face[k - 1]] - first, mesh.vertices[face[k]] - first);
  return sum;
}

// The corner farthest to the left of the edge, seen against the face's normal; kNone if none is off the edge's line.
uint32_t apex_of(const MeshView& mesh, const HalfEdge& use) {
  const auto face = mesh.face(use.face());
  const Vec3 &low = mesh.vertices[use.low], &high = mesh.vertices[use.high];
  const Vec3 normal = normalized(area_vector(mesh, face), {0, 0, 0});
  const Vec3 left = cross(normal, use.goes_up() ? high - low : low - high);
  uint32_t apex = kNone;
  double farthest = 0;
  for (const uint32_t corner : face) {
    const double reach = dot(left, mesh.vertices[corner] - low);
    if (reach > farthest && !geometry::are_collinear(low, high, mesh.vertices[corner])) {
      farthest = reach;
      apex = corner;
    }
  }
  return apex;
}

// Sorts the half-planes around a line, starting at the one through `origin`.
class Around {
 public:
  Around(const Vec3& low, const Vec3& high, const Vec3& origin) : low_(low), high_(high), origin_(origin) {}

  bool less(const Vec3& a, const Vec3& b) const {
    const int of_a = quarter(a), of_b = quarter(b);
    if (of_a != of_b) return of_a < of_b;
    return of_a % 2 == 1 && geometry::orient3d(low_, high_, a, b) > 0;
  }

 private:
  // 0: the half-plane through `origin`, 1: up to half a turn further, 2: the opposite half-plane, 3: beyond.
  int quarter(const Vec3& p) const {
    const int side = geometry::orient3d(low_, high_, origin_, p);
    if (side != 0) return side > 0 ? 1 : 3;
    return is_beside_origin(p) ? 0 : 2;
  }

  // For p in the plane: projected along an axis that keeps origin and line apart, both lie on one side of the line.
  bool is_beside_origin(const Vec3& p) const {
    for (int x = 0, y = 1; x < 3; ++x, y = (y + 1) % 3) {
      const auto flat = [&](const Vec3& v) { return Vec2{v[x], v[y]}; };
      const int side = geometry::orient2d(flat(low_), flat(high_), flat(origin_));
      if (side != 0) return geometry::orient2d(flat(low_), flat(high_), flat(p)) == side;
    }
    return false;  // not reached, because no apex is on the line
  }

  const Vec3 &low_, &high_, &origin_;
};

// The angle from the half-plane of `a` to that of `b`, in [0, 2 pi]. Rounding does not move it across 0 or half a turn.
double angle_between(const Vec3& low, const Vec3& high, const Vec3& a, const Vec3& b) {
  const int side = geometry::orient3d(low, high, a, b);
  if (side == 0) return std::numbers::pi;
  const Vec3 along = normalized(high - low);
  const auto off_line = [&](const Vec3& p) { return normalized(p - low - along * dot(along, p - low), {0, 0, 0}); };
  const Vec3 u = off_line(a), v = off_line(b);
  const double angle = std::atan2(norm(cross(u, v)), dot(u, v));
  return side > 0 ? angle : 2 * std::numbers::pi - angle;
}

struct Fanned {
  EdgeFan fan;
  std::vector<double> gap;  // from a blade to the next one, and from the last to the first
};

void measure_gaps(const MeshView& mesh, const HalfEdge& edge, Fanned& fanned) {
  const auto& blades = fanned.fan.blades;
  const Vec3 &low = mesh.vertices[edge.low], &high = mesh.vertices[edge.high];
  for (size_t k = 0; k < blades.size(); ++k) {
    const auto &blade = blades[k], &next = blades[(k + 1) % blades.size()];
    if (blade.half_plane == next.half_plane)  // a tie, or a whole turn
      fanned.gap.push_back(k + 1 < blades.size() ? 0 : 2 * std::numbers::pi);
    else
      fanned.gap.push_back(angle_between(low, high, mesh.vertices[blade.apex], mesh.vertices[next.apex]));
  }
}

// Half-planes near the first one of a tie join it. The widest gap never closes.
void join_near(Fanned& fanned, double same_angle) {
  auto& blades = fanned.fan.blades;
  uint32_t number = 0;
  double angle = 0;
  uint32_t before = blades[0].half_plane;
  for (size_t k = 1; k < blades.size(); ++k) {
    const bool is_tie = std::exchange(before, blades[k].half_plane) == blades[k].half_plane;
    angle += fanned.gap[k - 1];
    if (!is_tie && angle >= same_angle) {
      ++number;
      angle = 0;
    }
    blades[k].half_plane = number;
  }
  blades[0].half_plane = 0;
  fanned.fan.half_planes = number + 1;
}

}  // namespace

EdgeFan edge_fan(const MeshView& mesh, std::span<const HalfEdge> uses, double same_angle) {
  Fanned fanned;
  auto& [fan, gap] = fanned;
  for (uint32_t k = 0; k < uses.size(); ++k) {
    const uint32_t apex = apex_of(mesh, uses[k]);
    if (apex == kNone)
      fan.flat.push_back(k);
    else
      fan.blades.push_back({k, apex, 0});
  }
  if (fan.blades.empty()) return fan;
  const Vec3 &low = mesh.vertices[uses[0].low], &high = mesh.vertices[uses[0].high];
  const Around around(low, high, mesh.vertices[fan.blades[0].apex]);
  const auto less = [&](const EdgeFan::Blade& a, const EdgeFan::Blade& b) {
    return around.less(mesh.vertices[a.apex], mesh.vertices[b.apex]);
  };
  std::stable_sort(fan.blades.begin(), fan.blades.end(), less);
  for (size_t k = 1; k < fan.blades.size(); ++k)
    fan.blades[k].half_plane = fan.blades[k - 1].half_plane + less(fan.blades[k - 1], fan.blades[k]);
  fan.half_planes = fan.blades.back().half_plane + 1;
  measure_gaps(mesh, uses[0], fanned);
  // The blade after the first of the widest gaps becomes the first one.
  const auto widest = std::max_element(gap.begin(), gap.end()) - gap.begin() + 1;
  std::rotate(fan.blades.begin(), fan.blades.begin() + widest, fan.blades.end());
  std::rotate(gap.begin(), gap.begin() + widest, gap.end());
  join_near(fanned, same_angle);
  return fan;
}

namespace {

// The uses in the order of a rotation about the edge. Faces of one half-plane are ordered so that void and material
// alternate as far as possible: in a void, a face that ends it comes first.
class Turn {
 public:
  Turn(const EdgeFan& fan, std::span<const HalfEdge> uses, bool starts_in_void)
      : half_planes_(fan.half_planes), is_in_void_(starts_in_void) {
    for (const EdgeFan::Blade& blade : fan.blades)
      (uses[blade.use].goes_up() ? half_planes_[blade.half_plane].up : half_planes_[blade.half_plane].down)
          .push_back(blade.use);
    size_t start = 0;
    while (start < half_planes_.size() && half_planes_[start].up.size() == half_planes_[start].down.size()) ++start;
    if (start < half_planes_.size())
      is_in_void_ = half_planes_[start].up.size() < half_planes_[start].down.size();
    else
      start = 0;
    for (size_t k = 0; k < half_planes_.size(); ++k) pass((start + k) % half_planes_.size());
  }

  struct Passed {
    uint32_t use;
    bool begins_void;
    size_t half_plane;
  };
  std::span<const Passed> passed() const { return passed_; }

 private:
  struct HalfPlane {
    std::vector<uint32_t> up, down;
  };

  // Counter-clockwise, a face that traverses the edge upward begins a void, and one that traverses it downward ends it.
  void pass(size_t number) {
    const auto& [up, down] = half_planes_[number];
    for (size_t ups = 0, downs = 0; ups + downs < up.size() + down.size();) {
      const bool takes_down = is_in_void_ ? downs < down.size() : ups == up.size();
      passed_.push_back({takes_down ? down[downs++] : up[ups++], !takes_down, number});
      is_in_void_ = !takes_down;
    }
  }

  std::vector<HalfPlane> half_planes_;
  bool is_in_void_;
  std::vector<Passed> passed_;
};

}  // namespace

PairedUses paired_uses(const EdgeFan& fan, std::span<const HalfEdge> uses, Side side) {
  const Turn turn(fan, uses, side == Side::front);
  const auto passed = turn.passed();
  PairedUses result;
  std::vector<bool> is_paired(uses.size());
  for (size_t k = 0; k < passed.size(); ++k) {
    const auto &from = passed[k], &to = passed[(k + 1) % passed.size()];
    if (from.begins_void != (side == Side::front) || to.begins_void == from.begins_void) continue;
    if (from.half_plane == to.half_plane && k + 1 < passed.size()) continue;  // no wedge
    result.pairs.emplace_back(from.use, to.use);
    is_paired[from.use] = is_paired[to.use] = true;
  }
  for (uint32_t k = 0; k < uses.size(); ++k)
    if (!is_paired[k]) result.single.push_back(k);
  return result;
}

}  // namespace hitbox::internal::mesh
