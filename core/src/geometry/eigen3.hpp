// Eigenvectors of a symmetric 3x3 matrix by cyclic Jacobi rotations. They are slower than the closed form (about 0.4
// us), but accurate to the last digits also for flat and isotropic matrices. They use only + - * / sqrt, so they give
// the same bytes everywhere.
#pragma once

#include "base/mat3.hpp"
#include "hitbox/rotation.hpp"

namespace hitbox::internal::geometry {

struct Eigen3 {
  double value[3];  // ascending
  Frame vectors;    // axis[k] belongs to value[k]; right-handed
};

Eigen3 eigen3(const Sym3& matrix);

}  // namespace hitbox::internal::geometry
