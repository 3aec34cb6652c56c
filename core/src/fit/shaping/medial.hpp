// The medial axis of a solid, seen from its surface: the largest ball inside that touches the surface at a point.
// Shapes centred there contain a limb all around, which merging along the surface never tries: a ring around a tube is
// not a neighbourhood of any face.
#pragma once

#include <span>

#include "bvh/bvh.hpp"
#include "fit/cost/distance_field.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/rotation.hpp"
#include "primitives/moments.hpp"

namespace hitbox::internal::fit {

struct MedialBall {
  Vec3 center;
  double radius = 0;  // 0: there is no inside behind the surface here
};

// Finds medial balls by distance queries.
struct Surroundings {
  const TriangleBvh& surface;
  const DistanceField& field;
};

// The ball that touches the surface from inside at `point`, whose unit normal is `normal`.
MedialBall medial_ball(const Surroundings& around, const Vec3& point, const Vec3& normal);

// The moments of the medial centres behind these faces, weighted by area; without area there are none. Samples only a
// few of the faces.
Moments medial_moments(const MeshView& mesh, const Surroundings& around, std::span<const uint32_t> faces);

// A frame whose first axis lies along the centres.
Frame medial_frame(const Moments& medial);

}  // namespace hitbox::internal::fit
