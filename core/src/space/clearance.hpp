// How large a ball about a point may be: it keeps the tolerance from the mesh, and stays out of the blockers.
//
// The tolerance may be smaller above what faces up, so that nobody floats over a floor: for each triangle that of
// the direction in which the point lies from the triangle's nearest point, within 30 degrees of up the floor's,
// beyond 60 degrees the other one, and in between evenly by the cosine.
// Cost: one question to the tree, 1-2 us; some more with a tolerance of the floor's own.
#pragma once

#include "bvh/bvh.hpp"
#include "space/blockers.hpp"

namespace hitbox::internal::space {

struct Tolerance {
  double all = 0;    // mesh units, above 0
  double floor = 0;  // above what faces `up`; 0: as everywhere. Never more than `all`
  Vec3 up{0, 0, 1};

  bool is_directed() const { return floor > 0 && floor < all; }
  double least() const { return is_directed() ? floor : all; }
  double along(const Vec3& direction) const;  // a unit vector, away from the mesh
  // The least for points within `away` of one that is `distance` from the mesh in that direction.
  double least_near(const Vec3& direction, double distance, double away) const;
  // By how much it changes at most on a way of length 1 that is nowhere nearer to the mesh than `distance`.
  double steepness(double distance) const;
  Tolerance scaled(double by) const { return {all * by, floor * by, up}; }
};

class Clearance {
 public:
  Clearance(const TriangleBvh& surface, const Tolerance& tolerance, const Blockers& blockers)
      : surface_(surface), tolerance_(tolerance), blockers_(blockers) {}

  const Tolerance& tolerance() const { return tolerance_; }
  const Blockers& blockers() const { return blockers_; }
  // From the mesh; `most` is at least that, where something is known.
  double distance(const Vec3& p, double most = Bounds::kInfinity) const;
  Vec3 nearest(const Vec3& p) const { return surface_.closest(p).point; }
  // How large a ball about p may be for the mesh, for the blockers, and for both; negative where p itself is too near.
  double of_mesh(const Vec3& p) const;
  double of_blockers(const Vec3& p) const;
  double at(const Vec3& p) const { return blockers_.empty() ? of_mesh(p) : std::min(of_mesh(p), of_blockers(p)); }
  // The same where the way from the mesh's nearest point is known.
  double at(const Vec3& p, const Vec3& from_mesh) const {
    if (tolerance_.is_directed()) return at(p);
    const double of_mesh = norm(from_mesh) - tolerance_.all;
    return blockers_.empty() ? of_mesh : std::min(of_mesh, of_blockers(p));
  }
  // By how much of_mesh changes at most on a way of length 1, within `away` of a point where it is `room`.
  double steepness(double room, double away) const {
    return 1 + tolerance_.steepness(room + tolerance_.least() - away);
  }
  // The direction in which there is more room.
  Vec3 gradient(const Vec3& p) const;

 private:
  TriangleBvh::Closest most_pressing(const Vec3& p) const;

  const TriangleBvh& surface_;
  Tolerance tolerance_;
  const Blockers& blockers_;
};

}  // namespace hitbox::internal::space
