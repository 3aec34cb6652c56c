#include "primitives/operator.hpp"

namespace hitbox::internal::primitives {

namespace {

// area n n^T, from the unnormalised normal of length 2 x area.
Sym3 weighted_normal(const Vec3& twice_area) {
  const double length = norm(twice_area);
  return length > 0 ? Sym3::outer(twice_area, 0.5 / length) : Sym3{};
}

Sym3 weighted_tangent(const Vec3& tangent, double face_area) {
  const double length_sq = norm_sq(tangent);
  return length_sq > 0 ? Sym3::outer(tangent, face_area / length_sq) : Sym3{};
}

// A triangle is half of a quad whose diagonal is the longest edge. (e0 - e1 + e2) / 2 with e0 + e1 + e2 = 0 is -e1, the
// middle edge. The paper's sign rule cancels in t t^T.
Vec3 triangle_tangent(const Vec3& a, const Vec3& b, const Vec3& c) {
  Vec3 edge[3] = {b - a, c - b, a - c};
  const auto sort_pair = [&](int i, int j) {
    if (norm_sq(edge[j]) < norm_sq(edge[i])) std::swap(edge[i], edge[j]);
  };
  sort_pair(0, 1);
  sort_pair(1, 2);
  sort_pair(0, 1);
  return edge[1];
}

FaceOperator triangle_operator(const Vec3& a, const Vec3& b, const Vec3& c) {
  const Vec3 twice_area = cross(b - a, c - a);
  return {weighted_normal(twice_area), weighted_tangent(triangle_tangent(a, b, c), 0.5 * norm(twice_area)),
          twice_area * 0.5};
}

// The cross product of the diagonals is the normal; their sum is the midline between two edges.
FaceOperator quad_operator(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 twice_area = cross(c - a, d - b);
  return {weighted_normal(twice_area), weighted_tangent((a - c) + (b - d), 0.5 * norm(twice_area)), twice_area * 0.5};
}

}  // namespace

FaceOperator face_operator(std::span<const Vec3> vertices, std::span<const uint32_t> face) {
  const auto corner = [&](size_t k) -> const Vec3& { return vertices[face[k]]; };
  if (face.size() == 4) return quad_operator(corner(0), corner(1), corner(2), corner(3));
  FaceOperator sum;
  for (size_t k = 2; k < face.size(); ++k) sum = sum + triangle_operator(corner(0), corner(k - 1), corner(k));
  return sum;
}

FaceOperator sum_of_operators(const MeshView& mesh, std::span<const uint32_t> faces) {
  FaceOperator sum;
  for (const uint32_t f : faces) sum = sum + face_operator(mesh.vertices, mesh.face(f));
  return sum;
}

}  // namespace hitbox::internal::primitives
