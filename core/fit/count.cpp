#include "count.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "../base/random.hpp"
#include "../measure/distance.hpp"

namespace hitbox {

namespace {

constexpr std::array<uint32_t, 16> kLadder = {1,  2,  3,  4,  6,  8,   12,  16,
                                              24, 32, 48, 64, 96, 128, 192, kMostChosen};
constexpr uint32_t kFew = 32;         // up to here more shapes are taken where that pays
constexpr size_t kOneByOne = 5;       // rungs
constexpr double kStillClose = 0.01, kHardlyCloser = 0.7;
constexpr size_t kSamples = 2048;
constexpr double kExact = 5e-4;       // means below this are all the same: a cylinder is not 26 plates
constexpr int kSegments = 32;         // of round shapes: with few, they seem further off than they are

class Rungs {
 public:
  Rungs(const FitInput& input, const MergeTree& tree, Run& run)
      : input_(input), tree_(tree), run_(run),
        surface_(MeshView{input.exact_vertices, input.exact_indices, input.offsets}, run),
        diagonal_(input.to_input.scale) {
    mean_.fill(-1);
  }

  double mean(size_t rung) {
    if (mean_[rung] < 0) mean_[rung] = measure(kLadder[rung]);
    return mean_[rung];
  }

 private:
  // The larger of two means: over the shapes' surfaces, and over the empty space they fill. One box
  // around a corridor has a surface close to the mesh, and nobody could walk there any more.
  double measure(uint32_t count) {
    const FitResult fitted = shapes_before_padding(input_, tree_, tree_.merges_to(count), run_);
    if (fitted.shapes.empty()) return Bounds::kInfinity;  // all too thin
    TriangleMesh all;
    std::vector<Vec3> center_of_triangle;
    for (const Shape& shape : fitted.shapes) {
      const TriangleMesh mesh = to_mesh(shape, kSegments);
      append(all, mesh);
      const Vec3 sum = std::accumulate(mesh.vertices.begin(), mesh.vertices.end(), Vec3{});
      center_of_triangle.resize(all.triangles.size(), sum / static_cast<double>(mesh.vertices.size()));
    }
    const SurfaceSamples samples = sample_surface(all.vertices, all.triangles, kSamples, 0);
    std::vector<double> outside(kSamples), filled(kSamples);
    run_.for_each_block(kSamples, 256, [&](size_t first, size_t last, size_t block) {
      Random random(block);
      for (size_t k = first; k < last; ++k) {
        const Vec3 center = center_of_triangle[samples.triangles[k]];
        outside[k] = std::sqrt(surface_.closest(samples.points[k]).distance_sq);
        filled[k] = empty_space(center + (samples.points[k] - center) * random.uniform());
      }
    });
    return std::max(mean_of(outside), mean_of(filled)) / diagonal_;
  }

  // How far the mesh is from a point in front of it; 0 behind it, where a solid is.
  double empty_space(const Vec3& p) const {
    const TriangleBvh::Closest near = surface_.closest(p);
    const auto& [a, b, c] = surface_.corners(near.triangle);
    return dot(cross(b - a, c - a), p - near.point) > 0 ? std::sqrt(near.distance_sq) : 0;
  }

  static double mean_of(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  }

  static void append(TriangleMesh& all, const TriangleMesh& more) {
    const auto base = static_cast<uint32_t>(all.vertices.size());
    all.vertices.insert(all.vertices.end(), more.vertices.begin(), more.vertices.end());
    for (const auto& [a, b, c] : more.triangles)
      all.triangles.push_back({a + base, b + base, c + base});
  }

  const FitInput& input_;
  const MergeTree& tree_;
  Run& run_;
  TriangleBvh surface_;
  double diagonal_;
  std::array<double, kLadder.size()> mean_;
};

}  // namespace

CountChoice choose_count(const FitInput& input, const MergeTree& tree, Run& run) {
  run.enter("choose", 0.9, 0.9);
  Rungs rungs(input, tree, run);
  // The first rungs one by one: a sphere is closer to a ball than eight boxes are. Then by halving.
  size_t low = 0, high = kLadder.size() - 1;
  while (low < kOneByOne && rungs.mean(low) > kCloseEnough) ++low;
  if (low < kOneByOne) high = low;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (rungs.mean(middle) <= kCloseEnough)
      high = middle;
    else
      low = middle + 1;
  }
  // On rough surfaces more shapes help little: half as many do if they are nearly as close.
  const auto half_will_do = [&](size_t rung) {  // two rungs down, from the fifth on
    return rung >= kOneByOne && rungs.mean(rung - 2) <= kStillClose &&
           rungs.mean(rung) > kHardlyCloser * rungs.mean(rung - 2);
  };
  while (half_will_do(low)) low -= 2;
  // A shelf is close to one solid block on average, and exact with a few boards more: twice the
  // shapes for less than half the distance is worth it.
  const uint32_t least = tree.clusters_after(tree.merges.size());
  const auto waste = [&](size_t rung) {
    return std::max(kLadder[rung], least) * std::max(rungs.mean(rung), kExact);
  };
  size_t best = low;
  for (size_t rung = low + 1; rung < kLadder.size() && kLadder[rung] <= kFew; ++rung)
    if (waste(rung) < waste(best)) best = rung;
  return {tree.clusters_after(tree.merges_to(kLadder[best])), rungs.mean(best)};
}

}  // namespace hitbox
