// The largest radius of a ball around a point that keeps the tolerance from the mesh and stays out of the blockers.
//
// The tolerance may be smaller above surfaces that face up, so that characters do not float over a floor. For each
// triangle it depends on the direction from the triangle's nearest point to the ball's centre: within 30 degrees of up
// it is the floor's tolerance, beyond 60 degrees the other one, and in between it is linear in the cosine.
// Cost: one query of the tree, 1-2 us, and slightly more with a separate floor tolerance.
#pragma once

#include "bvh/bvh.hpp"
#include "space/blockers.hpp"

namespace hitbox::internal::space {

struct Tolerance {
  double all = 0;    // mesh units, above 0
  double floor = 0;  // above surfaces that face `up`; 0: as everywhere. At most `all`
  Vec3 up{0, 0, 1};

  bool is_directed() const { return floor > 0 && floor < all; }
  double least() const { return is_directed() ? floor : all; }
  double along(const Vec3& direction) const;  // a unit vector away from the mesh
  // The least tolerance for points within `away` of a point at `distance` from the mesh in that direction.
  double least_near(const Vec3& direction, double distance, double away) const;
  // Its Lipschitz constant along a path that is nowhere nearer to the mesh than `distance`.
  double steepness(double distance) const;
  Tolerance scaled(double by) const { return {all * by, floor * by, up}; }
};

class Clearance {
 public:
  Clearance(const TriangleBvh& surface, const Tolerance& tolerance, const Blockers& blockers)
      : surface_(surface), tolerance_(tolerance), blockers_(blockers) {}

  const Tolerance& tolerance() const { return tolerance_; }
  const Blockers& blockers() const { return blockers_; }
  // The distance from the mesh; `most` is a known upper bound.
  double distance(const Vec3& p, double most = Bounds::kInfinity) const;
  Vec3 nearest(const Vec3& p) const { return surface_.closest(p).point; }
  // The largest radius of a ball around p for the mesh, for the blockers, and for both; negative if p itself is too
  // near.
  double of_mesh(const Vec3& p) const;
  double of_blockers(const Vec3& p) const;
  double at(const Vec3& p) const { return blockers_.empty() ? of_mesh(p) : std::min(of_mesh(p), of_blockers(p)); }
  // The same with a known vector from the mesh's nearest point.
  double at(const Vec3& p, const Vec3& from_mesh) const {
    if (tolerance_.is_directed()) return at(p);
    const double of_mesh = norm(from_mesh) - tolerance_.all;
    return blockers_.empty() ? of_mesh : std::min(of_mesh, of_blockers(p));
  }
  // The Lipschitz constant of of_mesh within `away` of a point where it is `room`.
  double steepness(double room, double away) const {
    return 1 + tolerance_.steepness(room + tolerance_.least() - away);
  }
  // The direction in which the room increases.
  Vec3 gradient(const Vec3& p) const;

 private:
  TriangleBvh::Closest most_pressing(const Vec3& p) const;

  const TriangleBvh& surface_;
  Tolerance tolerance_;
  const Blockers& blockers_;
};

}  // namespace hitbox::internal::space
