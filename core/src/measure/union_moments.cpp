#include "measure/union_moments.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "bvh/bvh.hpp"
#include "measure/shape_moments.hpp"

namespace hitbox::internal::measure {

namespace {

constexpr double kPoints = 1 << 16;  // in all shapes together
constexpr size_t kFewest = 64;       // in one shape
constexpr size_t kBlock = 512;

class Union {
 public:
  Union(std::span<const Shape> shapes, Run& run) : run_(run) {
    Bounds all;
    for (const Shape& shape : shapes) {
      const Bounds box = bounds(shape);
      all.add(box);
      if (!(volume(shape) > 0)) continue;
      shapes_.push_back(&shape);
      boxes_.push_back(box);
      whole_.add(box);
      moments_.push_back(shape_moments(shape));
      total_ += moments_.back().volume;
    }
    middle_ = all.center();
  }

  bool has_volume() const { return total_ > 0 && std::isfinite(total_); }

  Moments moments() {
    const double reach = std::max(max_component(abs(whole_.low)), max_component(abs(whole_.high)));
    margin_ = 1e-12 * max_component(whole_.size()) + 1e-15 * reach;
    find_neighbours();
    const std::vector<size_t> counts = counts_of_points();
    std::vector<std::vector<MomentsPart>> of_shape(shapes_.size());
    run_.for_each_block(shapes_.size(), 1, [&](size_t k, size_t, size_t) {
      if (neighbours_[k].empty())
        of_shape[k] = {{moments_[k].volume, {}, moments_[k].about, moments_[k].center - middle_}};
      else
        of_shape[k] = shared_parts(k, counts[k]);
    });
    std::vector<MomentsPart> parts;
    for (const auto& each : of_shape) parts.insert(parts.end(), each.begin(), each.end());
    return joined(parts, middle_);
  }

 private:
  void find_neighbours() {
    const bvh::BoxBvh tree(boxes_, run_);
    neighbours_.resize(shapes_.size());
    for (size_t k = 0; k < shapes_.size(); ++k) {
      Bounds around = boxes_[k];
      around.grow(margin_);
      tree.overlaps(around, [&](uint32_t other) {
        if (other != k) neighbours_[k].push_back(other);
      });
      std::sort(neighbours_[k].begin(), neighbours_[k].end());
    }
  }

  // Half of all points by volume, and half by moment, as a thin rod has little of one only.
  std::vector<size_t> counts_of_points() const {
    std::vector<double> far(shapes_.size());  // the mean square distance from the middle, of all points of a shape
    const double size = max_component(whole_.size());
    double sum = 0;
    for (size_t k = 0; k < shapes_.size(); ++k) {
      const auto& [volume, center, about] = moments_[k];
      far[k] = volume / total_ * (norm_sq((center - middle_) / size) + about.trace() / volume / size / size);
      sum += far[k];
    }
    std::vector<size_t> counts;
    for (size_t k = 0; k < shapes_.size(); ++k) {
      const double share = (moments_[k].volume / total_ + far[k] / sum) / 2;
      counts.push_back(std::max(kFewest, static_cast<size_t>(kPoints * share)));
    }
    return counts;
  }

  std::vector<MomentsPart> shared_parts(size_t k, size_t count) const {
    const InnerPoints inner = inner_points(*shapes_[k], count, k, middle_);
    std::vector<double> holders(count, 1.0);
    for (const uint32_t other : neighbours_[k]) add_holder(other, inner.points, holders);
    std::vector<MomentsPart> parts;
    for (size_t j = 0; j < count; ++j) parts.push_back({inner.weights[j] / holders[j], {}, {}, inner.matched[j]});
    return parts;
  }

  void add_holder(uint32_t other, std::span<const Vec3> points, std::vector<double>& holders) const {
    std::vector<size_t> near;
    std::vector<Vec3> asked;
    for (size_t j = 0; j < points.size(); ++j) {
      if (!boxes_[other].contains(points[j])) continue;
      near.push_back(j);
      asked.push_back(points[j]);
    }
    std::vector<double> distances(asked.size());
    signed_distance(*shapes_[other], asked, distances);
    for (size_t j = 0; j < near.size(); ++j)
      if (distances[j] <= margin_) ++holders[near[j]];
  }

  Run& run_;
  std::vector<const Shape*> shapes_;
  std::vector<Bounds> boxes_;
  std::vector<Moments> moments_;
  std::vector<std::vector<uint32_t>> neighbours_;  // whose boxes touch
  Bounds whole_;
  Vec3 middle_;
  double total_ = 0, margin_ = 0;
};

}  // namespace

std::optional<Moments> union_moments(std::span<const Shape> shapes, Run& run) {
  Union all(shapes, run);
  if (!all.has_volume()) return std::nullopt;
  return all.moments();
}

}  // namespace hitbox::internal::measure
