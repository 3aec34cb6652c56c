// The volume two shapes share, by sampling: what paper 1, Eq. 5 subtracts and Eq. 4 leaves out.
// Costs two inside tests a sample, so merging with it takes several times longer with a thousand
// samples, hundreds of times with 50,000; kept to show that little is gained (Fig. 16).
#pragma once

#include "primitives/candidates.hpp"

namespace hitbox::internal::fit {

// The share of `small` that lies in `large`, from `samples` points in the box around `small`. The
// same two shapes, number of samples and seed give the same answer.
double share_inside(const Fitted& small, const Fitted& large, size_t samples, uint64_t seed);

}  // namespace hitbox::internal::fit
