#include "fit/cost/overlap.hpp"

#include <array>

#include "base/random.hpp"

namespace hitbox::internal::fit {
namespace {

constexpr size_t kBatch = 256;  // points at a time, on the stack

// The half extents of the box around a shape, along its own frame.
Vec3 half_box(const Fitted& f) {
  switch (f.kind) {
    case Kind::sphere: return {f.size[0], f.size[0], f.size[0]};
    case Kind::capsule: return {f.size[0] + f.size[1], f.size[1], f.size[1]};
    case Kind::cylinder: return {f.size[0], f.size[1], f.size[1]};
    case Kind::frustum: {
      const double widest = std::max(f.size[1], f.size[2]);
      return {f.size[0], widest, widest};
    }
    case Kind::prism: return {f.size[0], f.size[1], std::max(f.size[2], f.size[3])};
    default: return {f.size[0], f.size[1], f.size[2]};
  }
}

bool apart(const Bounds& a, const Bounds& b) {
  for (int axis = 0; axis < 3; ++axis)
    if (a.low[axis] > b.high[axis] || b.low[axis] > a.high[axis]) return true;
  return false;
}

}  // namespace

double share_inside(const Fitted& small, const Fitted& large, size_t samples, uint64_t seed) {
  const Shape from = to_shape(small), in = to_shape(large);
  if (apart(bounds(from), bounds(in))) return 0;
  const Vec3 half = half_box(small);
  Random random(seed);
  std::array<Vec3, kBatch> points;
  std::array<double, kBatch> of_small, of_large;
  size_t inside = 0, shared = 0;
  for (size_t done = 0; done < samples; done += kBatch) {
    const size_t count = std::min(kBatch, samples - done);
    for (size_t k = 0; k < count; ++k) {
      Vec3 local;
      for (int axis = 0; axis < 3; ++axis) local[axis] = random.uniform(-half[axis], half[axis]);
      points[k] = small.center + small.frame.to_world(local);
    }
    const std::span<const Vec3> batch(points.data(), count);
    signed_distance(from, batch, {of_small.data(), count});
    signed_distance(in, batch, {of_large.data(), count});
    for (size_t k = 0; k < count; ++k) {
      inside += of_small[k] <= 0;
      shared += of_small[k] <= 0 && of_large[k] <= 0;
    }
  }
  return inside > 0 ? static_cast<double>(shared) / static_cast<double>(inside) : 0;
}

}  // namespace hitbox::internal::fit
