// Four numbers at a time. Every lane is rounded like a single number, so the results are the same with and without
// vector instructions.
//
// A mask is an Int4 with -1 for true and 0 for false. The functions also exist for single numbers, with a bool as mask,
// so that one template serves both.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
#include <functional>

#include "base/rooms.hpp"

namespace hitbox::internal::base {

// For compilers other than GCC and Clang.
namespace plain {

template <class T>
struct Lanes {
  std::array<T, 4> lane;
  T operator[](size_t k) const { return lane[k]; }
  T& operator[](size_t k) { return lane[k]; }
};
using Float4 = Lanes<float>;
using Int4 = Lanes<int32_t>;

template <class R, class A, class B, class Operation>
Lanes<R> each(const Lanes<A>& a, const Lanes<B>& b, Operation operation) {
  Lanes<R> result;
  for (size_t k = 0; k < 4; ++k) result.lane[k] = operation(a.lane[k], b.lane[k]);
  return result;
}
inline Float4 operator+(const Float4& a, const Float4& b) { return each<float>(a, b, std::plus<>()); }
inline Float4 operator-(const Float4& a, const Float4& b) { return each<float>(a, b, std::minus<>()); }
inline Float4 operator*(const Float4& a, const Float4& b) { return each<float>(a, b, std::multiplies<>()); }
inline Float4 operator/(const Float4& a, const Float4& b) { return each<float>(a, b, std::divides<>()); }
inline Int4 operator&(const Int4& a, const Int4& b) { return each<int32_t>(a, b, std::bit_and<>()); }
inline Int4 operator|(const Int4& a, const Int4& b) { return each<int32_t>(a, b, std::bit_or<>()); }
inline Int4 operator<(const Float4& a, const Float4& b) {
  return each<int32_t>(a, b, [](float x, float y) { return -int32_t{x < y}; });
}
inline Int4 operator<=(const Float4& a, const Float4& b) {
  return each<int32_t>(a, b, [](float x, float y) { return -int32_t{x <= y}; });
}
template <class T>
Lanes<T> select(const Int4& mask, const Lanes<T>& a, const Lanes<T>& b) {
  Lanes<T> result;
  for (size_t k = 0; k < 4; ++k) result.lane[k] = mask.lane[k] != 0 ? a.lane[k] : b.lane[k];
  return result;
}

}  // namespace plain

#if defined(__GNUC__)
using Float4 = float __attribute__((vector_size(16)));
using Int4 = int32_t __attribute__((vector_size(16)));
inline Float4 select(Int4 mask, Float4 a, Float4 b) { return mask ? a : b; }
inline Int4 select(Int4 mask, Int4 a, Int4 b) { return mask ? a : b; }
#else
using plain::Float4;
using plain::Int4;
#endif

template <class T>
T select(bool mask, T a, T b) {
  return mask ? a : b;
}

// A function with this mark, and functions inlined into it, may use AVX2. Call `has_avx2` first. AVX2 makes the same
// operations in fewer instructions. It does not include fused multiply-add, so the results have the same bits. (GCC on
// Windows does not align its stack as AVX2 requires.)
#if defined(__GNUC__) && defined(__x86_64__) && !defined(_WIN32)
#define HITBOX_AVX2 __attribute__((target("avx2"), flatten))
inline bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
#else
#define HITBOX_AVX2
inline bool has_avx2() { return false; }
#endif

// The same number in every lane.
template <class F>
F all(float value);
template <>
inline float all<float>(float value) {
  return value;
}
template <>
inline Float4 all<Float4>(float value) {
  return Float4{value, value, value, value};
}

template <class F>
F least(F a, F b) {
  return select(b < a, b, a);
}
template <class F>
F most(F a, F b) {
  return select(a < b, b, a);
}

inline bool any(Int4 mask) { return (mask[0] | mask[1] | mask[2] | mask[3]) != 0; }

inline Float4 load(const void* from) {
  Float4 result;
  std::memcpy(&result, from, sizeof result);
  return result;
}

// Rows become columns.
inline void transpose(Float4& a, Float4& b, Float4& c, Float4& d) {
#if defined(__GNUC__) && !defined(__clang__)
  const Int4 low{0, 4, 1, 5}, high{2, 6, 3, 7}, first{0, 1, 4, 5}, second{2, 3, 6, 7};
  const Float4 ab = __builtin_shuffle(a, b, low), cd = __builtin_shuffle(c, d, low);
  const Float4 ab_high = __builtin_shuffle(a, b, high), cd_high = __builtin_shuffle(c, d, high);
  a = __builtin_shuffle(ab, cd, first), b = __builtin_shuffle(ab, cd, second);
  c = __builtin_shuffle(ab_high, cd_high, first), d = __builtin_shuffle(ab_high, cd_high, second);
#else
  const Float4 x{a[0], b[0], c[0], d[0]}, y{a[1], b[1], c[1], d[1]};
  const Float4 z{a[2], b[2], c[2], d[2]}, w{a[3], b[3], c[3], d[3]};
  a = x, b = y, c = z, d = w;
#endif
}

}  // namespace hitbox::internal::base
