// How often a mesh winds around a point: 1 inside a closed solid, 0 outside, something in between
// near the holes of an open one. So "inside" has a meaning for meshes with gaps, for parts that
// overlap, and for soups (nowhere).
//
// After Barill and others, "Fast Winding Numbers for Soups and Clouds" (2018): far from a box of
// triangles their solid angle is that of one dipole; near it each triangle's is exact.
// Cost: linear to build; a query is logarithmic, 1-3 us.
#pragma once

#include <array>
#include <vector>

#include "bvh/bvh.hpp"

namespace hitbox::internal::measure {

class Winding {
 public:
  explicit Winding(const TriangleBvh& surface);  // which must outlive it
  // Within about 0.1 of the exact number: enough to tell inside from outside.
  double at(const Vec3& p) const;
  // Wound around more than half, either way round: files with all faces turned are common.
  bool contains(const Vec3& p) const { return std::abs(at(p)) > 0.5; }

 private:
  struct Dipole {
    Vec3 center, moment;  // the sum of the triangles' normals times their areas
    double reach_sq = 0;  // beyond this distance from `center` it stands for them all
  };
  struct Sum {
    Vec3 weighted_center, moment;
    double area = 0;
    Bounds box;
  };

  Sum sum_of_leaf(uint32_t first, uint32_t count) const;
  Sum sum_of_node(uint32_t node);
  static Dipole dipole_of(const Sum& sum);

  const TriangleBvh& surface_;
  std::vector<std::array<Dipole, 4>> dipoles_;  // one a child of each node
};

}  // namespace hitbox::internal::measure
