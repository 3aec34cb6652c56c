#include "shapes/surface.hpp"

#include "shapes/axis.hpp"

namespace hitbox::internal::shapes {

namespace {

SurfacePatch triangle_patch(const Vec3& a, const Vec3& b, const Vec3& c) {
  return {SurfacePatch::Form::triangle, a, b, c, 0, 0, norm(cross(b - a, c - a)) / 2};
}

SurfacePatch disc_patch(const Vec3& center, const Vec3& normal, double radius) {
  return {SurfacePatch::Form::disc, center, normal, {}, radius, 0, kPi * radius * radius};
}

SurfacePatch cone_patch(const Vec3& start, const Vec3& end, double at_start, double at_end) {
  const double height = norm(end - start), step = at_end - at_start;
  const double side = std::sqrt(height * height + step * step);
  return {SurfacePatch::Form::cone, start, end, {}, at_start, at_end, kPi * (at_start + at_end) * side};
}

SurfacePatch cap_patch(const Vec3& center, const Vec3& axis, double radius, double from) {
  return {SurfacePatch::Form::cap, center, axis, {}, radius, from, 2 * kPi * radius * radius * (1 - from)};
}

Vec3 around(const Vec3& axis, double turn) {
  const Vec3 x = any_perpendicular(axis), y = cross(axis, x);
  return x * std::cos(2 * kPi * turn) + y * std::sin(2 * kPi * turn);
}

SurfacePoint on_triangle(const SurfacePatch& patch, double u, double v) {
  if (u + v > 1) {
    u = 1 - u;
    v = 1 - v;
  }
  // Written so that a coordinate that all corners share stays exact.
  const Vec3 ab = patch.b - patch.a, ac = patch.c - patch.a;
  return {patch.a + ab * u + ac * v, normalized(cross(ab, ac))};
}

SurfacePoint on_cone(const SurfacePatch& patch, double u, double v) {
  const Vec3 along = patch.b - patch.a, axis = normalized(along, {0, 0, 1});
  const double r0 = patch.first, r1 = patch.second;
  const double radius = std::sqrt(r0 * r0 + u * (r1 * r1 - r0 * r0));
  // (radius - r0) / (r1 - r0), without cancellation for nearly equal radii
  const double sum = radius + r0, t = sum > 0 ? u * (r1 + r0) / sum : u;
  const Vec3 out = around(axis, v);
  return {patch.a + along * t + out * radius, normalized(out * norm(along) + axis * (r0 - r1))};
}

SurfacePoint on_cap(const SurfacePatch& patch, double u, double v) {
  const double height = patch.second + (1 - patch.second) * u;
  const double off = std::sqrt(std::max(0.0, 1 - height * height));
  const Vec3 normal = normalized(patch.b * height + around(patch.b, v) * off);
  return {patch.a + normal * patch.first, normal};
}

std::vector<SurfacePatch> patches_of(const TriangleMesh& mesh) {
  std::vector<SurfacePatch> patches;
  patches.reserve(mesh.triangles.size());
  for (const Triangle& t : mesh.triangles)
    patches.push_back(triangle_patch(mesh.vertices[t[0]], mesh.vertices[t[1]], mesh.vertices[t[2]]));
  return patches;
}

std::vector<SurfacePatch> turned(const Vec3& start, const Vec3& end, double at_start, double at_end) {
  const Vec3 axis = axis_of(start, end).direction;
  return {cone_patch(start, end, at_start, at_end), disc_patch(start, -axis, at_start), disc_patch(end, axis, at_end)};
}

std::vector<SurfacePatch> patches_of(const Box& box) { return patches_of(to_mesh(box, 0)); }
std::vector<SurfacePatch> patches_of(const Prism& prism) { return patches_of(to_mesh(prism, 0)); }
std::vector<SurfacePatch> patches_of(const Hull& hull) {
  return patches_of(TriangleMesh{hull.vertices, hull.triangles});
}
std::vector<SurfacePatch> patches_of(const Sphere& s) { return {cap_patch(s.center, {0, 0, 1}, s.radius, -1)}; }
std::vector<SurfacePatch> patches_of(const Capsule& s) {
  const Vec3 axis = axis_of(s.start, s.end).direction;
  return {cone_patch(s.start, s.end, s.radius, s.radius), cap_patch(s.start, -axis, s.radius, 0),
          cap_patch(s.end, axis, s.radius, 0)};
}
std::vector<SurfacePatch> patches_of(const Cylinder& s) { return turned(s.start, s.end, s.radius, s.radius); }
std::vector<SurfacePatch> patches_of(const Frustum& s) { return turned(s.start, s.end, s.radius_start, s.radius_end); }

void add_wedge(std::vector<Wedge>& wedges, const SurfacePatch& base, const Vec3& apex) {
  const SurfacePoint middle = point_on(base, 0.25, 0.25);
  const double height = dot(middle.normal, middle.point - apex);
  if (base.area > 0 && height > 0) wedges.push_back({base, apex, base.area * height / 3});
}

Vec3 apex_of(const Box& box) { return box.center; }
Vec3 apex_of(const Prism& prism) { return prism.center; }
Vec3 apex_of(const Sphere& sphere) { return sphere.center; }
Vec3 apex_of(const Cylinder& s) { return s.start * 0.5 + s.end * 0.5; }
Vec3 apex_of(const Frustum& s) { return s.start * 0.5 + s.end * 0.5; }
Vec3 apex_of(const Hull& hull) {
  Vec3 sum;
  for (const Vec3& v : hull.vertices) sum += v / static_cast<double>(hull.vertices.size());
  return sum;
}

template <class S>
std::vector<Wedge> wedges_of(const S& shape) {
  std::vector<Wedge> wedges;
  for (const SurfacePatch& patch : patches_of(shape)) add_wedge(wedges, patch, apex_of(shape));
  return wedges;
}

// A cylinder between two half balls, each with its own centre as apex.
std::vector<Wedge> wedges_of(const Capsule& s) {
  std::vector<Wedge> wedges = wedges_of(Cylinder{s.start, s.end, s.radius});
  const std::vector<SurfacePatch> patches = patches_of(s);
  add_wedge(wedges, patches[1], s.start);
  add_wedge(wedges, patches[2], s.end);
  return wedges;
}

}  // namespace

SurfacePoint point_on(const SurfacePatch& patch, double u, double v) {
  switch (patch.form) {
    case SurfacePatch::Form::triangle: return on_triangle(patch, u, v);
    case SurfacePatch::Form::disc: return {patch.a + around(patch.b, v) * (patch.first * std::sqrt(u)), patch.b};
    case SurfacePatch::Form::cone: return on_cone(patch, u, v);
    case SurfacePatch::Form::cap: break;
  }
  return on_cap(patch, u, v);
}

std::vector<SurfacePatch> surface_patches(const Shape& shape) {
  std::vector<SurfacePatch> all = std::visit([](const auto& s) { return patches_of(s); }, shape);
  std::vector<SurfacePatch> patches;
  for (const SurfacePatch& patch : all)
    if (patch.area > 0) patches.push_back(patch);
  return patches.empty() ? all : patches;
}

std::vector<Wedge> inner_wedges(const Shape& shape) {
  return std::visit([](const auto& s) { return wedges_of(s); }, shape);
}

Vec3 point_in(const Wedge& wedge, double u, double v, double depth) {
  return wedge.apex + (point_on(wedge.base, u, v).point - wedge.apex) * std::cbrt(depth);
}

}  // namespace hitbox::internal::shapes
