// The best point of three coordinates under linear constraints.
//
// The dual simplex method: three constraints carry a point that is best for them alone, and the one
// that this point breaks most takes the place of one of them until none is broken. No choice is
// random, so the answer is the same each time. Cost: some four to eight passes over the constraints.
#pragma once

#include <optional>
#include <span>

#include "geometry/half_space.hpp"

namespace hitbox::internal::geometry {

// The point of all half-spaces with |x|, |y|, |z| <= reach for which dot(objective, point) is
// smallest, each constraint held up to 1e-13 of `reach`; nothing if there is none, or if rounding
// hides it.
std::optional<Vec3> lowest_point(const Vec3& objective, std::span<const HalfSpace> half_spaces, double reach);

}  // namespace hitbox::internal::geometry
