// Space that no shape may enter, as spheres.
//
// Cost: O(n log n) to build. A query tests only the spheres near the shape's bounding box.
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "bvh/bvh.hpp"
#include "hitbox/shapes.hpp"
#include "hitbox/space.hpp"

namespace hitbox::internal::hulls {

// Spheres in the coordinates that `to_input` maps to the input, such as those of the unit mesh.
std::vector<Sphere> before(const Similarity& to_input, std::span<const Sphere> spheres);

class ClearSpace {
 public:
  ClearSpace() = default;  // an empty space
  // `pad` is the later padding of shapes: the padded shape must not enter. `room` is added to each radius to allow for
  // rounding; it may be negative.
  ClearSpace(std::span<const Sphere> spheres, double pad, double room, Run& run);

  bool empty() const { return spheres_.empty(); }
  // Whether the padded shape, or any point within the padding of a triangle, is closer to a sphere's centre than its
  // radius. Safe to call from all threads.
  bool entered_by(const Shape& shape) const;
  bool entered_by(const std::array<Vec3, 3>& corners) const;

 private:
  std::vector<uint32_t> near(const Bounds& box) const;

  double pad_ = 0;
  std::vector<Sphere> spheres_;  // enlarged by their room
  std::optional<BoxBvh> tree_;
};

// Spheres that shapes must not enter once they are padded by `pad`, those of the spaces too, in the coordinates that
// `to_input` takes to those of the input.
ClearSpace kept_space(std::span<const Sphere> spheres, std::span<const NavigableSpace> spaces, double pad,
                      const Similarity& to_input, Run& run);

// Whether a shape enters none of the spaces. For a space with a proof this covers the whole space.
bool stays_out(const Shape& shape, std::span<const NavigableSpace> spaces);

}  // namespace hitbox::internal::hulls
