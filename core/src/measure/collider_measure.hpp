// Measurements of a collider's shapes: points on their surfaces, which of them lie inside other shapes, distances from
// the union, and the union's volume.
//
// All random points come from blocks of fixed size with a generator each, so they are the same for any number of
// threads. The k-th of n points falls into the k-th of n equal shares of the area (volume), so every shape gets its
// share to within one point.
#pragma once

#include "measure/shape_union.hpp"

namespace hitbox::internal::measure {

struct ColliderSamples {
  std::vector<Vec3> points, normals;  // on the true surfaces, with unit normals that point out
  std::vector<uint32_t> owners;       // the shape of each point; never decreasing
};

// `count` points, uniform by area over the surfaces of all shapes together.
ColliderSamples sample_surfaces(const ShapeUnion& collider, size_t count, uint64_t seed, Run& run);

// 1 for each sample that lies strictly inside another shape after moving out by `offset`. Such points cannot be touched
// from outside, because they are not part of the union's boundary.
std::vector<uint8_t> hidden_samples(const ShapeUnion& collider, const ColliderSamples& samples, double offset,
                                    Run& run);

// The distance of each point from the union of all shapes; 0 inside.
std::vector<double> distances_outside(const ShapeUnion& collider, std::span<const Vec3> points, Run& run);

struct UnionVolume {
  double total = 0;             // sum over the shapes
  double value = 0, error = 0;  // the union's volume: an estimate, and half of its 95 % interval
};

// Karp and Luby's estimator: points uniform in the shapes, each weighted by one over the number of shapes that contain
// it. It is exact without overlaps, and never worse than the same points in the bounding box: its weights lie between
// 1/n and 1, while most points in the box of a thin collider would hit nothing. The error is that of independent
// points, which is slightly too large for these.
UnionVolume union_volume(const ShapeUnion& collider, size_t count, uint64_t seed, Run& run);

}  // namespace hitbox::internal::measure
