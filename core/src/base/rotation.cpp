#include "hitbox/rotation.hpp"

namespace hitbox {

// Shepperd's method: start from the largest of the four squared components, so that no division is by a small number.
Quaternion to_quaternion(const Frame& frame) {
  const Vec3 &a = frame.axis[0], &b = frame.axis[1], &c = frame.axis[2];
  const double squared[4] = {1 + a.x - b.y - c.z, 1 - a.x + b.y - c.z, 1 - a.x - b.y + c.z, 1 + a.x + b.y + c.z};
  const auto largest = std::max_element(squared, squared + 4) - squared;
  Quaternion q;
  switch (largest) {
    case 0: q = {squared[0], a.y + b.x, c.x + a.z, b.z - c.y}; break;
    case 1: q = {a.y + b.x, squared[1], b.z + c.y, c.x - a.z}; break;
    case 2: q = {c.x + a.z, b.z + c.y, squared[2], a.y - b.x}; break;
    default: q = {b.z - c.y, c.x - a.z, a.y - b.x, squared[3]}; break;
  }
  const double length = std::sqrt(q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  const double scale = (q.w < 0 ? -1 : 1) / length;
  return {q.x * scale + 0.0, q.y * scale + 0.0, q.z * scale + 0.0, q.w * scale + 0.0};  // no -0
}

Frame to_frame(const Quaternion& q) {
  const double s = 2 / (q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w);
  Frame frame;
  frame.axis[0] = {1 - s * (q.y * q.y + q.z * q.z), s * (q.x * q.y + q.w * q.z), s * (q.x * q.z - q.w * q.y)};
  frame.axis[1] = {s * (q.x * q.y - q.w * q.z), 1 - s * (q.x * q.x + q.z * q.z), s * (q.y * q.z + q.w * q.x)};
  frame.axis[2] = {s * (q.x * q.z + q.w * q.y), s * (q.y * q.z - q.w * q.x), 1 - s * (q.x * q.x + q.y * q.y)};
  return frame;
}

}  // namespace hitbox
