// Where the middle of a solid is, seen from its surface: the largest ball inside that touches it at
// a point. Shapes centred there hold a limb all around, which no merging along the surface would
// try: a ring around a tube is not a neighbourhood of any face.
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
  double radius = 0;  // 0: there is nothing behind the surface here
};

// Asks how far things are.
struct Surroundings {
  const TriangleBvh& surface;
  const DistanceField& field;
};

// The ball that touches the surface at `point`, whose unit normal is `normal`, from inside.
MedialBall medial_ball(const Surroundings& around, const Vec3& point, const Vec3& normal);

// The medial centres seen from these faces, as moments weighted by area; no area: there are none. Asks a
// few of the faces only.
Moments medial_moments(const MeshView& mesh, const Surroundings& around, std::span<const uint32_t> faces);

// The first axis along the centres.
Frame medial_frame(const Moments& medial);

}  // namespace hitbox::internal::fit
