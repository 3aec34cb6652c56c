// Linear programs in three variables.
//
// The dual simplex method: three constraints define a point that is optimal for them alone. The constraint that this
// point violates most replaces one of them, until none is violated. No choice is random, so the result is always the
// same. Cost: about four to eight passes over the constraints.
#pragma once

#include <optional>
#include <span>

#include "base/rooms.hpp"
#include "hitbox/half_space.hpp"

namespace hitbox::internal::geometry {

// The point in all half-spaces with |x|, |y|, |z| <= reach that minimises dot(objective, point), with each constraint
// satisfied up to 1e-13 of `reach`. Empty if there is none, or if rounding hides it.
std::optional<Vec3> lowest_point(const Vec3& objective, std::span<const HalfSpace> half_spaces, double reach);

}  // namespace hitbox::internal::geometry
