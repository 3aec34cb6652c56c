// Good and bad inputs for the tests of public calls.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "hitbox/hitbox.hpp"
#include "tests/check.hpp"
#include "tests/meshes.hpp"

namespace hitbox::tests {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// What every verb must refuse: an index out of range, a face of two corners, a vertex that is not a number, no faces at
// all, no extent, and offsets that do not fit.
inline std::vector<Mesh> wrong_meshes() {
  std::vector<Mesh> wrong(7, box_mesh({{0, 0, 0}, {1, 1, 1}}));
  wrong[0].indices[5] = 8;
  wrong[1].offsets[1] = 2;
  wrong[2].vertices[3].y = kNan;
  wrong[3] = Mesh{};
  for (Vec3& v : wrong[4].vertices) v = {1, 1, 1};
  wrong[5].offsets.back() = 23;
  wrong[6].vertices[0].x = 1e61;
  return wrong;
}

// Whether `verb` refuses all of them, each with one sentence that names the mesh.
template <class Verb>
bool refuses_wrong_meshes(Verb&& verb) {
  for (const Mesh& mesh : wrong_meshes()) {
    const auto result = verb(mesh.view());
    if (result.ok() || !result.error().message.starts_with("mesh: ")) return false;
  }
  return true;
}

// The text of an error; empty if there is none.
template <class T>
std::string said(const Result<T>& result) {
  return result.ok() ? "" : result.error().message;
}

inline std::vector<Vec3> points_in_a_cube(size_t count, double half) {
  internal::base::Random random(11);
  std::vector<Vec3> points(count);
  const auto coordinate = [&] { return half * (2 * random.uniform() - 1); };
  for (Vec3& p : points) p = {coordinate(), coordinate(), coordinate()};
  return points;
}

inline double distance(const Shape& shape, const Vec3& p) {
  double found = 0;
  signed_distance(shape, {&p, 1}, {&found, 1});
  return found;
}

// Whether each face lies in a shape that lists it.
inline bool encloses_every_face(const FitResult& fitted, const Mesh& mesh) {
  std::vector<bool> enclosed(mesh.view().face_count());
  for (size_t k = 0; k < fitted.shapes.size(); ++k) {
    for (uint32_t at = fitted.face_offsets[k]; at < fitted.face_offsets[k + 1]; ++at) {
      const uint32_t face = fitted.faces[at];
      bool inside = true;
      for (const uint32_t v : mesh.view().face(face)) inside &= distance(fitted.shapes[k], mesh.vertices[v]) <= 1e-9;
      if (inside) enclosed[face] = true;
    }
  }
  for (const bool each : enclosed)
    if (!each) return false;
  return true;
}

}  // namespace hitbox::tests
