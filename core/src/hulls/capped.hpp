// A hull of few vertices around a part's hull, because engines have caps.
#pragma once

#include <optional>

#include "hulls/part_hull.hpp"

namespace hitbox::internal::hulls {

// A hull of at most `most_vertices` (at least 8) around `hull`, or none if it would stick out of it by more than
// `most_outside`.
std::optional<PartHull> capped_part_hull(const PartHull& hull, uint32_t most_vertices, double most_outside);

}  // namespace hitbox::internal::hulls
