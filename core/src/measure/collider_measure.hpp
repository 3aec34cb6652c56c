// What is measured on the shapes of a collider themselves: points on their surfaces, which of them
// lie inside other shapes, how far points are from the union, and the union's volume.
//
// All random points come from blocks of fixed size with a generator each, so that they are the same
// for any number of threads. The k-th of n points falls into the k-th of n equal shares of the area
// (volume): every shape gets its share to within one point.
#pragma once

#include "measure/shape_union.hpp"

namespace hitbox::internal::measure {

struct ColliderSamples {
  std::vector<Vec3> points, normals;  // on the true surfaces; unit normals that look out
  std::vector<uint32_t> owners;       // the shape each point lies on; never decreasing
};

// `count` points, uniform by area over the surfaces of all shapes together.
ColliderSamples sample_surfaces(const ShapeUnion& collider, size_t count, uint64_t seed, Run& run);

// 1 for each sample whose point `offset` further out lies strictly inside another shape: what no one
// can touch from outside, because it is no part of the union's boundary.
std::vector<uint8_t> hidden_samples(const ShapeUnion& collider, const ColliderSamples& samples, double offset,
                                    Run& run);

// How far each point is outside the union of all shapes; 0 inside.
std::vector<double> distances_outside(const ShapeUnion& collider, std::span<const Vec3> points, Run& run);

struct UnionVolume {
  double total = 0;             // sum over the shapes
  double value = 0, error = 0;  // of the union: an estimate, and half of its 95 % interval
};

// Karp and Luby's estimator: points uniform in the shapes, each weighted by one over the number of
// shapes that hold it. Exact where nothing overlaps, and never worse than the same points in the
// bounding box: its weights lie between 1/n and 1, while there most points of a thin collider would
// hit nothing. The error is that of independent points, so a little too wide for these.
UnionVolume union_volume(const ShapeUnion& collider, size_t count, uint64_t seed, Run& run);

}  // namespace hitbox::internal::measure
