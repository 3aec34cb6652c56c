// Space that no shape may enter, as spheres.
//
// Cost: O(n log n) to build; a question looks only at the spheres near the shape's bounding box.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bvh/bvh.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox::internal::hulls {

// Spheres in the coordinates that `to_input` takes to theirs: of the unit mesh, say.
std::vector<Sphere> before(const Similarity& to_input, std::span<const Sphere> spheres);

class ClearSpace {
 public:
  ClearSpace() = default;  // nothing is to be kept clear
  // `pad`: by how much shapes will still be padded; it is the padded shape that must not enter. `room`: by how much
  // more than its radius a sphere's centre has to be away, or less where it is negative, for rounding.
  ClearSpace(std::span<const Sphere> spheres, double pad, double room, Run& run);

  bool empty() const { return spheres_.empty(); }
  // Whether the shape, once it is padded, or anything within the padding of a triangle, comes nearer to a sphere's
  // centre than its radius. Safe to ask from all threads.
  bool entered_by(const Shape& shape) const;
  bool entered_by(const std::array<Vec3, 3>& corners) const;

 private:
  std::vector<uint32_t> near(const Bounds& box) const;

  double pad_ = 0;
  std::vector<Sphere> spheres_;  // with their room
  std::optional<BoxBvh> tree_;
};

// Spheres that shapes must not enter once they are padded by `pad`, in the coordinates that `to_input` takes to those
// of the input.
ClearSpace kept_space(std::span<const Sphere> spheres, double pad, const Similarity& to_input, Run& run);

}  // namespace hitbox::internal::hulls
