#include "fit/shaping/medial.hpp"

#include <algorithm>

#include "geometry/eigen3.hpp"

namespace hitbox::internal::fit {

namespace {

constexpr size_t kFacesAsked = 4;
constexpr int kSteps = 7;
constexpr double kClear = 1e-6;     // on a unit-diagonal mesh: a ray starts this far behind its face
constexpr double kTouching = 0.98;  // a ball that is empty up to this factor counts as empty

}  // namespace

// Along the inward normal from `point`, the nearest surface point stays `point` itself until the medial axis is
// reached. Bisection finds that place.
MedialBall medial_ball(const Surroundings& around, const Vec3& point, const Vec3& normal) {
  const TriangleBvh::Hit hit = around.surface.first_hit({point - normal * kClear, -normal});
  if (hit.triangle == Bvh::kNone) return {};
  double low = 0, high = 0.5 * hit.t;
  const auto is_empty = [&](double radius) {
    return around.field.to_surface(point - normal * radius) >= kTouching * radius;
  };
  if (is_empty(high)) return {point - normal * high, high};
  for (int step = 0; step < kSteps; ++step) {
    const double middle = 0.5 * (low + high);
    (is_empty(middle) ? low : high) = middle;
  }
  return {point - normal * low, low};
}

Frame medial_frame(const Moments& medial) { return permuted(eigen3(medial.second).vectors, 2, 0); }

Moments medial_moments(const MeshView& mesh, const Surroundings& around, std::span<const uint32_t> faces) {
  Moments sum;
  const size_t stride = std::max<size_t>(1, faces.size() / kFacesAsked);
  for (size_t k = stride / 2; k < faces.size(); k += stride) {
    const auto face = mesh.face(faces[k]);
    const Vec3 a = mesh.vertices[face[0]];
    Vec3 normal;
    for (size_t j = 2; j < face.size(); ++j)
      normal += cross(mesh.vertices[face[j - 1]] - a, mesh.vertices[face[j]] - a);
    const double area = 0.5 * norm(normal);
    if (!(area > 0)) continue;
    const Moments own = face_moments(mesh.vertices, face);
    const MedialBall ball = medial_ball(around, own.centroid, normalized(normal));
    if (ball.radius > 0) {
      const Moments one{own.area, ball.center, {}};
      sum = sum.area > 0 ? sum + one : one;
    }
  }
  return sum;
}

}  // namespace hitbox::internal::fit
