#include "medial.hpp"

#include <algorithm>

#include "../geometry/eigen3.hpp"

namespace hitbox {

namespace {

constexpr size_t kFacesAsked = 32;
constexpr int kShrinkSteps = 6;
constexpr double kClear = 1e-6;     // of a unit-diagonal mesh: a ray starts this far behind its face
constexpr double kTouching = 0.98;  // a ball this nearly empty is taken as empty

}  // namespace

// Shrinking ball (Ma, Bae, Choi 2012): as long as something lies inside the ball, the ball through
// the touching point and the nearest such point takes its place.
MedialBall medial_ball(const TriangleBvh& surface, const Vec3& point, const Vec3& normal) {
  const TriangleBvh::Hit hit = surface.first_hit({point - normal * kClear, -normal});
  if (hit.triangle == Bvh::kNone) return {};
  double radius = 0.5 * hit.t;
  for (int step = 0; step < kShrinkSteps; ++step) {
    const Vec3 center = point - normal * radius;
    const TriangleBvh::Closest near = surface.closest(center, radius * radius);
    if (near.triangle == Bvh::kNone || near.distance_sq >= kTouching * kTouching * radius * radius) break;
    const Vec3 apart = point - near.point;
    const double along = dot(normal, apart);
    if (!(along > 0)) break;
    radius = std::min(radius, norm_sq(apart) / (2 * along));
  }
  return {point - normal * radius, radius};
}

Frame medial_frame(const Moments& medial) { return permuted(eigen3(medial.second).vectors, 2, 0); }

Moments medial_moments(const MeshView& mesh, const TriangleBvh& surface, std::span<const uint32_t> faces) {
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
    const MedialBall ball = medial_ball(surface, own.centroid, normalized(normal));
    if (ball.radius > 0) {
      const Moments one{own.area, ball.center, {}};
      sum = sum.area > 0 ? sum + one : one;
    }
  }
  return sum;
}

}  // namespace hitbox
