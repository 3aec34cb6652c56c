#include "hulls/clear_space.hpp"

#include <algorithm>

#include "geometry/triangle.hpp"
#include "hulls/open_space.hpp"

namespace hitbox::internal::hulls {

std::vector<Sphere> before(const Similarity& to_input, std::span<const Sphere> spheres) {
  const Frame frame = to_frame(to_input.rotation);
  std::vector<Sphere> result;
  result.reserve(spheres.size());
  for (const Sphere& s : spheres)
    result.push_back({frame.to_local(s.center - to_input.translation) / to_input.scale, s.radius / to_input.scale});
  return result;
}

ClearSpace::ClearSpace(std::span<const Sphere> spheres, double pad, double room, Run& run) : pad_(pad) {
  std::vector<Bounds> boxes;
  for (const Sphere& s : spheres) {
    const Sphere kept{s.center, s.radius + room};
    if (!(kept.radius > 0)) continue;
    spheres_.push_back(kept);
    boxes.push_back(bounds(kept));
  }
  if (!spheres_.empty()) tree_.emplace(std::move(boxes), run);
}

std::vector<uint32_t> ClearSpace::near(const Bounds& box) const {
  std::vector<uint32_t> found;
  if (!empty()) tree_->overlaps(box, [&](uint32_t sphere) { found.push_back(sphere); });
  return found;
}

bool ClearSpace::entered_by(const std::array<Vec3, 3>& corners) const {
  Bounds box = bounds_of(corners);
  box.grow(pad_);
  return std::ranges::any_of(near(box), [&](uint32_t sphere) {
    return distance_to_triangle(spheres_[sphere].center, corners) < spheres_[sphere].radius + pad_;
  });
}

bool ClearSpace::entered_by(const Shape& unpadded) const {
  if (empty()) return false;
  // Tests the padded shape itself, not all points within `pad_` of the shape: sides move out, so corners reach further.
  const Shape shape = padded(unpadded, pad_, 0);
  const std::vector<uint32_t> nearby = near(bounds(shape));
  // Tests in batches, because a shape that enters one sphere usually enters many.
  constexpr size_t kPiece = 64;
  std::vector<Vec3> centers;
  std::vector<double> distances;
  for (size_t first = 0; first < nearby.size(); first += kPiece) {
    const auto piece = std::span(nearby).subspan(first, std::min(kPiece, nearby.size() - first));
    centers.clear();
    for (const uint32_t sphere : piece) centers.push_back(spheres_[sphere].center);
    distances.resize(piece.size());
    signed_distance(shape, centers, distances);
    for (size_t k = 0; k < piece.size(); ++k)
      if (distances[k] < spheres_[piece[k]].radius) return true;
  }
  return false;
}

ClearSpace kept_space(std::span<const Sphere> given, std::span<const NavigableSpace> spaces, double pad,
                      const Similarity& to_input, Run& run) {
  std::vector<Sphere> spheres(given.begin(), given.end());
  for (const NavigableSpace& space : spaces) spheres.insert(spheres.end(), space.spheres.begin(), space.spheres.end());
  if (spheres.empty()) return {};
  constexpr double kRoom = 1e-10;
  // If sides move in, an engine's margin replaces them.
  return ClearSpace(before(to_input, spheres), std::max(pad, 0.0) / to_input.scale, kRoom, run);
}

bool stays_out(const Shape& shape, std::span<const NavigableSpace> spaces) {
  const auto enters = [&](const Sphere& s) { return norm(s.center - nearest(shape, s.center)) < s.radius; };
  return std::ranges::none_of(spaces, [&](const NavigableSpace& space) {
    return space.proof ? space.proof->entered_by(shape) : std::ranges::any_of(space.spheres, enters);
  });
}

}  // namespace hitbox::internal::hulls
