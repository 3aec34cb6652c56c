// Symmetric 3x3 matrices: moments, and what frames are the eigenvectors of.
#pragma once

#include "base/rooms.hpp"
#include "hitbox/vec3.hpp"

namespace hitbox::internal::base {

struct Sym3 {
  double xx = 0, xy = 0, xz = 0, yy = 0, yz = 0, zz = 0;

  static Sym3 outer(const Vec3& v, double weight) {
    return {weight * v.x * v.x, weight * v.x * v.y, weight * v.x * v.z,
            weight * v.y * v.y, weight * v.y * v.z, weight * v.z * v.z};
  }
  double trace() const { return xx + yy + zz; }
  double determinant() const { return xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz); }
};

inline Sym3 operator+(const Sym3& a, const Sym3& b) {
  return {a.xx + b.xx, a.xy + b.xy, a.xz + b.xz, a.yy + b.yy, a.yz + b.yz, a.zz + b.zz};
}
inline Sym3 operator*(const Sym3& a, double s) { return {a.xx * s, a.xy * s, a.xz * s, a.yy * s, a.yz * s, a.zz * s}; }

// Solves a x = b by Cramer's rule, for tensors that are far from singular.
inline Vec3 solved(const Sym3& a, const Vec3& b) {
  const Vec3 c0{a.xx, a.xy, a.xz}, c1{a.xy, a.yy, a.yz}, c2{a.xz, a.yz, a.zz};
  return Vec3{dot(b, cross(c1, c2)), dot(c0, cross(b, c2)), dot(c0, cross(c1, b))} / a.determinant();
}

}  // namespace hitbox::internal::base
