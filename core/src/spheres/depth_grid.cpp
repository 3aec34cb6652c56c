#include "spheres/depth_grid.hpp"

namespace hitbox::internal::spheres {

namespace {

constexpr double kNodes = 1 << 15;
constexpr double kLeastSpacing = 1.0 / 96;  // a flat mesh needs no finer grid than a bulky one

}  // namespace

DepthGrid::DepthGrid(const TriangleBvh& surface, const Winding& winding, const Bounds& box, Run& run) {
  const Vec3 size = box.size() + Vec3{1, 1, 1} * 0.02;
  spacing_ = std::max(std::cbrt(size.x * size.y * size.z / kNodes), kLeastSpacing);
  origin_ = box.low - Vec3{1, 1, 1} * spacing_;
  for (int axis = 0; axis < 3; ++axis)
    size_[static_cast<size_t>(axis)] = static_cast<size_t>(box.size()[axis] / spacing_) + 4;
  nodes_.resize(size_[0] * size_[1] * size_[2]);
  run.for_each_block(size_[1] * size_[2], 1,
                     [&](size_t row, size_t, size_t) { fill_row(surface, winding, row % size_[1], row / size_[1]); });
}

// Between neighbouring nodes the distance changes by at most a step, and the side changes only across the surface.
void DepthGrid::fill_row(const TriangleBvh& surface, const Winding& winding, size_t y, size_t z) {
  Node* row = &nodes_[size_[0] * (y + size_[1] * z)];
  double before = Bounds::kInfinity;
  uint32_t guess = Bvh::kNone;
  for (size_t x = 0; x < size_[0]; ++x) {
    const Vec3 place = place_of(x, y, z);
    const TriangleBvh::Closest found = surface.closest(place, Bounds::kInfinity, guess);
    guess = found.triangle;
    const double distance = std::sqrt(found.distance_sq);
    const bool same_side = x > 0 && std::abs(before) > spacing_;
    const bool inside = same_side ? before > 0 : winding.contains(place);
    row[x] = {found.point, inside ? distance : -distance};
    before = row[x].depth;
  }
}

DepthGrid::Depth DepthGrid::at(const Vec3& p) const {
  std::array<size_t, 3> cell;
  for (int axis = 0; axis < 3; ++axis) {
    const auto k = static_cast<size_t>(axis);
    const double at = (p[axis] - origin_[axis]) / spacing_;
    cell[k] = static_cast<size_t>(std::clamp(at, 0.0, static_cast<double>(size_[k] - 2)));
  }
  double least_sq = Bounds::kInfinity, surest = -Bounds::kInfinity;
  const Node *nearest = nullptr, *witness = nullptr;
  for (size_t corner = 0; corner < 8; ++corner) {
    const size_t x = cell[0] + (corner & 1), y = cell[1] + (corner >> 1 & 1), z = cell[2] + (corner >> 2);
    const Node& node = nodes_[x + size_[0] * (y + size_[1] * z)];
    if (const double d = norm_sq(p - node.near); d < least_sq) {
      least_sq = d;
      nearest = &node;
    }
    // A node that is further from the surface than from p is on p's side.
    if (const double sure = std::abs(node.depth) - norm(p - place_of(x, y, z)); sure > surest) {
      surest = sure;
      witness = &node;
    }
  }
  const double distance = std::sqrt(least_sq);
  return {witness->depth > 0 ? distance : -distance, nearest->near};
}

}  // namespace hitbox::internal::spheres
