// The spheres of a navigable space, sorted into cubes, so that few are asked when a hull is tried.
//
// Cost: linear to build; a question looks at the cubes near the hull's box. Not to be asked from two threads at once:
// it remembers the spheres that refused the last hulls, and tries these first.
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
  // Whether the hull comes nearer to a centre than the sphere's radius. Plants the hull where it is large.
  bool entered_by(PartHull& hull) const;
  // A quick look at some of the spheres: false says nothing.
  bool is_seen_entered_by(const PartHull& hull) const;
  static constexpr double kTouching = 1e-9;

 private:
  struct Bin {
    uint32_t first, count;
    Vec3 center;   // of the box around the spheres' centres
    double reach;  // from there to the furthest point of a sphere
    Bounds box;    // around the spheres
  };
  bool is_refused_again(const PartHull& hull) const;
  void remember(uint32_t sphere) const { refusers_[refused_++ % kRemembered] = sphere; }
  template <class Visit>  // visit(sphere) says whether to go on
  void each_near(const PartHull& hull, Visit&& visit) const;

  std::vector<Sphere> spheres_;  // bin by bin
  std::vector<Bin> bins_;
  std::vector<uint32_t> some_;  // spheres, evenly spread
  static constexpr size_t kRemembered = 32;
  mutable std::array<uint32_t, kRemembered> refusers_{};  // a ring
  mutable size_t refused_ = 0;
};

}  // namespace hitbox::internal::hulls
