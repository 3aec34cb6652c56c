// A hull of few vertices around a part's hull: engines have caps.
#pragma once

#include <optional>

#include "hulls/part_hull.hpp"

namespace hitbox::internal::hulls {

// Of at most `most_vertices` (at least 8), around `hull`; none where it would stick out of that by more than
// `most_outside`.
std::optional<PartHull> capped_part_hull(const PartHull& hull, uint32_t most_vertices, double most_outside);

}  // namespace hitbox::internal::hulls
