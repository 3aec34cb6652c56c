#include "clear_space.hpp"

namespace hitbox {

std::vector<Sphere> before(const Similarity& to_input, std::span<const Sphere> spheres) {
  const Frame frame = to_frame(to_input.rotation);
  std::vector<Sphere> result;
  result.reserve(spheres.size());
  for (const Sphere& s : spheres)
    result.push_back({frame.to_local(s.center - to_input.translation) / to_input.scale,
                      s.radius / to_input.scale});
  return result;
}

ClearSpace::ClearSpace(std::span<const Sphere> spheres, double margin, double touching, Run& run) {
  std::vector<Bounds> boxes;
  for (const Sphere& s : spheres) {
    const Sphere kept{s.center, s.radius + margin - touching};
    if (!(kept.radius > 0)) continue;
    spheres_.push_back(kept);
    boxes.push_back(bounds(kept));
  }
  if (!spheres_.empty()) tree_.emplace(std::move(boxes), run);
}

bool ClearSpace::entered_by(const Shape& shape) const {
  if (empty()) return false;
  std::vector<uint32_t> near;
  tree_->overlaps(bounds(shape), [&](uint32_t sphere) { near.push_back(sphere); });
  // In pieces: where a shape enters one sphere it mostly enters many.
  constexpr size_t kPiece = 64;
  std::vector<Vec3> centers;
  std::vector<double> distances;
  for (size_t first = 0; first < near.size(); first += kPiece) {
    const auto piece = std::span(near).subspan(first, std::min(kPiece, near.size() - first));
    centers.clear();
    for (const uint32_t sphere : piece) centers.push_back(spheres_[sphere].center);
    distances.resize(piece.size());
    signed_distance(shape, centers, distances);
    for (size_t k = 0; k < piece.size(); ++k)
      if (distances[k] < spheres_[piece[k]].radius) return true;
  }
  return false;
}

}  // namespace hitbox
