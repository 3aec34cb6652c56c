// Frames (three orthonormal axes), symmetric 3x3 matrices and unit quaternions.
#pragma once

#include "base/vec3.hpp"

namespace hitbox {

// A right-handed orthonormal basis. `axis[k]` is the k-th axis in world coordinates.
struct Frame {
  Vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

  Vec3 to_local(const Vec3& p) const { return {dot(axis[0], p), dot(axis[1], p), dot(axis[2], p)}; }
  Vec3 to_world(const Vec3& p) const { return axis[0] * p.x + axis[1] * p.y + axis[2] * p.z; }
  friend bool operator==(const Frame&, const Frame&) = default;
};

// The frame whose first axis is along `first` and whose second is as near `second` as can be.
inline Frame frame_from(const Vec3& first, const Vec3& second) {
  Frame frame;
  frame.axis[0] = normalized(first);
  const Vec3 rest = second - frame.axis[0] * dot(frame.axis[0], second);
  const bool parallel = norm_sq(rest) <= 1e-24 * norm_sq(second);
  frame.axis[1] = parallel ? any_perpendicular(frame.axis[0]) : normalized(rest);
  frame.axis[2] = cross(frame.axis[0], frame.axis[1]);
  return frame;
}

// The same frame with its axes renamed: new axis k is old axis order[k], the last one flipped if
// that is needed to stay right-handed.
inline Frame permuted(const Frame& frame, int first, int second) {
  Frame result;
  result.axis[0] = frame.axis[first];
  result.axis[1] = frame.axis[second];
  result.axis[2] = cross(result.axis[0], result.axis[1]);
  return result;
}

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

// The x with a x = b, by Cramer's rule: for tensors that are far from singular.
inline Vec3 solved(const Sym3& a, const Vec3& b) {
  const Vec3 c0{a.xx, a.xy, a.xz}, c1{a.xy, a.yy, a.yz}, c2{a.xz, a.yz, a.zz};
  return Vec3{dot(b, cross(c1, c2)), dot(c0, cross(b, c2)), dot(c0, cross(c1, b))} / a.determinant();
}

// Unit quaternion (x, y, z, w).
struct Quaternion {
  double x = 0, y = 0, z = 0, w = 1;
  friend bool operator==(const Quaternion&, const Quaternion&) = default;
};

// First `b`, then `a`.
inline Quaternion operator*(const Quaternion& a, const Quaternion& b) {
  return {a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y, a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x,
          a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w, a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z};
}

Quaternion to_quaternion(const Frame& frame);  // unit, w >= 0
Frame to_frame(const Quaternion& rotation);    // of any non-zero quaternion

}  // namespace hitbox
