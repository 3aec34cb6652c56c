#include "hulls/open_space.hpp"

#include <algorithm>
#include <cmath>

namespace hitbox::internal::hulls {

namespace {

// The space is enlarged by this fraction of the tolerance, and the proof allows the same fraction as slack.
constexpr double kMargin = 0.01;

// Options in the coordinates of the unit box, with the margin.
SpaceQuery query_of(const SpaceOptions& given, const UnitBox& unit) {
  SpaceQuery query{given.radius / unit.side, {}, !given.sealed, given.clear_points, {}};
  query.tolerance = Tolerance{given.tolerance, given.floor_tolerance, given.up}.scaled((1 - kMargin) / unit.side);
  query.blockers.half_spaces = given.half_spaces;
  query.blockers.shapes = given.shapes;
  query.blockers.slack = kMargin * query.tolerance.least();
  for (Vec3& p : query.clear_points) p = unit.to_unit(p);
  for (HalfSpace& half : query.blockers.half_spaces)
    half.offset = (half.offset - dot(half.normal, unit.origin)) / unit.side;
  for (Shape& shape : query.blockers.shapes) shape = transformed(shape, unit.to_unit());
  if (given.function)
    query.blockers.function = [function = given.function, unit](std::span<const Vec3> points, std::span<double> out) {
      std::vector<Vec3> there;
      for (const Vec3& p : points) there.push_back(unit.from_unit(p));
      function(there, out);
      for (double& d : out) d /= unit.side;
    };
  return query;
}

}  // namespace

OpenSpace::OpenSpace(const MeshView& mesh, const SpaceOptions& options, Run& run)
    : radius_(options.radius),
      tolerance_(options.tolerance),
      unit_(referenced_bounds(mesh)),
      mesh_(mesh, unit_),
      surface_(mesh_.view(), run),
      query_(query_of(options, unit_)),
      clearance_(surface_, query_.tolerance, query_.blockers) {}

Result<std::shared_ptr<const OpenSpace>> OpenSpace::around(const MeshView& mesh, const SpaceOptions& options,
                                                           Run& run) {
  const std::shared_ptr<OpenSpace> space(new OpenSpace(mesh, options, run));
  auto found = reached_space(space->mesh(), space->surface_, space->query_, run);
  if (!found) return found.error();
  space->take(std::move(found.value()), run);
  return std::shared_ptr<const OpenSpace>(space);
}

void OpenSpace::take(ReachedSpace&& found, Run& run) {
  spheres_ = std::move(found.spheres);
  user_count_ = found.user_count;
  boundary_ = boundary_of(found.reach, clearance_, run);
  is_reached_.assign(found.reach.is_reached.begin(), found.reach.is_reached.end());
}

double OpenSpace::slack() const {
  const double margin = kMargin * query_.tolerance.least();
  return std::min(margin / clearance_.steepness(query_.radius, margin), 0.5 * query_.radius);
}

std::vector<Violation> OpenSpace::violations(std::span<const PartHull* const> hulls, size_t most_a_hull,
                                             Run& run) const {
  return hulls::violations(hulls, boundary_, clearance_, query_.radius, slack(), most_a_hull, run);
}

bool OpenSpace::is_center(const Vec3& p) const {
  if (clearance_.at(p) < query_.radius) return false;
  const Grid& grid = boundary_.grid;
  const Grid::Cube cell = grid.points_in({p - Vec3{1, 1, 1} * grid.step, p + Vec3{1, 1, 1} * grid.step});
  for (int z = cell.low[2]; z < cell.high[2]; ++z)
    for (int y = cell.low[1]; y < cell.high[1]; ++y)
      for (int x = cell.low[0]; x < cell.high[0]; ++x)
        if (is_reached_[grid.index(x, y, z)]) return true;
  return false;
}

// By projecting on the body and on the box in turn. A body that hardly touches the box may have no such point.
std::optional<Vec3> OpenSpace::point_in_grid(const ConvexBody& body) const {
  constexpr int kMostSteps = 200;
  const Grid& grid = boundary_.grid;
  const Vec3 high = grid.position({grid.size[0] - 1, grid.size[1] - 1, grid.size[2] - 1});
  Vec3 p = body.nearest((grid.origin + high) * 0.5);
  for (int k = 0; k < kMostSteps; ++k) {
    const Vec3 inside = min(max(p, grid.origin), high);
    if (inside == p) return p;
    p = body.nearest(inside);
  }
  return std::nullopt;
}

// The part of a shape in the grid is connected. If it enters the space, it crosses the boundary of the set of centres,
// or it lies in that set altogether, like any of its points. The proof covers only centres that balls reach, so the
// room around the user's points is tested as spheres.
std::vector<Sphere> OpenSpace::entered_balls(const Shape& shape, size_t most) const {
  const ConvexBody body(transformed(shape, unit_.to_unit()));
  std::vector<Sphere> found;
  size_t last = 0;
  for (const Sphere& s : spheres_of_user())
    if (s.radius > slack() && body.is_within(s.center, s.radius - slack(), last)) found.push_back(s);
  const std::optional<Vec3> inside = point_in_grid(body);
  if (inside && is_center(*inside)) found.push_back({*inside, query_.radius});
  if (found.size() < most)
    for (const Sphere& s : hulls::violations(body, boundary_, clearance_, query_.radius, slack(), most - found.size()))
      found.push_back(s);
  found.resize(std::min(found.size(), most));
  for (Sphere& s : found) s = in_mesh(s);
  return found;
}

NavigableSpace OpenSpace::described(std::shared_ptr<const OpenSpace> space) {
  NavigableSpace described{{}, space->radius_, space->tolerance_, space->boundary_.grid.step * space->unit_.side, {}};
  for (const Sphere& s : space->spheres_) described.spheres.push_back(space->in_mesh(s));
  described.proof = std::move(space);
  return described;
}

}  // namespace hitbox::internal::hulls
