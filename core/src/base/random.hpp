// Seeded random numbers that are the same on every machine (std:: distributions are not).
#pragma once

#include <cstdint>

#include "base/rooms.hpp"

namespace hitbox::internal::base {

class Random {  // splitmix64
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint64_t next() {
    uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; }  // [0, 1)
  double uniform(double low, double high) { return low + (high - low) * uniform(); }
  uint64_t below(uint64_t count) { return static_cast<uint64_t>(uniform() * static_cast<double>(count)); }

 private:
  uint64_t state_;
};

}  // namespace hitbox::internal::base
