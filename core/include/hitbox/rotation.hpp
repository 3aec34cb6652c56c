// Rotations: as frames (three orthonormal axes) and as unit quaternions.
#pragma once

#include "hitbox/vec3.hpp"

namespace hitbox {

// A right-handed orthonormal basis. `axis[k]` is the k-th axis in world coordinates.
struct Frame {
  Vec3 axis[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

  Vec3 to_local(const Vec3& p) const { return {dot(axis[0], p), dot(axis[1], p), dot(axis[2], p)}; }
  Vec3 to_world(const Vec3& p) const { return axis[0] * p.x + axis[1] * p.y + axis[2] * p.z; }
  friend bool operator==(const Frame&, const Frame&) = default;
};

// The frame whose first axis is along `first` and whose second axis is as close to `second` as possible.
inline Frame frame_from(const Vec3& first, const Vec3& second) {
  Frame frame;
  frame.axis[0] = normalized(first);
  const Vec3 rest = second - frame.axis[0] * dot(frame.axis[0], second);
  const bool parallel = norm_sq(rest) <= 1e-24 * norm_sq(second);
  frame.axis[1] = parallel ? any_perpendicular(frame.axis[0]) : normalized(rest);
  frame.axis[2] = cross(frame.axis[0], frame.axis[1]);
  return frame;
}

// The same frame with permuted axes: new axis k is old axis order[k]. The last one is flipped if necessary to keep the
// frame right-handed.
inline Frame permuted(const Frame& frame, int first, int second) {
  Frame result;
  result.axis[0] = frame.axis[first];
  result.axis[1] = frame.axis[second];
  result.axis[2] = cross(result.axis[0], result.axis[1]);
  return result;
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
