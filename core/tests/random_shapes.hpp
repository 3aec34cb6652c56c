// Random shapes of each kind, and meshes of shapes, for tests.
#pragma once

#include "base/random.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox::tests {

using namespace internal::base;

inline Vec3 random_point(Random& random, double reach) {
  return {random.uniform(-reach, reach), random.uniform(-reach, reach), random.uniform(-reach, reach)};
}

inline Vec3 random_direction(Random& random) {
  for (;;) {
    const Vec3 p = random_point(random, 1);
    if (norm_sq(p) <= 1 && norm_sq(p) > 1e-4) return normalized(p);
  }
}

inline Quaternion random_rotation(Random& random) {
  return to_quaternion(frame_from(random_direction(random), random_direction(random)));
}

// A skewed tetrahedron or a squashed octahedron.
inline Hull random_hull(Random& random) {
  const Frame frame = to_frame(random_rotation(random));
  const Vec3 center = random_point(random, 1);
  const auto place = [&](double x, double y, double z) { return center + frame.to_world({x, y, z}); };
  const double a = random.uniform(0.3, 1), b = random.uniform(0.3, 1), c = random.uniform(0.1, 1);
  if (random.uniform() < 0.5)
    return {{place(0, 0, 0), place(a, 0, 0.1), place(0.2, b, 0), place(0.1, 0.3, c)},
            {{0, 2, 1}, {0, 1, 3}, {1, 2, 3}, {2, 0, 3}}};
  return {{place(a, 0, 0), place(-a, 0, 0), place(0, b, 0), place(0, -b, 0), place(0, 0, c), place(0, 0, -c)},
          {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4}, {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}}};
}

inline Shape random_shape(Random& random, Kind kind) {
  const Vec3 center = random_point(random, 1), end = random_point(random, 1);
  const auto size = [&] { return random.uniform(0.1, 1); };
  const double narrow = random.uniform() < 0.2 ? 0 : size();
  switch (kind) {
    case Kind::box: return Box{center, random_rotation(random), {size(), size(), size()}};
    case Kind::sphere: return Sphere{center, size()};
    case Kind::capsule: return Capsule{center, end, size()};
    case Kind::cylinder: return Cylinder{center, end, size()};
    case Kind::frustum:
      return random.uniform() < 0.5 ? Frustum{center, end, size(), narrow} : Frustum{center, end, narrow, size()};
    case Kind::prism:
      return random.uniform() < 0.5 ? Prism{center, random_rotation(random), size(), size(), size(), narrow}
                                    : Prism{center, random_rotation(random), size(), size(), narrow, size()};
    case Kind::hull: break;
  }
  return random_hull(random);
}

inline Mesh mesh_of(const Shape& shape, int segments) {
  const TriangleMesh triangles = to_mesh(shape, segments);
  Mesh mesh;
  mesh.vertices = triangles.vertices;
  for (const Triangle& t : triangles.triangles) {
    mesh.indices.insert(mesh.indices.end(), t.begin(), t.end());
    mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
  }
  return mesh;
}

}  // namespace hitbox::tests
