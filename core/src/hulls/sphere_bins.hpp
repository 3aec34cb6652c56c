// The spheres of a navigable space, sorted into cubes, so that the test of a hull evaluates few of them.
//
// Cost: linear to build. A query visits the cubes near the hull's box. Do not query from two threads at once: it
// remembers the spheres that refused the last hulls and tests these first.
#pragma once

#include <array>
#include <vector>

#include "hitbox/shapes/sphere.hpp"
#include "hulls/part_hull.hpp"

namespace hitbox::internal::hulls {

class SphereBins {
 public:
  explicit SphereBins(std::vector<Sphere> spheres);

  std::span<const Sphere> spheres() const { return spheres_; }
  // Whether the hull comes nearer to a centre than the sphere's radius. Builds the tree of a large hull.
  bool entered_by(PartHull& hull) const;
  // A quick test of some of the spheres. False has no meaning.
  bool is_seen_entered_by(const PartHull& hull) const;
  static constexpr double kTouching = 1e-9;

 private:
  struct Bin {
    uint32_t first, count;
    Vec3 center;   // of the box around the spheres' centres
    double reach;  // from `center` to the furthest point of a sphere
    Bounds box;    // around the spheres
  };
  bool is_refused_again(const PartHull& hull) const;
  void remember(uint32_t sphere) const { refusers_[refused_++ % kRemembered] = sphere; }
  template <class Visit>  // visit(sphere) returns whether to continue
  void each_near(const PartHull& hull, Visit&& visit) const;

  std::vector<Sphere> spheres_;  // sorted by bin
  std::vector<Bin> bins_;
  std::vector<uint32_t> some_;  // spheres, evenly spread
  static constexpr size_t kRemembered = 32;
  mutable std::array<uint32_t, kRemembered> refusers_{};  // a ring buffer
  mutable size_t refused_ = 0;
};

}  // namespace hitbox::internal::hulls
