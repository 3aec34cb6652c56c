// The interface of shapes: a concept that the header of each of the seven asserts.
//
// Shapes are plain structs, and their functions are free functions. A function takes many points at once, so that a
// frame is computed once per call and not once per point.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "hitbox/bounds.hpp"
#include "hitbox/rotation.hpp"
#include "hitbox/triangle_mesh.hpp"
#include "hitbox/vec3.hpp"

namespace hitbox {

enum class Kind : uint8_t { box, sphere, capsule, cylinder, frustum, prism, hull };
constexpr int kKindCount = 7;
constexpr int kPrimitiveCount = 6;  // all but the hull: the kinds that `fit` chooses from
constexpr std::array<std::string_view, kKindCount> kKindNames = {"box",     "sphere", "capsule", "cylinder",
                                                                 "frustum", "prism",  "hull"};

constexpr double kPi = 3.14159265358979323846;

// x -> scale * rotate(x) + translation, with scale > 0
struct Similarity {
  Quaternion rotation;
  Vec3 translation;
  double scale = 1;

  Vec3 apply(const Vec3& p) const { return to_frame(rotation).to_world(p) * scale + translation; }
};

// `size` reduced by `by`, but not below `least`; a smaller `size` stays unchanged.
inline double shrunk_size(double size, double by, double least) { return std::max(size - by, std::min(size, least)); }

template <class S>
concept ConvexShape = requires(const S& shape, const Vec3& point, std::span<const Vec3> points,
                               std::span<double> distances, std::span<Vec3> extremes, const Similarity& similarity) {
  { S::kKind } -> std::convertible_to<Kind>;
  { volume(shape) } -> std::same_as<double>;
  { area(shape) } -> std::same_as<double>;
  { mean_curvature(shape) } -> std::same_as<double>;
  { nbytes(shape) } -> std::same_as<size_t>;
  { bounds(shape) } -> std::same_as<Bounds>;
  { signed_distance(shape, points, distances) } -> std::same_as<void>;
  { support(shape, points, extremes) } -> std::same_as<void>;
  { nearest(shape, point) } -> std::same_as<Vec3>;
  { to_mesh(shape, 24) } -> std::same_as<TriangleMesh>;
  { grown(shape, 0.0) } -> std::same_as<S>;
  { shrunk(shape, 0.0, 0.0) } -> std::same_as<S>;
  { transformed(shape, similarity) } -> std::same_as<S>;
};

}  // namespace hitbox
