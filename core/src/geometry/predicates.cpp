#include "geometry/predicates.hpp"

#include "base/assert.hpp"

namespace hitbox::internal::geometry {
namespace {

// A number as the exact sum of `size` doubles of growing magnitude that do not overlap. Zeros are left out, so short
// inputs (grids, float32) stay short.
template <int kCapacity>
struct Expansion {
  double term[kCapacity];
  int size = 0;

  void push(double value) {
    if (value != 0) term[size++] = value;
  }
  int sign() const { return size == 0 ? 0 : term[size - 1] > 0 ? 1 : -1; }
};

inline void two_sum(double a, double b, double& sum, double& error) {
  sum = a + b;
  const double b_part = sum - a;
  error = (a - (sum - b_part)) + (b - b_part);
}

inline void split(double a, double& high, double& low) {
  const double c = 0x1.0000002p27 * a;  // 2^27 + 1
  high = c - (c - a);
  low = a - high;
}

inline void two_product(double a, double b, double& product, double& error) {
  product = a * b;
  double a_high, a_low, b_high, b_low;
  split(a, a_high, a_low);
  split(b, b_high, b_low);
  error = a_low * b_low - (((product - a_high * b_high) - a_low * b_high) - a_high * b_low);
}

Expansion<2> difference(double a, double b) {
  Expansion<2> result;
  double sum, error;
  two_sum(a, -b, sum, error);
  result.push(error);
  result.push(sum);
  return result;
}

// Shewchuk's fast expansion sum: merge by magnitude, then carry upwards.
template <int kA, int kB>
Expansion<kA + kB> sum_of(const Expansion<kA>& a, const Expansion<kB>& b) {
  Expansion<kA + kB> result;
  if (a.size + b.size == 0) return result;
  int i = 0, j = 0;
  const auto next = [&] {
    const bool from_a = j == b.size || (i < a.size && std::abs(a.term[i]) < std::abs(b.term[j]));
    return from_a ? a.term[i++] : b.term[j++];
  };
  double carry = next();
  while (i < a.size || j < b.size) {
    double sum, error;
    two_sum(carry, next(), sum, error);
    result.push(error);
    carry = sum;
  }
  result.push(carry);
  return result;
}

template <int kSize>
Expansion<kSize> negated(Expansion<kSize> a) {
  for (int k = 0; k < a.size; ++k) a.term[k] = -a.term[k];
  return a;
}

template <int kSize>
Expansion<2 * kSize> scaled(const Expansion<kSize>& a, double by) {
  Expansion<2 * kSize> result;
  if (a.size == 0) return result;
  double carry, error;
  two_product(a.term[0], by, carry, error);
  result.push(error);
  for (int k = 1; k < a.size; ++k) {
    double high, low, sum;
    two_product(a.term[k], by, high, low);
    two_sum(carry, low, sum, error);
    result.push(error);
    two_sum(high, sum, carry, error);
    result.push(error);
  }
  result.push(carry);
  return result;
}

template <int kSize>
Expansion<4 * kSize> product(const Expansion<kSize>& a, const Expansion<2>& b) {
  if (b.size == 0) return {};
  if (b.size == 1) {
    const Expansion<2 * kSize> whole = scaled(a, b.term[0]);
    Expansion<4 * kSize> result;
    for (int k = 0; k < whole.size; ++k) result.push(whole.term[k]);
    return result;
  }
  return sum_of(scaled(a, b.term[0]), scaled(a, b.term[1]));
}

using Minor = Expansion<16>;
Minor minor_of(const Expansion<2>& a, const Expansion<2>& b, const Expansion<2>& c, const Expansion<2>& d) {
  return sum_of(product(a, d), negated(product(b, c)));  // a d - b c
}

int exact_orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const auto ux = difference(b.x, a.x), uy = difference(b.y, a.y), uz = difference(b.z, a.z);
  const auto vx = difference(c.x, a.x), vy = difference(c.y, a.y), vz = difference(c.z, a.z);
  const auto wx = difference(d.x, a.x), wy = difference(d.y, a.y), wz = difference(d.z, a.z);
  const auto x = product(minor_of(uy, uz, vy, vz), wx);
  const auto y = product(minor_of(uz, ux, vz, vx), wy);
  const auto z = product(minor_of(ux, uy, vx, vy), wz);
  return sum_of(sum_of(x, y), z).sign();
}

// A number as high + low, accurate to about 2^-104 of its terms.
struct Double2 {
  double high, low;
};
inline Double2 exact_difference(double a, double b) {
  Double2 r;
  two_sum(a, -b, r.high, r.low);
  return r;
}
inline Double2 operator*(const Double2& a, const Double2& b) {
  Double2 r;
  two_product(a.high, b.high, r.high, r.low);
  r.low += a.high * b.low + a.low * b.high;
  return r;
}
inline Double2 operator+(const Double2& a, const Double2& b) {
  Double2 r;
  two_sum(a.high, b.high, r.high, r.low);
  r.low += a.low + b.low;
  return r;
}
inline Double2 operator-(const Double2& a, const Double2& b) { return a + Double2{-b.high, -b.low}; }

// The second filter: the determinant in twice the precision. Every operation has an error below 2^-100 of its terms'
// magnitudes, and there are at most four in a row, so 2^-96 is a safe bound.
double refined_orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const auto ux = exact_difference(b.x, a.x), uy = exact_difference(b.y, a.y), uz = exact_difference(b.z, a.z);
  const auto vx = exact_difference(c.x, a.x), vy = exact_difference(c.y, a.y), vz = exact_difference(c.z, a.z);
  const auto wx = exact_difference(d.x, a.x), wy = exact_difference(d.y, a.y), wz = exact_difference(d.z, a.z);
  const Double2 sum = (uy * vz - uz * vy) * wx + (uz * vx - ux * vz) * wy + (ux * vy - uy * vx) * wz;
  return sum.high + sum.low;
}
constexpr double kRefinedError = 0x1p-96;

inline int sign_of(double value) { return value > 0 ? 1 : value < 0 ? -1 : 0; }

}  // namespace

double exact_scale(double largest) {
  HITBOX_ASSERT(largest > 0 && std::isfinite(largest));
  int exponent;
  std::frexp(largest, &exponent);  // largest < 2^exponent
  return std::ldexp(1.0, std::min(330 - exponent, 1023));
}

int orient2d(const Vec2& a, const Vec2& b, const Vec2& c) {
  const double left = (b.x - a.x) * (c.y - a.y), right = (b.y - a.y) * (c.x - a.x);
  const double determinant = left - right;
  const double bound = (3 + 16 * 0x1p-53) * 0x1p-53 * (std::abs(left) + std::abs(right));
  if (std::abs(determinant) > bound || bound == 0) return sign_of(determinant);
  return minor_of(difference(b.x, a.x), difference(b.y, a.y), difference(c.x, a.x), difference(c.y, a.y)).sign();
}

int orient3d(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 u = b - a, v = c - a, w = d - a;
  const double yz = u.y * v.z, zy = u.z * v.y, zx = u.z * v.x, xz = u.x * v.z, xy = u.x * v.y, yx = u.y * v.x;
  const double determinant = (yz - zy) * w.x + (zx - xz) * w.y + (xy - yx) * w.z;
  const double permanent = (std::abs(yz) + std::abs(zy)) * std::abs(w.x) +
                           (std::abs(zx) + std::abs(xz)) * std::abs(w.y) +
                           (std::abs(xy) + std::abs(yx)) * std::abs(w.z);
  // With a permanent of 0 every product has a factor 0, because none of them can have underflowed.
  if (std::abs(determinant) > kOrient3dError * permanent || permanent == 0) return sign_of(determinant);
  if (d == b || d == c) return 0;  // repeated points are common; for d == a the permanent is 0
  const double refined = refined_orient3d(a, b, c, d);
  if (std::abs(refined) > kRefinedError * permanent) return sign_of(refined);
  return exact_orient3d(a, b, c, d);
}

bool are_collinear(const Vec3& a, const Vec3& b, const Vec3& c) {
  return orient2d({a.x, a.y}, {b.x, b.y}, {c.x, c.y}) == 0 && orient2d({a.y, a.z}, {b.y, b.z}, {c.y, c.z}) == 0 &&
         orient2d({a.z, a.x}, {b.z, b.x}, {c.z, c.x}) == 0;
}

}  // namespace hitbox::internal::geometry
