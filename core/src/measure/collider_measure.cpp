#include "measure/collider_measure.hpp"

#include <numeric>

#include "base/random.hpp"
#include "shapes/surface.hpp"

namespace hitbox::internal::measure {

namespace {

constexpr size_t kBlock = 1024;

// Each block has its own generator. The streams of neighbouring blocks are independent.
Random random_of_block(uint64_t seed, size_t block) {
  return Random(Random(seed).next() ^ Random(~static_cast<uint64_t>(block)).next());
}

// Pieces, selected by equal shares of their weights.
template <class Piece>
struct Stack {
  std::vector<Piece> pieces;
  std::vector<uint32_t> owners;
  std::vector<double> total;  // cumulative weights, including the piece

  void add(const Piece& piece, uint32_t owner, double weight) {
    pieces.push_back(piece);
    owners.push_back(owner);
    total.push_back((total.empty() ? 0 : total.back()) + weight);
  }
  // Without any weight all pieces count alike.
  void finish() {
    if (!total.empty() && !(total.back() > 0)) std::iota(total.begin(), total.end(), 1.0);
  }
  size_t at(double share) const {
    const auto found = std::upper_bound(total.begin(), total.end(), share * total.back());
    size_t k = static_cast<size_t>(found - total.begin());
    if (k == total.size()) --k;  // because of rounding: the last piece with a weight
    while (k > 0 && total[k] == total[k - 1]) --k;
    return k;
  }
};

double share_of(size_t k, size_t count, Random& random) {
  return (static_cast<double>(k) + random.uniform()) / static_cast<double>(count);
}

}  // namespace

ColliderSamples sample_surfaces(const ShapeUnion& collider, size_t count, uint64_t seed, Run& run) {
  Stack<SurfacePatch> stack;
  for (uint32_t s = 0; s < collider.shapes().size(); ++s)
    for (const SurfacePatch& patch : surface_patches(collider.shapes()[s])) stack.add(patch, s, patch.area);
  stack.finish();
  ColliderSamples samples;
  samples.points.resize(count);
  samples.normals.resize(count);
  samples.owners.resize(count);
  run.for_each_block(count, kBlock, [&](size_t first, size_t last, size_t block) {
    Random random = random_of_block(seed, block);
    for (size_t k = first; k < last; ++k) {
      const size_t patch = stack.at(share_of(k, count, random));
      const double u = random.uniform(), v = random.uniform();
      const SurfacePoint on = point_on(stack.pieces[patch], u, v);
      samples.points[k] = on.point;
      samples.normals[k] = on.normal;
      samples.owners[k] = stack.owners[patch];
    }
  });
  return samples;
}

std::vector<uint8_t> hidden_samples(const ShapeUnion& collider, const ColliderSamples& samples, double offset,
                                    Run& run) {
  std::vector<uint8_t> hidden(samples.points.size());
  run.for_each_block(hidden.size(), kBlock, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k) {
      const Vec3 p = samples.points[k] + samples.normals[k] * offset;
      hidden[k] = collider.contains(p, samples.owners[k], 0);
    }
  });
  return hidden;
}

std::vector<double> distances_outside(const ShapeUnion& collider, std::span<const Vec3> points, Run& run) {
  std::vector<double> distances(points.size());
  run.for_each_block(points.size(), kBlock, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k) distances[k] = collider.distance(points[k]);
  });
  return distances;
}

UnionVolume union_volume(const ShapeUnion& collider, size_t count, uint64_t seed, Run& run) {
  UnionVolume found;
  Stack<Wedge> stack;
  for (uint32_t s = 0; s < collider.shapes().size(); ++s) {
    found.total += volume(collider.shapes()[s]);
    for (const Wedge& wedge : inner_wedges(collider.shapes()[s])) stack.add(wedge, s, wedge.volume);
  }
  if (stack.pieces.empty() || count == 0) return found;
  std::vector<double> weights(count);
  run.for_each_block(count, kBlock, [&](size_t first, size_t last, size_t block) {
    Random random = random_of_block(seed, block);
    for (size_t k = first; k < last; ++k) {
      const size_t wedge = stack.at(share_of(k, count, random));
      const double u = random.uniform(), v = random.uniform(), depth = random.uniform();
      const Vec3 p = point_in(stack.pieces[wedge], u, v, depth);
      const size_t others = collider.count_around(p, stack.owners[wedge], collider.shapes().size());
      weights[k] = 1 / static_cast<double>(1 + others);
    }
  });
  const double n = static_cast<double>(count);
  const double mean = std::accumulate(weights.begin(), weights.end(), 0.0) / n;
  double squares = 0;
  for (const double weight : weights) squares += (weight - mean) * (weight - mean);
  found.value = found.total * mean;
  found.error = count > 1 ? 1.96 * found.total * std::sqrt(squares / (n - 1) / n) : found.total;
  return found;
}

}  // namespace hitbox::internal::measure
