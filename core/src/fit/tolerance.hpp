// As few shapes as can be found whose surfaces all stay within a tolerance of the mesh, proved.
//
// Down the merge tree: a node whose shape stays within the tolerance is one shape, any other is what its
// two children are, to single faces if need be. The tree was made to keep means small, not maxima, so
// then neighbours are joined, the closest shape first, as long as that stays within the tolerance too.
#pragma once

#include "fit/fit.hpp"

namespace hitbox::internal::fit {

// What is said of distances is said of the shapes before padding.
struct WithinResult {
  FitResult fitted = {};
  double strays = 0;    // no point of a shape's surface is further from the mesh, in diagonals: proved
  uint32_t over = 0;    // shapes that are not known to be within the tolerance
  bool capped = false;  // more shapes would have been needed
};

// `tolerance`: of the diagonal, above 0. Where that takes more than `most` shapes they are those of
// fit(most), and stray further. A single face whose shape strays further is kept all the same.
WithinResult fit_within(const FitInput& input, double tolerance, uint32_t most, Run& run);

}  // namespace hitbox::internal::fit
