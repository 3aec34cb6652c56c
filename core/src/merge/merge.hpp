// Replaces many convex shapes by fewer (paper 4, section 5): hulls around neighbouring shapes, as long as no hull
// enters a space or adds more than a tolerance, or until a count is reached.
//
// Round shapes are represented by polytopes around them, which are too large by at most a twentieth of the tolerance.
// Shared volume counts once (Eq. 7 counts it twice): each shape counts the fraction of points inside it that no larger
// one contains.
//
// A space is kept clear in rounds: spheres admit a merge, the proof judges what came out. Shapes that enter are taken
// apart and merged again, with spheres at the places that the proof found.
//
// Always holds: every given shape lies in a shape of the result. A shape that was not merged stays unchanged. No merged
// shape enters the space.
#pragma once

#include "base/rooms.hpp"
#include "hitbox/merge.hpp"

namespace hitbox::internal::merge {

// Takes at least one shape, all finite, and options that make sense.
MergeResult merge_shapes(std::span<const Shape> shapes, const MergeOptions& options, Run& run);

}  // namespace hitbox::internal::merge
