// A cluster's kernel: its few extreme vertices, which are enough to fit shapes while merging. The directions apply
// after scaling the cluster's principal box to a cube, because fixed directions miss bumps on thin clusters.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/rotation.hpp"

namespace hitbox::internal::fit {

constexpr size_t kKernelCapacity = 64;

// The principal axes of the vertices `ids`, ascending by spread.
Frame principal_frame(std::span<const Vec3> vertices, std::span<const uint32_t> ids);

// The vertices `ids` if they fit into the capacity, otherwise the extreme ones among them; ascending, without
// repetitions.
std::vector<uint32_t> extreme_vertices(std::span<const Vec3> vertices, std::span<const uint32_t> ids);

}  // namespace hitbox::internal::fit
