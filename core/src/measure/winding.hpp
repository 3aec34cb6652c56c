// The winding number of a mesh around a point: 1 inside a closed solid, 0 outside, and a value in between near the
// holes of an open one. So "inside" is defined for meshes with gaps and for overlapping parts, and is empty for soups.
//
// After Barill and others, "Fast Winding Numbers for Soups and Clouds" (2018): far from a box of triangles their solid
// angle is that of one dipole. Near the box each triangle's angle is exact.
// Cost: linear to build; a query is logarithmic, 1-3 us.
#pragma once

#include <array>
#include <vector>

#include "bvh/bvh.hpp"

namespace hitbox::internal::measure {

class Winding {
 public:
  explicit Winding(const TriangleBvh& surface);  // which must outlive it
  // Accurate to about 0.1, which is enough to distinguish inside from outside.
  double at(const Vec3& p) const;
  // Whether the magnitude exceeds one half, with either sign, because files with all faces reversed are common.
  bool contains(const Vec3& p) const { return std::abs(at(p)) > 0.5; }

 private:
  struct Dipole {
    Vec3 center, moment;  // moment: the sum of the triangles' normals times their areas
    double reach_sq = 0;  // beyond this distance from `center` the dipole represents all of them
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
  std::vector<std::array<Dipole, 4>> dipoles_;  // one per child of each node
};

}  // namespace hitbox::internal::measure
