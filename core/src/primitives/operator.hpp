// The paper's linear operator (paper 1, 3.1 and 3.4): area-weighted normals and tangents of a
// face. Its eigenvectors are the frame in which shapes are fitted.
#pragma once

#include "base/mat3.hpp"
#include "hitbox/mesh.hpp"

namespace hitbox::internal::primitives {

struct FaceOperator {
  Sym3 normal;   // sum of area n n^T
  Sym3 tangent;  // sum of area t t^T
  Vec3 facing;   // sum of area n

  double area() const { return normal.trace(); }
};

inline FaceOperator operator+(const FaceOperator& a, const FaceOperator& b) {
  return {a.normal + b.normal, a.tangent + b.tangent, a.facing + b.facing};
}

// The cross product of a triangle's edges or a quad's diagonals; larger polygons are fans. A face without area has a
// zero operator, and no influence.
FaceOperator face_operator(std::span<const Vec3> vertices, std::span<const uint32_t> face);

FaceOperator sum_of_operators(const MeshView& mesh, std::span<const uint32_t> faces);

// The matrix whose eigenvectors are the frame.
inline Sym3 combined(const FaceOperator& op, bool with_tangent) {
  constexpr double kTangentShare = 1e-3;  // decides only where the normals leave the frame open
  return with_tangent ? op.normal + op.tangent * kTangentShare : op.normal;
}

}  // namespace hitbox::internal::primitives
