// Flat grids of squares in space with some squares missing, and their borders, for the tests of borders and caps.
#pragma once

#include <functional>

#include "base/random.hpp"
#include "hitbox/mesh.hpp"

namespace hitbox::tests {

// The grid has square (x, y) of width x height if `has(x, y)`. Corners have whole coordinates in a tilted plane, so
// that they lie in it exactly.
inline Mesh plane_grid(int width, int height, const std::function<bool(int, int)>& has) {
  Mesh mesh;
  for (int y = 0; y <= height; ++y)
    for (int x = 0; x <= width; ++x) mesh.vertices.push_back({x + 2.0 * y, 3.0 * y - x, 2.0 * x + y});
  const auto vertex = [&](int x, int y) { return static_cast<uint32_t>(y * (width + 1) + x); };
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      if (!has(x, y)) continue;
      for (const uint32_t v : {vertex(x, y), vertex(x + 1, y), vertex(x + 1, y + 1), vertex(x, y + 1)})
        mesh.indices.push_back(v);
      mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
    }
  return mesh;
}

}  // namespace hitbox::tests
