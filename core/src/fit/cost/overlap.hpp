// The shared volume of two shapes, by sampling, which paper 1, Eq. 5 subtracts and Eq. 4 ignores. It costs two inside
// tests per sample, so merging takes several times longer with a thousand samples, and hundreds of times longer with
// 50,000. It exists to show that the gain is small (Fig. 16).
#pragma once

#include "primitives/candidates.hpp"

namespace hitbox::internal::fit {

// The fraction of `small` that lies in `large`, from `samples` points in the box around `small`. The same shapes,
// number of samples and seed give the same result.
double share_inside(const Fitted& small, const Fitted& large, size_t samples, uint64_t seed);

}  // namespace hitbox::internal::fit
