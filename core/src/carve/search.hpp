// Makes few parts from a mesh and spheres by cutting, merging and dissolving, and searches for fewer parts.
//
// The search first cuts with other settings and keeps the best result. Then it repeatedly takes a part and some
// neighbours, merges their pieces in another order or cuts them along other axes, and keeps results that are no worse.
// No step enters a sphere that was not entered before.
#pragma once

#include "parts/assembly.hpp"

namespace hitbox::internal::carve {

struct SearchOptions {
  CutSettings cut;
  AssemblyOptions assembly;
  double effort = 0;  // steps per part; 0: no search
  uint64_t seed = 0;
};

// Decomposes the whole input.
Decomposition decompose(const Input& input, std::span<const Sphere> spheres, const SearchOptions& options, Run& run);

// Decomposes again with more spheres. Parts marked as bad are split into their pieces, bad pieces are cut, and all is
// merged again.
Decomposition redone(Decomposition found, std::span<const uint8_t> is_bad, const Input& input,
                     std::span<const Sphere> spheres, const SearchOptions& options, Run& run);

}  // namespace hitbox::internal::carve
