#include "hulls/certify.hpp"

#include <algorithm>
#include <cmath>

namespace hitbox::internal::hulls {

namespace {

template <class Body>
class Certifier {
 public:
  // `away` is half the diagonal of the cubes.
  Certifier(std::span<const Body* const> hulls, const Clearance& clearance, double radius, double slack, double away)
      : hulls_(hulls),
        clearance_(clearance),
        radius_(radius),
        slack_(slack),
        steepness_(clearance.steepness(radius, away)) {}

  // Checks the cube around `center` with half sides `half`. `near` has the hulls that may be too close to boundary
  // points in it. One violation per hull is enough, because a sphere there also moves the hull away from others.
  void look_at(const Vec3& center, double half, std::span<const uint32_t> near, std::vector<Violation>& found) const {
    const double away = half * std::sqrt(3.0);
    std::vector<uint32_t> nearer;
    size_t last = 0;
    for (const uint32_t k : near)
      if (!is_among(found, k) && hulls_[k]->is_within(center, radius_ - slack_ + away, last)) nearer.push_back(k);
    if (nearer.empty()) return;
    const Vec3 from_mesh = center - clearance_.nearest(center);
    std::erase_if(nearer, [&](uint32_t k) { return is_clear(center, from_mesh, away, *hulls_[k]); });
    if (nearer.empty()) return;
    const double room = clearance_.at(center, from_mesh);
    if (std::abs(room - radius_) > steepness_ * away) return;
    if (steepness_ * away <= 0.5 * slack_) {
      for (const uint32_t k : nearer) found.push_back({{center, room}, k});
      return;
    }
    for (unsigned part = 0; part < 8; ++part) {
      Vec3 middle = center;
      for (int axis = 0; axis < 3; ++axis) middle[axis] += (part >> axis & 1) != 0 ? half / 2 : -half / 2;
      look_at(middle, half / 2, nearer, found);
    }
  }

 private:
  static bool is_among(std::span<const Violation> found, uint32_t hull) {
    return std::any_of(found.begin(), found.end(), [&](const Violation& v) { return v.hull == hull; });
  }
  // Whether no centre within `away` is too close to the hull; see the head of certify.hpp.
  bool is_clear(const Vec3& center, const Vec3& from_mesh, double away, const Body& hull) const {
    const Vec3 from_hull = center - hull.nearest(center);
    const double of_mesh = norm(from_mesh), of_hull = norm(from_hull);
    if (!(of_mesh > 0 && of_hull > 0)) return false;
    const double turned = norm(from_mesh / of_mesh - from_hull / of_hull);
    const double tolerance = clearance_.tolerance().least_near(from_mesh / of_mesh, of_mesh, away);
    const double least = of_hull + radius_ + tolerance - of_mesh - away * away / (2 * of_mesh) - turned * away;
    return least >= radius_ - slack_;
  }

  std::span<const Body* const> hulls_;
  const Clearance& clearance_;
  double radius_, slack_;
  double steepness_;
};

// Whether all 26 grid points around this one are free. Then the boundary does not cross its cube: the blocked set is a
// union of balls no smaller than a step, and a ball that touches the cube contains one of these points. Points beside
// the grid are outside.
bool is_deep(const Reach& reach, const GridPoint& at) {
  for (int z = -1; z <= 1; ++z)
    for (int y = -1; y <= 1; ++y)
      for (int x = -1; x <= 1; ++x) {
        const GridPoint other = {at[0] + x, at[1] + y, at[2] + z};
        bool is_beside = false;
        for (size_t axis = 0; axis < 3; ++axis)
          is_beside = is_beside || other[axis] < 0 || other[axis] >= reach.grid.size[axis];
        if (!is_beside && reach.is_reached[reach.grid.index(other)] != Reach::kFree) return false;
      }
  return true;
}

}  // namespace

Boundary boundary_of(const Reach& reach, const Clearance& clearance, Run& run) {
  // The depth is meaningless if more than the mesh blocks the way. Then points that seem to be deep are included.
  const bool also_deep = !clearance.blockers().empty() || clearance.tolerance().is_directed();
  const auto planes = static_cast<size_t>(reach.grid.size[2]);
  std::vector<std::vector<uint32_t>> of_plane(planes);
  run.for_each_block(planes, 1, [&](size_t z, size_t, size_t) {
    const size_t first = reach.grid.index(0, 0, static_cast<int>(z)),
                 last = reach.grid.index(0, 0, static_cast<int>(z) + 1);
    for (size_t k = first; k < last; ++k)
      if (reach.is_reached[k] != 0 &&
          (also_deep || reach.is_reached[k] != Reach::kFree || !is_deep(reach, reach.grid.point(k))))
        of_plane[z].push_back(static_cast<uint32_t>(k));
  });
  Boundary boundary{reach.grid, {}};
  for (const auto& found : of_plane) boundary.points.insert(boundary.points.end(), found.begin(), found.end());
  return boundary;
}

std::vector<Violation> violations(std::span<const PartHull* const> hulls, const Boundary& boundary,
                                  const Clearance& clearance, double radius, double slack, size_t most_a_hull,
                                  Run& run) {
  if (hulls.empty()) return {};
  const auto& [grid, points] = boundary;
  std::vector<Bounds> boxes;
  for (const PartHull* hull : hulls) boxes.push_back(hull->box);
  const BoxBvh tree(std::move(boxes), run);
  const Certifier certifier(hulls, clearance, radius, slack, std::sqrt(3.0) / 2 * grid.step);
  constexpr size_t kBlock = 64;
  std::vector<std::vector<Violation>> of_block((points.size() + kBlock - 1) / kBlock);
  run.for_each_block(points.size(), kBlock, [&](size_t first, size_t last, size_t block) {
    run.poll();
    std::vector<uint32_t> near;
    for (size_t k = first; k < last; ++k) {
      const Vec3 center = grid.position(grid.point(points[k]));
      Bounds around{center, center};
      around.grow(radius + grid.step);
      near.clear();
      tree.overlaps(around, [&](uint32_t hull) { near.push_back(hull); });
      std::sort(near.begin(), near.end());
      std::vector<Violation> found;
      certifier.look_at(center, grid.step / 2, near, found);
      of_block[block].insert(of_block[block].end(), found.begin(), found.end());
    }
  });
  std::vector<size_t> count(hulls.size());
  std::vector<Violation> all;
  for (const auto& found : of_block)
    for (const Violation& v : found)
      if (count[v.hull]++ < most_a_hull) all.push_back(v);
  return all;
}

std::vector<Sphere> violations(const ConvexBody& body, const Boundary& boundary, const Clearance& clearance,
                               double radius, double slack, size_t most) {
  const Grid& grid = boundary.grid;
  Bounds around = body.box;
  around.grow(radius + grid.step);
  const auto [low, high] = grid.points_in(around);
  const ConvexBody* const bodies[] = {&body};
  const Certifier certifier(std::span<const ConvexBody* const>(bodies), clearance, radius, slack,
                            std::sqrt(3.0) / 2 * grid.step);
  constexpr uint32_t kThis[] = {0};
  std::vector<Sphere> spheres;
  for (int z = low[2]; z < high[2]; ++z)
    for (int y = low[1]; y < high[1]; ++y) {
      auto at = std::lower_bound(boundary.points.begin(), boundary.points.end(), grid.index(low[0], y, z));
      for (const size_t end = grid.index(high[0] - 1, y, z); at != boundary.points.end() && *at <= end; ++at) {
        std::vector<Violation> found;
        certifier.look_at(grid.position(grid.point(*at)), grid.step / 2, kThis, found);
        for (const Violation& v : found) spheres.push_back(v.sphere);
        if (spheres.size() >= most) return spheres;
      }
    }
  return spheres;
}

}  // namespace hitbox::internal::hulls
