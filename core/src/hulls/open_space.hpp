// The space that a ball can reach around a mesh, with everything that proves that a shape stays out of it.
//
// It keeps a copy of the mesh whose bounding box has a longest side of 1, the mesh's tree, the blockers, and the grid.
// Spheres represent the space only at grid points. Between them a shape could still enter; the proof (certify.hpp)
// covers the whole space.
//
// The space is found for 99 % of the tolerance, and the proof allows the remaining 1 % as slack: a shape that is closer
// to a centre of this larger space by less than the slack does not enter the true space.
//
// The space ends with the grid's box, which extends by at least radius + tolerance beyond that of the mesh. A part of a
// shape that lies beside it is not tested.
// Memory: that of the mesh and its tree, a bit per grid point, and 4 bytes per grid point at the boundary.
#pragma once

#include <memory>
#include <vector>

#include "hitbox/space.hpp"
#include "hulls/certify.hpp"
#include "space/space.hpp"
#include "space/unit_box.hpp"

namespace hitbox::internal::hulls {

class OpenSpace {
 public:
  // `mesh` has passed check_mesh. An Error if the grid would be too large.
  static Result<std::shared_ptr<const OpenSpace>> around(const MeshView& mesh, const SpaceOptions& options, Run& run);

  OpenSpace(const OpenSpace&) = delete;  // the clearance refers to other members
  OpenSpace& operator=(const OpenSpace&) = delete;

  // In the coordinates of the unit box.
  const UnitBox& unit() const { return unit_; }
  MeshView mesh() const { return mesh_.view(); }
  const TriangleBvh& surface() const { return surface_; }
  const SpaceQuery& query() const { return query_; }
  std::span<const Sphere> spheres() const { return spheres_; }
  std::span<const Sphere> spheres_of_user() const { return spheres().first(user_count_); }
  // Violations of the proof: at most `most_a_hull` per hull.
  std::vector<Violation> violations(std::span<const PartHull* const> hulls, size_t most_a_hull, Run& run) const;

  // In the coordinates of the mesh.
  // At most `most` balls that a shape enters, anywhere in the space. None: it is proved that the shape stays out. Safe
  // to call from all threads.
  std::vector<Sphere> entered_balls(const Shape& shape, size_t most) const;
  bool entered_by(const Shape& shape) const { return !entered_balls(shape, 1).empty(); }

  // The space as users have it, whose proof is `space`.
  static NavigableSpace described(std::shared_ptr<const OpenSpace> space);

 private:
  OpenSpace(const MeshView& mesh, const SpaceOptions& options, Run& run);
  void take(ReachedSpace&& found, Run& run);
  double slack() const;
  Sphere in_mesh(const Sphere& s) const { return {unit_.from_unit(s.center), s.radius * unit_.side}; }
  // Whether p, in the grid, may be a centre.
  bool is_center(const Vec3& p) const;
  // A point of the body in the grid's box, if there is one.
  std::optional<Vec3> point_in_grid(const ConvexBody& body) const;

  double radius_, tolerance_;  // as given
  UnitBox unit_;
  UnitMesh mesh_;
  TriangleBvh surface_;
  SpaceQuery query_;
  Clearance clearance_;
  std::vector<Sphere> spheres_;
  size_t user_count_ = 0;
  Boundary boundary_;
  std::vector<bool> is_reached_;  // one per grid point
};

}  // namespace hitbox::internal::hulls
