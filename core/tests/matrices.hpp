// Compares symmetric matrices, for the tests of several folders.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

#include "base/mat3.hpp"

namespace hitbox::tests {

using internal::base::Sym3;

// The entries of a matrix, for loops.
inline std::array<double, 6> entries(const Sym3& m) { return {m.xx, m.xy, m.xz, m.yy, m.yz, m.zz}; }

inline double largest_difference(const Sym3& a, const Sym3& b) {
  double largest = 0;
  for (size_t k = 0; k < 6; ++k) largest = std::max(largest, std::abs(entries(a)[k] - entries(b)[k]));
  return largest;
}

}  // namespace hitbox::tests
