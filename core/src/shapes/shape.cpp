#include "base/assert.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox {

// The index of the variant is the kind.
template <size_t... k>
constexpr bool kinds_match(std::index_sequence<k...>) {
  return ((std::variant_alternative_t<k, Shape>::kKind == static_cast<Kind>(k)) && ...);
}
static_assert(std::variant_size_v<Shape> == kKindCount);
static_assert(kinds_match(std::make_index_sequence<kKindCount>()));

double volume(const Shape& shape) {
  return std::visit([](const auto& s) { return volume(s); }, shape);
}

double area(const Shape& shape) {
  return std::visit([](const auto& s) { return area(s); }, shape);
}

double mean_curvature(const Shape& shape) {
  return std::visit([](const auto& s) { return mean_curvature(s); }, shape);
}

size_t nbytes(const Shape& shape) {
  return std::visit([](const auto& s) { return nbytes(s); }, shape);
}

Bounds bounds(const Shape& shape) {
  return std::visit([](const auto& s) { return bounds(s); }, shape);
}

void signed_distance(const Shape& shape, std::span<const Vec3> points, std::span<double> out) {
  HITBOX_ASSERT(points.size() == out.size());
  std::visit([&](const auto& s) { signed_distance(s, points, out); }, shape);
}

void support(const Shape& shape, std::span<const Vec3> directions, std::span<Vec3> out) {
  HITBOX_ASSERT(directions.size() == out.size());
  std::visit([&](const auto& s) { support(s, directions, out); }, shape);
}

Vec3 nearest(const Shape& shape, const Vec3& p) {
  return std::visit([&](const auto& s) { return nearest(s, p); }, shape);
}

TriangleMesh to_mesh(const Shape& shape, int segments) {
  HITBOX_ASSERT(segments >= 3);
  return std::visit([&](const auto& s) { return to_mesh(s, segments); }, shape);
}

Shape grown(const Shape& shape, double by) {
  HITBOX_ASSERT(by >= 0);
  return std::visit([&](const auto& s) { return Shape(grown(s, by)); }, shape);
}

Shape shrunk(const Shape& shape, double by, double least) {
  HITBOX_ASSERT(by >= 0 && least >= 0);
  return std::visit([&](const auto& s) { return Shape(shrunk(s, by, least)); }, shape);
}

Shape padded(const Shape& shape, double by, double least) {
  return by < 0 ? shrunk(shape, -by, least) : by > 0 ? grown(shape, by) : shape;
}

Shape transformed(const Shape& shape, const Similarity& similarity) {
  HITBOX_ASSERT(similarity.scale > 0);
  return std::visit([&](const auto& s) { return Shape(transformed(s, similarity)); }, shape);
}

}  // namespace hitbox
