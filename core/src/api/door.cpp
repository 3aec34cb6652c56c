#include "api/door.hpp"

#include <algorithm>
#include <cmath>

#include "base/format.hpp"

namespace hitbox::api {

using internal::base::format;
using internal::mesh::kLargestCoordinate;

namespace {

constexpr double kLeastWeight = 1e-6, kMostWeight = 1e6;

bool is_within(const Vec3& p) { return is_finite(p) && max_component(abs(p)) <= kLargestCoordinate; }
bool is_size(double size) { return size >= 0 && size <= kLargestCoordinate; }
bool is_rotation(const Quaternion& q) {
  const double norm_sq = q.x * q.x + q.y * q.y + q.z * q.z + q.w * q.w;
  return norm_sq > 0 && std::isfinite(norm_sq);
}

// One per kind, so that a new kind does not compile until it is checked.
bool is_sound(const Box& box) {
  const Vec3& half = box.half_extents;
  return is_within(box.center) && is_rotation(box.rotation) && is_size(half.x) && is_size(half.y) && is_size(half.z);
}
bool is_sound(const Sphere& sphere) { return is_within(sphere.center) && is_size(sphere.radius); }
bool is_sound(const Capsule& capsule) {
  return is_within(capsule.start) && is_within(capsule.end) && is_size(capsule.radius);
}
bool is_sound(const Cylinder& cylinder) {
  return is_within(cylinder.start) && is_within(cylinder.end) && is_size(cylinder.radius);
}
bool is_sound(const Frustum& frustum) {
  return is_within(frustum.start) && is_within(frustum.end) && is_size(frustum.radius_start) &&
         is_size(frustum.radius_end);
}
bool is_sound(const Prism& prism) {
  return is_within(prism.center) && is_rotation(prism.rotation) && is_size(prism.half_x) && is_size(prism.half_y) &&
         is_size(prism.half_top) && is_size(prism.half_bottom);
}
bool is_sound(const Hull& hull) {
  const auto exists = [&](const Triangle& t) {
    return std::ranges::all_of(t, [&](uint32_t v) { return v < hull.vertices.size(); });
  };
  return !hull.triangles.empty() && std::ranges::all_of(hull.vertices, is_within) &&
         std::ranges::all_of(hull.triangles, exists);
}

}  // namespace

Result<internal::mesh::CleanedMesh> checked_and_welded(const MeshView& mesh, Run& run) {
  if (const auto bounds = internal::mesh::check_mesh(mesh, "mesh"); !bounds) return bounds.error();
  return internal::mesh::clean(mesh, {}, "mesh", run);
}

void Checks::fail(const std::string& what) {
  if (!error_) error_ = Error{verb_ + ": " + what};
}

Checks& Checks::whole(const char* name, uint64_t value, uint64_t least, uint64_t most) {
  if (value < least || value > most) {
    fail(format("%s: must be from %llu to %llu, not %llu.", name, static_cast<unsigned long long>(least),
                static_cast<unsigned long long>(most), static_cast<unsigned long long>(value)));
  }
  return *this;
}

Checks& Checks::finite(const char* name, double value) {
  if (!std::isfinite(value)) fail(format("%s: must be a finite number, not %g.", name, value));
  return *this;
}

Checks& Checks::not_negative(const char* name, double value) {
  if (!(value >= 0) || !std::isfinite(value))
    fail(format("%s: must be a finite number of 0 or more, not %g.", name, value));
  return *this;
}

Checks& Checks::positive(const char* name, double value) {
  if (!(value > 0) || !std::isfinite(value)) fail(format("%s: must be a finite number above 0, not %g.", name, value));
  return *this;
}

Checks& Checks::weights(const char* name, std::span<const double> values) {
  for (size_t k = 0; k < values.size(); ++k) {
    if (values[k] >= kLeastWeight && values[k] <= kMostWeight) continue;
    fail(format("%s: number %zu must be from %g to %g, not %g.", name, k, kLeastWeight, kMostWeight, values[k]));
    break;
  }
  return *this;
}

Checks& Checks::one_per_face(const char* name, size_t given, size_t faces) {
  if (given != 0 && given != faces)
    fail(format("%s: must have one number per face, or none: %zu for %zu faces.", name, given, faces));
  return *this;
}

Checks& Checks::points(const char* name, std::span<const Vec3> points) {
  for (size_t k = 0; k < points.size(); ++k) {
    if (is_within(points[k])) continue;
    fail(format("%s: point %zu is (%g, %g, %g), but coordinates must be finite and at most %g in size.", name, k,
                points[k].x, points[k].y, points[k].z, kLargestCoordinate));
    break;
  }
  return *this;
}

Checks& Checks::spheres(const char* name, std::span<const Sphere> spheres) {
  for (size_t k = 0; k < spheres.size(); ++k) {
    if (is_sound(spheres[k]) && spheres[k].radius > 0) continue;
    fail(format("%s: sphere %zu must be finite, with a radius above 0, not %g.", name, k, spheres[k].radius));
    break;
  }
  return *this;
}

Checks& Checks::spaces(const char* name, std::span<const NavigableSpace> spaces) {
  for (const NavigableSpace& space : spaces) spheres(name, space.spheres);
  return *this;
}

Checks& Checks::shapes(std::span<const Shape> shapes) {
  if (shapes.empty()) fail("shapes: there are none. Give at least one.");
  for (size_t k = 0; k < shapes.size(); ++k) {
    if (std::visit([](const auto& shape) { return is_sound(shape); }, shapes[k])) continue;
    fail(
        format("shapes: number %zu is no %s: its numbers must be finite, its sizes 0 or more, its rotation not 0, "
               "and its triangles must use its vertices.",
               k, kKindNames[shapes[k].index()].data()));
    break;
  }
  return *this;
}

Checks& Checks::pad(double pad, double diagonal) {
  finite("pad", pad);
  if (pad <= -diagonal / 2) fail(format("pad: %g moves sides in by half the mesh. Give less.", pad));
  if (pad > diagonal) fail(format("pad: %g is more than the mesh's diagonal, %g. Give less.", pad, diagonal));
  return *this;
}

Checks& Checks::require(bool condition, const char* message) {
  if (!condition) fail(message);
  return *this;
}

Groups Groups::of(std::span<const uint32_t> group_of_face) {
  Groups groups;
  if (group_of_face.empty()) return groups;
  std::vector<uint32_t> numbers(group_of_face.begin(), group_of_face.end());
  std::ranges::sort(numbers);
  const auto repeated = std::ranges::unique(numbers);
  numbers.erase(repeated.begin(), repeated.end());
  groups.count = static_cast<uint32_t>(numbers.size());
  for (const uint32_t number : group_of_face)
    groups.of_face.push_back(static_cast<uint32_t>(std::ranges::lower_bound(numbers, number) - numbers.begin()));
  return groups;
}

}  // namespace hitbox::api
