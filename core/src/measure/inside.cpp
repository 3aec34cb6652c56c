#include "measure/inside.hpp"

#include "geometry/morton.hpp"
#include "geometry/predicates.hpp"
#include "mesh/clean.hpp"
#include "mesh/edges.hpp"

namespace hitbox::internal::measure {
namespace {

constexpr size_t kBlock = 1024;

// Whether the ray from p along x crosses the edge, seen along z. p represents (x + e, y + e^2), which breaks ties. The
// edge's direction does not matter.
bool crosses(const Vec3& p, const Vec3& a, const Vec3& b) {
  if ((a.y > p.y) == (b.y > p.y)) return false;
  if (a.x <= p.x && b.x <= p.x) return false;
  if (a.x > p.x && b.x > p.x) return true;
  const bool up = b.y > a.y;
  const Vec3 &low = up ? a : b, &high = up ? b : a;
  return orient2d({low.x, low.y}, {high.x, high.y}, {p.x, p.y}) > 0;
}

// Whether the line through p along z meets the triangle, and the triangle's plane is above p there.
bool is_above(const Vec3& p, const std::array<Vec3, 3>& corners, bool& passes) {
  const auto& [a, b, c] = corners;
  passes = (crosses(p, a, b) != crosses(p, b, c)) != crosses(p, c, a);
  return passes && orient3d(a, b, c, p) * orient2d({a.x, a.y}, {b.x, b.y}, {c.x, c.y}) < 0;
}

// p is in its plane, and seen along each axis not on the outer side of any edge.
bool touches(const Vec3& p, const std::array<Vec3, 3>& corners) {
  const auto& [a, b, c] = corners;
  if (!bounds_of(corners).contains(p) || orient3d(a, b, c, p) != 0) return false;
  for (int x = 0, y = 1; x < 3; ++x, y = (y + 1) % 3) {
    const auto flat = [&](const Vec3& v) { return Vec2{v[x], v[y]}; };
    const int ab = orient2d(flat(a), flat(b), flat(p)), bc = orient2d(flat(b), flat(c), flat(p)),
              ca = orient2d(flat(c), flat(a), flat(p));
    if (std::max({ab, bc, ca}) > 0 && std::min({ab, bc, ca}) < 0) return false;
  }
  return true;
}

double six_volumes(const MeshView& mesh) {
  const Vec3 center = referenced_bounds(mesh).center();
  double sum = 0;
  for (size_t f = 0; f < mesh.face_count(); ++f) {
    const auto corners = mesh.face(f);
    const Vec3 a = mesh.vertices[corners[0]] - center;
    for (size_t k = 2; k < corners.size(); ++k)
      sum += dot(a, cross(mesh.vertices[corners[k - 1]] - center, mesh.vertices[corners[k]] - center));
  }
  return sum;
}

}  // namespace

bool is_closed_solid(const MeshView& mesh, Run& run) {
  const auto cleaned = clean(mesh, {}, "", run);
  if (!cleaned.ok()) return false;  // the mesh has no extent
  const MeshView welded{cleaned.value().vertices, cleaned.value().indices, mesh.offsets};
  bool closed = true;
  for_each_edge(sorted_half_edges(welded, run), [&](std::span<const HalfEdge> uses) {
    closed = closed && uses.size() == 2 && uses[0].goes_up() != uses[1].goes_up();
  });
  return closed && six_volumes(welded) > 0;
}

Solid::Solid(const TriangleBvh& surface) : surface_(surface) {
  for (uint32_t t = 0; t < surface.size(); ++t)
    for (const Vec3& corner : surface.corners(t)) bounds_.add(corner);
}

bool Solid::contains(const Vec3& p) const {
  if (!bounds_.contains(p)) return false;
  const bool upward = bounds_.high.z - p.z < p.z - bounds_.low.z;  // the shorter way out
  const auto in_column = [&](const Bvh::Node& node, bool out[4]) {
    for (int k = 0; k < 4; ++k)
      out[k] = node.low[0][k] <= p.x && node.high[0][k] >= p.x && node.low[1][k] <= p.y && node.high[1][k] >= p.y &&
               (upward ? node.high[2][k] >= p.z : node.low[2][k] <= p.z);
  };
  bool inside = false, on_surface = false;
  surface_.tree().each_leaf(in_column, [&](uint32_t first, uint32_t count) {
    for (uint32_t at = first; at < first + count && !on_surface; ++at) {
      const auto& corners = surface_.corners_at(at);
      on_surface = touches(p, corners);
      bool passes;
      const bool above = is_above(p, corners, passes);
      inside = inside != (passes && above == upward);
    }
  });
  return inside && !on_surface;
}

std::vector<uint8_t> points_inside(std::span<const Vec3> points, const MeshView& mesh, Run& run) {
  run.enter("tree", 0, 0.3);
  const TriangleBvh surface(mesh, run);
  const Solid solid(surface);
  const std::vector<uint32_t> order = morton_order(points);
  std::vector<uint8_t> inside(points.size());
  run.enter("inside", 0.3, 1);
  run.for_each_block(points.size(), kBlock, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k) inside[order[k]] = solid.contains(points[order[k]]);
  });
  return inside;
}

}  // namespace hitbox::internal::measure
