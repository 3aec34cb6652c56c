// Meshes of known shape, shared by the tests of several folders.
#pragma once

#include <array>
#include <cmath>

#include "base/mat3.hpp"
#include "hitbox/bounds.hpp"
#include "hitbox/mesh.hpp"

namespace hitbox::tests {

inline void add_face(Mesh& mesh, std::initializer_list<uint32_t> corners) {
  mesh.indices.insert(mesh.indices.end(), corners);
  mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
}

// Six quads that face outward, or inward for `inward`.
inline void add_box(Mesh& mesh, const Bounds& box, bool inward = false) {
  const auto first = static_cast<uint32_t>(mesh.vertices.size());
  for (const double x : {box.low.x, box.high.x})
    for (const double y : {box.low.y, box.high.y})
      for (const double z : {box.low.z, box.high.z}) mesh.vertices.push_back({x, y, z});
  for (const auto& [a, b, c, d] :
       {std::array{0u, 1u, 3u, 2u}, std::array{4u, 6u, 7u, 5u}, std::array{0u, 4u, 5u, 1u}, std::array{2u, 3u, 7u, 6u},
        std::array{0u, 2u, 6u, 4u}, std::array{1u, 5u, 7u, 3u}}) {
    if (inward)
      add_face(mesh, {first + d, first + c, first + b, first + a});
    else
      add_face(mesh, {first + a, first + b, first + c, first + d});
  }
}

inline Mesh box_mesh(const Bounds& box) {
  Mesh mesh;
  add_box(mesh, box);
  return mesh;
}

// A box with a smaller one cut out of its middle: a solid with a sealed room.
inline Mesh hollow_box(const Bounds& outer, const Bounds& inner) {
  Mesh mesh;
  add_box(mesh, outer);
  add_box(mesh, inner, true);
  return mesh;
}

// A frame of four bars around a square hole: a solid whose hull contains the hole.
inline Mesh window(double low = 0.3, double high = 0.7, double depth = 0.1) {
  Mesh mesh;
  for (const double z : {0.0, depth})
    for (const auto& [from, to] : {std::pair(0.0, 1.0), std::pair(low, high)})
      for (const auto& [x, y] : {std::pair(from, from), std::pair(to, from), std::pair(to, to), std::pair(from, to)})
        mesh.vertices.push_back({x, y, z});
  for (uint32_t k = 0; k < 4; ++k) {
    const uint32_t next = (k + 1) % 4;
    add_face(mesh, {k, k + 4, next + 4, next});            // below: outer 0-3, inner 4-7
    add_face(mesh, {k + 8, next + 8, next + 12, k + 12});  // above
    add_face(mesh, {k, next, next + 8, k + 8});            // outside
    add_face(mesh, {k + 4, k + 12, next + 12, next + 4});  // inside the hole
  }
  return mesh;
}

inline Mesh torus(uint32_t side, double ring, double tube) {
  Mesh mesh;
  for (uint32_t i = 0; i < side; ++i)
    for (uint32_t j = 0; j < side; ++j) {
      const double turn = 2 * std::acos(-1.0), u = turn * i / side, v = turn * j / side, r = ring + tube * std::cos(v);
      mesh.vertices.push_back({r * std::cos(u), r * std::sin(u), tube * std::sin(v)});
      const uint32_t right = (i + 1) % side, up = (j + 1) % side;
      add_face(mesh, {i * side + j, right * side + j, right * side + up, i * side + up});
    }
  return mesh;
}

// An L-shaped solid: two boxes as one, with one concave edge.
inline Mesh angle_mesh(double length, double width, double height) {
  Mesh mesh;
  const std::array<std::array<double, 2>, 6> outline = {
      {{0, 0}, {length, 0}, {length, width}, {width, width}, {width, length}, {0, length}}};
  for (const double z : {0.0, height})
    for (const auto& [x, y] : outline) mesh.vertices.push_back({x, y, z});
  add_face(mesh, {0, 5, 4, 3, 2, 1});
  add_face(mesh, {6, 7, 8, 9, 10, 11});
  for (uint32_t k = 0; k < 6; ++k) add_face(mesh, {k, (k + 1) % 6, (k + 1) % 6 + 6, k + 6});
  return mesh;
}

// An open box, one-sided walls and a floor without thickness.
inline Mesh tray(double size, double height) {
  Mesh mesh;
  for (const double z : {0.0, height})
    for (const auto& [x, y] : {std::pair(0.0, 0.0), std::pair(size, 0.0), std::pair(size, size), std::pair(0.0, size)})
      mesh.vertices.push_back({x, y, z});
  add_face(mesh, {0, 1, 2, 3});
  for (uint32_t k = 0; k < 4; ++k) add_face(mesh, {k, k + 4, (k + 1) % 4 + 4, (k + 1) % 4});
  return mesh;
}

}  // namespace hitbox::tests
