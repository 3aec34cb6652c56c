#include "count.hpp"

#include <algorithm>
#include <array>
#include <numeric>

#include "../measure/distance.hpp"

namespace hitbox {

namespace {

constexpr std::array<uint32_t, 16> kLadder = {1,  2,  3,  4,  6,  8,   12,  16,
                                              24, 32, 48, 64, 96, 128, 192, kMostChosen};
constexpr uint32_t kFew = 32;         // up to here more shapes are taken where that pays
constexpr size_t kSamples = 4096;
constexpr double kExact = 5e-4;       // means below this are all the same: a cylinder is not 26 plates
constexpr int kSegments = 32;         // of round shapes: with few, they seem further off than they are

class Rungs {
 public:
  Rungs(const MeshView& mesh, const MergeTree& tree, const FitOptions& options, Run& run)
      : mesh_(mesh), tree_(tree), options_(options), run_(run), surface_(mesh, run),
        diagonal_(referenced_bounds(mesh).diagonal()) {
    mean_.fill(-1);
  }

  double mean(size_t rung) {
    if (mean_[rung] < 0) mean_[rung] = measure(kLadder[rung]);
    return mean_[rung];
  }

 private:
  double measure(uint32_t count) {
    const FitResult fitted =
        shapes_after(mesh_, tree_, tree_.merges_to(count), options_, run_);
    if (fitted.shapes.empty()) return Bounds::kInfinity;  // all too thin
    TriangleMesh all;
    for (const Shape& shape : fitted.shapes) append(all, to_mesh(shape, kSegments));
    const SurfaceSamples samples = sample_surface(all.vertices, all.triangles, kSamples, 0);
    std::vector<double> distance(samples.points.size());
    run_.for_each_block(distance.size(), 256, [&](size_t first, size_t last, size_t) {
      for (size_t k = first; k < last; ++k)
        distance[k] = std::sqrt(surface_.closest(samples.points[k]).distance_sq);
    });
    return std::accumulate(distance.begin(), distance.end(), 0.0) /
           (static_cast<double>(distance.size()) * diagonal_);
  }

  static void append(TriangleMesh& all, const TriangleMesh& more) {
    const auto base = static_cast<uint32_t>(all.vertices.size());
    all.vertices.insert(all.vertices.end(), more.vertices.begin(), more.vertices.end());
    for (const auto& [a, b, c] : more.triangles)
      all.triangles.push_back({a + base, b + base, c + base});
  }

  const MeshView& mesh_;
  const MergeTree& tree_;
  const FitOptions& options_;
  Run& run_;
  TriangleBvh surface_;
  double diagonal_;
  std::array<double, kLadder.size()> mean_;
};

}  // namespace

CountChoice choose_count(const MeshView& mesh, const MergeTree& tree, const FitOptions& options,
                         Run& run) {
  Rungs rungs(mesh, tree, options, run);
  // From below, not by halving: one sphere is closer to a ball than eight boxes are.
  size_t low = 0;
  while (low + 1 < kLadder.size() && rungs.mean(low) > kCloseEnough) ++low;
  // A shelf is one solid block on average within 1 %, and exact with a few boards more: twice the
  // shapes for less than half the distance is worth it.
  const auto waste = [&](size_t rung) { return kLadder[rung] * std::max(rungs.mean(rung), kExact); };
  size_t best = low;
  for (size_t rung = low + 1; rung < kLadder.size() && kLadder[rung] <= kFew; ++rung)
    if (waste(rung) < waste(best)) best = rung;
  return {kLadder[best], rungs.mean(best)};
}

}  // namespace hitbox
