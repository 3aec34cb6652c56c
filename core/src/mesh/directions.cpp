#include "mesh/directions.hpp"

#include <algorithm>

namespace hitbox::internal::mesh {

namespace {

constexpr size_t kSlots = 16;
constexpr size_t kPollEvery = 1 << 14;
constexpr double kLeastShare = 1e-6;  // fraction of the area, such as the sides of a sheet of paper

Direction* find(std::vector<Direction>& directions, const Vec3& normal) {
  for (Direction& d : directions)
    if (are_parallel(d.normal, normal)) return &d;
  return nullptr;
}

// Misra and Gries: if no slot is free, the new weight cancels that of the slots, so a direction with a large share of
// the total cannot be lost.
void offer(std::vector<Direction>& slots, Vec3 normal, double area) {
  if (Direction* slot = find(slots, normal)) {
    slot->area += area;
    return;
  }
  if (slots.size() == kSlots) {
    const auto by_area = [](const Direction& a, const Direction& b) { return a.area < b.area; };
    const double paid = std::min(area, std::min_element(slots.begin(), slots.end(), by_area)->area);
    for (Direction& slot : slots) slot.area -= paid;
    std::erase_if(slots, [](const Direction& slot) { return !(slot.area > 0); });
    area -= paid;
  }
  if (area > 0 && slots.size() < kSlots) slots.push_back({normal, area});
}

}  // namespace

Vec3 area_vector(std::span<const Vec3> vertices, std::span<const uint32_t> face) {
  const Vec3& a = vertices[face[0]];
  Vec3 twice;
  for (size_t k = 2; k < face.size(); ++k) twice += cross(vertices[face[k - 1]] - a, vertices[face[k]] - a);
  return twice * 0.5;
}

FaceDirections face_directions(const MeshView& part, Run& run) {
  std::vector<Vec3> areas(part.face_count());
  FaceDirections found;
  std::vector<Direction> slots;
  for (size_t f = 0; f < areas.size(); ++f) {
    if (f % kPollEvery == 0) run.poll();
    areas[f] = area_vector(part.vertices, part.face(f));
    const double area = norm(areas[f]);
    if (!(area > 0)) continue;
    found.total_area += area;
    offer(slots, areas[f] / area, area);
  }
  // A second pass for the true area of each direction, and its mean.
  std::vector<Vec3> sums(slots.size());
  for (Direction& slot : slots) slot.area = 0;
  run.poll();
  for (const Vec3& vector : areas) {
    const double area = norm(vector);
    if (!(area > 0)) continue;
    Direction* slot = find(slots, vector / area);
    if (slot == nullptr) continue;
    slot->area += area;
    sums[static_cast<size_t>(slot - slots.data())] += dot(vector, slot->normal) < 0 ? -vector : vector;
  }
  for (size_t k = 0; k < slots.size(); ++k) {
    if (slots[k].area < kLeastShare * found.total_area) continue;
    found.main.push_back({normalized(sums[k]), slots[k].area});
    found.main_area += slots[k].area;
  }
  std::stable_sort(found.main.begin(), found.main.end(),
                   [](const Direction& a, const Direction& b) { return a.area > b.area; });
  return found;
}

}  // namespace hitbox::internal::mesh
