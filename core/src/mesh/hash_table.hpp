// A hash table over the entries of an array that the caller keeps. The hashes are the same on every machine.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/rooms.hpp"

namespace hitbox::internal::mesh {

inline uint64_t mix(uint64_t z) {  // splitmix64's finaliser
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

// A hash table with open addressing over entries of one array, never more than half full.
class HashTable {
 public:
  static constexpr uint32_t kFree = 0xffffffffu;

  explicit HashTable(size_t entries)
      : slots_(std::bit_ceil(std::max<size_t>(2 * entries, 16)), kFree), mask_(slots_.size() - 1) {}

  void prefetch(uint64_t hash) const {
#if defined(__GNUC__)
    __builtin_prefetch(&slots_[hash & mask_], 1);
#else
    (void)hash;
#endif
  }
  // The entry that `is_same` accepts, or `entry` itself after adding it.
  template <class Same>
  uint32_t find_or_add(uint64_t hash, uint32_t entry, Same&& is_same) {
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
      if (slots_[at] == kFree) return slots_[at] = entry;
      if (is_same(slots_[at])) return slots_[at];
    }
  }
  template <class Same>
  uint32_t find(uint64_t hash, Same&& is_same) const {  // or kFree
    for (size_t at = hash & mask_;; at = (at + 1) & mask_) {
      if (slots_[at] == kFree || is_same(slots_[at])) return slots_[at];
    }
  }

 private:
  std::vector<uint32_t> slots_;
  size_t mask_;
};

}  // namespace hitbox::internal::mesh
