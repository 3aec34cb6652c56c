// From a mesh and spheres to few parts: cutting, merging and dissolving; and the search for fewer, which spends time.
//
// The search first cuts with other settings and keeps the best. Then it takes a part and some neighbours again and
// again, merges their pieces in another order or cuts them anew along other axes, and keeps what is no worse.
// No step enters a sphere that was not entered before.
#pragma once

#include "parts/assembly.hpp"

namespace hitbox::internal::carve {

struct SearchOptions {
  CutSettings cut;
  AssemblyOptions assembly;
  double effort = 0;  // steps a part; 0: no search at all
  uint64_t seed = 0;
};

// The whole input.
Decomposition decompose(const Input& input, std::span<const Sphere> spheres, const SearchOptions& options, Run& run);

// With more spheres: parts named bad fall into their pieces, which are cut where they are bad themselves, and all
// is merged again.
Decomposition redone(Decomposition found, std::span<const uint8_t> is_bad, const Input& input,
                     std::span<const Sphere> spheres, const SearchOptions& options, Run& run);

}  // namespace hitbox::internal::carve
