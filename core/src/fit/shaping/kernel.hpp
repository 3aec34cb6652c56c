// A cluster's kernel: the few vertices that are extreme in it, enough to fit shapes on while
// merging. Directions are taken after scaling the cluster's principal box to a cube: fixed
// directions miss bumps on thin clusters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/rotation.hpp"

namespace hitbox::internal::fit {

constexpr size_t kKernelCapacity = 64;

// The axes along which the vertices `ids` spread least, more, and most.
Frame principal_frame(std::span<const Vec3> vertices, std::span<const uint32_t> ids);

// The vertices `ids` themselves if there are no more than the capacity, otherwise the extreme ones
// among them; ascending, each once.
std::vector<uint32_t> extreme_vertices(std::span<const Vec3> vertices, std::span<const uint32_t> ids);

}  // namespace hitbox::internal::fit
