// Finds few shapes whose surfaces all stay within a tolerance of the mesh, with proof.
//
// The search descends the merge tree. A node whose shape stays within the tolerance is one shape; any other node is
// replaced by its two children, down to single faces if necessary. The tree was made for small means, not maxima. So
// neighbours are then merged, the closest shape first, as long as the result stays within the tolerance.
#pragma once

#include "fit/fit.hpp"

namespace hitbox::internal::fit {

// Distances are those of the shapes before padding.
struct WithinResult {
  FitResult fitted = {};
  double strays = 0;    // proved bound: no point of a shape's surface is further from the mesh, in diagonals
  uint32_t over = 0;    // number of shapes not known to be within the tolerance
  bool capped = false;  // the cap was too small
};

// `tolerance` is a fraction of the diagonal, above 0. If it needs more than `most` shapes, the result is that of
// fit(most), which deviates further. A single face whose shape deviates further is kept.
WithinResult fit_within(const FitInput& input, double tolerance, uint32_t most, Run& run);

}  // namespace hitbox::internal::fit
