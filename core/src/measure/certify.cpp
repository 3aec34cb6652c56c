#include "measure/certify.hpp"

#include <algorithm>
#include <numeric>
#include <optional>

#include "bvh/bvh.hpp"
#include "geometry/triangle.hpp"
#include "measure/inside.hpp"
#include "measure/patches.hpp"

namespace hitbox::internal::measure {
namespace {

constexpr size_t kBlock = 256;
constexpr double kRounding = 1e-9;       // fraction of the total size, because of slivers (geometry/triangle.hpp)
constexpr double kSideRounding = 1e-12;  // fraction of the size: closer to a shape's surface no side is proved

struct Seen {  // a patch, with bounds of the distances over it
  Patch patch;
  uint32_t nearest = Bvh::kNone;    // nearest triangle, initially its parent's
  bool hidden = false;              // proved: no point of it is on the outer surface
  double high = Bounds::kInfinity;  // upper bound over all its points, initially its parent's
  double distance = 0;              // distance of its centre
  double outer_low = 0;             // distance of its centre if that is on the outer surface
  double area = 0, mean_low = 0, mean_high = 0;

  double mean_gap() const { return area * (mean_high - mean_low); }
};

class SurfaceBounds {
 public:
  SurfaceBounds(const MeshView& mesh, const ShapeUnion& shapes, const TriangleBvh& tree, double move_out, double size,
                Run& run)
      : union_(shapes),
        tree_(tree),
        surfaces_(shapes.shapes()),
        run_(run),
        move_out_(move_out),
        unsure_(kSideRounding * size) {
    if (is_closed_solid(mesh, run)) solid_.emplace(tree);
    for (const Patch& patch : surfaces_.patches()) seen_.push_back({patch});
    look(0);
  }

  // Refines until both maxima are known to within `resolution`, or `budget` patches are used up.
  void refine_maxima(double resolution, size_t budget) {
    refine(budget, [&](std::vector<uint32_t>& open) {
      for (uint32_t k = 0; k < seen_.size(); ++k)
        if (seen_[k].high > all_low_ + resolution || (!seen_[k].hidden && seen_[k].high > outer_low_ + resolution))
          open.push_back(k);
      largest_first(open, [&](uint32_t k) { return seen_[k].high; });
    });
  }
  // Halving a patch about halves its gap, so the opened patches must have twice the excess.
  void refine_mean(double resolution, size_t budget) {
    refine(budget, [&](std::vector<uint32_t>& open) {
      double gap = 0, area = 0, opened = 0;
      for (const Seen& s : seen_) gap += s.mean_gap(), area += s.area;
      const double excess = gap - resolution * area;
      if (!(excess > 0)) return;
      open.resize(seen_.size());
      std::iota(open.begin(), open.end(), 0u);
      largest_first(open, [&](uint32_t k) { return seen_[k].mean_gap(); });
      size_t count = 0;
      while (count < open.size() && opened < 2 * excess) opened += seen_[open[count++]].mean_gap();
      open.resize(count);
    });
  }

  Interval all_surfaces() const {
    Interval result{all_low_, all_low_};
    for (const Seen& s : seen_) result.high = std::max(result.high, s.high);
    return result;
  }
  Interval outer_surface() const {
    Interval result{outer_low_, outer_low_};
    for (const Seen& s : seen_)
      if (!s.hidden) result.high = std::max(result.high, s.high);
    return result;
  }
  Interval mean_all() const {
    double low = 0, high = 0, area = 0;
    for (const Seen& s : seen_) {
      low += s.area * s.mean_low;
      high += s.area * s.mean_high;
      area += s.area;
    }
    return area > 0 ? Interval{low / area, high / area} : Interval{0, all_surfaces().high};
  }
  size_t patches() const { return looked_at_; }

 private:
  template <class Key>
  static void largest_first(std::vector<uint32_t>& open, Key&& key) {
    std::sort(open.begin(), open.end(),
              [&](uint32_t a, uint32_t b) { return key(a) > key(b) || (key(a) == key(b) && a < b); });
  }

  template <class Open>
  void refine(size_t budget, Open&& choose) {
    size_t used = 0;
    std::vector<uint32_t> open;
    for (;;) {
      open.clear();
      choose(open);
      open.resize(std::min(open.size(), (budget - used) / 4));
      if (open.empty()) return;
      const size_t first = cut(open);
      used += seen_.size() - first;
      look(first);
      run_.advance(static_cast<double>(used) / static_cast<double>(budget));
    }
  }

  // Appends the quarters of the open patches; returns the first of them.
  size_t cut(const std::vector<uint32_t>& open) {
    std::vector<uint8_t> is_open(seen_.size());
    for (const uint32_t k : open) is_open[k] = 1;
    std::vector<Seen> quarters;
    quarters.reserve(4 * open.size());
    size_t kept = 0;
    for (size_t k = 0; k < seen_.size(); ++k) {
      if (!is_open[k]) {
        seen_[kept++] = seen_[k];
        continue;
      }
      for (const Patch& half : surfaces_.halves_of(seen_[k].patch))
        for (const Patch& quarter : surfaces_.halves_of(half))
          quarters.push_back({quarter, seen_[k].nearest, seen_[k].hidden, seen_[k].high});
    }
    seen_.resize(kept);
    seen_.insert(seen_.end(), quarters.begin(), quarters.end());
    return kept;
  }

  void look(size_t first) {
    const double outer_before = outer_low_;
    run_.for_each_block(seen_.size() - first, kBlock, [&](size_t from, size_t to, size_t) {
      for (size_t k = from; k < to; ++k) look_at(seen_[first + k], outer_before);
    });
    for (size_t k = first; k < seen_.size(); ++k) {
      all_low_ = std::max(all_low_, seen_[k].distance);
      outer_low_ = std::max(outer_low_, seen_[k].outer_low);
    }
    looked_at_ += seen_.size() - first;
  }

  void look_at(Seen& s, double outer_before) const {
    const PatchHull hull = surfaces_.hull_of(s.patch);
    const double reach = hull.reach(), mean_reach = std::min(reach, hull.mean_reach);
    const TriangleBvh::Closest closest = tree_.closest(hull.center, Bounds::kInfinity, s.nearest);
    const double distance = std::sqrt(closest.distance_sq);
    double far = 0, mean_far = 0;
    for (int k = 0; k < hull.count; ++k) {
      const auto at = static_cast<size_t>(k);
      const double d = distance_to_triangle(hull.points[at], tree_.corners(closest.triangle));
      far = std::max(far, d);
      mean_far += d * hull.weights[at];
    }
    s.nearest = closest.triangle;
    s.distance = distance;
    s.high = std::max(distance, std::min({s.high, distance + reach, far}));
    s.area = hull.area;
    s.mean_low = std::max(0.0, distance - mean_reach);
    s.mean_high = std::max(s.mean_low, std::min(distance + mean_reach, mean_far));
    if (!s.hidden && s.high > outer_before) look_outside(s, hull, reach, outer_before);
  }

  void look_outside(Seen& s, const PatchHull& hull, double reach, double outer_before) const {
    const bool in_solid = solid_ && solid_->contains(hull.center);
    const PatchHull moved = surfaces_.hull_of(s.patch, move_out_);
    s.hidden = (in_solid && s.distance > reach + unsure_) || union_.one_contains(moved.hull(), s.patch.shape, unsure_);
    if (s.hidden || in_solid || s.distance <= outer_before) return;
    if (!union_.contains(moved.center, s.patch.shape, -unsure_)) s.outer_low = s.distance;
  }

  const ShapeUnion& union_;
  const TriangleBvh& tree_;
  const Surfaces surfaces_;
  Run& run_;
  std::optional<Solid> solid_;
  double move_out_, unsure_;
  std::vector<Seen> seen_;
  double all_low_ = 0, outer_low_ = 0;
  size_t looked_at_ = 0;
};

// The largest distance of the mesh from the union, by the same rounds over the mesh's triangles.
class StickOut {
 public:
  StickOut(const TriangleBvh& tree, const ShapeUnion& all, double resolution, Run& run)
      : union_(all), resolution_(resolution), run_(run) {
    std::vector<double> high(tree.size());
    run.for_each_block(tree.size(), kBlock, [&](size_t first, size_t last, size_t) {
      for (size_t k = first; k < last; ++k) {
        const auto& corners = tree.corners_at(static_cast<uint32_t>(k));
        high[k] = union_.farthest_of_hull(corners, (corners[0] + corners[1] + corners[2]) / 3);
      }
    });
    for (uint32_t k = 0; k < high.size(); ++k)
      if (high[k] > resolution)
        open_.push_back({tree.corners_at(k), high[k], 0});
      else
        settled_high_ = std::max(settled_high_, high[k]);
    look();
  }

  void refine(size_t budget) {
    for (size_t used = 0; used < budget;) {
      settle();
      if (open_.empty() || used + 4 * open_.size() > budget) return;
      cut();
      used += open_.size();
      look();
      run_.advance(static_cast<double>(used) / static_cast<double>(budget));
    }
  }
  Interval bounds() const {
    double high = std::max(settled_high_, low_);
    for (const Part& part : open_) high = std::max(high, part.high);
    return {low_, high};
  }
  size_t patches() const { return looked_at_; }

 private:
  struct Part {
    std::array<Vec3, 3> corners;
    double high, low;
  };

  void look() {
    const double before = low_ + resolution_;
    run_.for_each_block(open_.size(), kBlock, [&](size_t first, size_t last, size_t) {
      for (size_t k = first; k < last; ++k) look_at(open_[k], before);
    });
    for (const Part& part : open_) low_ = std::max(low_, part.low);
    looked_at_ += open_.size();
  }
  void look_at(Part& part, double before) const {
    const auto& [a, b, c] = part.corners;
    const Vec3 center = (a + b + c) / 3;
    part.high = std::min(part.high, union_.farthest_of_hull(part.corners, center));
    if (part.high <= before) return;
    const double here = union_.distance(center);
    const double reach = std::sqrt(std::max({norm_sq(a - center), norm_sq(b - center), norm_sq(c - center)}));
    part.high = std::min(part.high, here + reach);
    part.low = std::max({here, union_.distance(a), union_.distance(b), union_.distance(c)});
    part.high = std::max(part.high, part.low);
  }
  void settle() {
    std::erase_if(open_, [&](const Part& part) {
      const bool settled = part.high <= low_ + resolution_;
      if (settled) settled_high_ = std::max(settled_high_, part.high);
      return settled;
    });
  }
  void cut() {
    std::vector<Part> quarters;
    quarters.reserve(4 * open_.size());
    for (const Part& part : open_) {
      const auto& [a, b, c] = part.corners;
      const Vec3 ab = (a + b) / 2, bc = (b + c) / 2, ca = (c + a) / 2;
      for (const auto& corners :
           {std::array{a, ab, ca}, std::array{ab, b, bc}, std::array{ca, bc, c}, std::array{ab, bc, ca}})
        quarters.push_back({corners, part.high, 0});
    }
    open_ = std::move(quarters);
  }

  const ShapeUnion& union_;
  double resolution_;
  Run& run_;
  std::vector<Part> open_;
  double low_ = 0, settled_high_ = 0;
  size_t looked_at_ = 0;
};

Interval widened(const Interval& in, double by, double diagonal) {
  return {std::max(0.0, in.low - by) / diagonal, (in.high + by) / diagonal};
}

}  // namespace

Certificate certify(const MeshView& mesh, const ShapeUnion& shapes, const CertifyOptions& options, Run& run) {
  run.enter("tree", 0, 0.1);
  const TriangleBvh tree(mesh, run);
  Bounds extent = referenced_bounds(mesh);
  const double diagonal = extent.diagonal(), wanted = options.resolution * diagonal;
  for (const Shape& shape : shapes.shapes()) extent.add(bounds(shape));
  extent.add(Vec3{});  // coordinates far from the origin round more coarsely
  const double size = extent.diagonal(), by = kRounding * size;
  // Both ends finally move out by `by`. If that alone exceeds the resolution, further search is useless.
  const double resolution = std::max(wanted - 3 * by, wanted / 2);

  run.enter("surfaces", 0.1, 0.4);
  SurfaceBounds surfaces(mesh, shapes, tree, options.offset * diagonal, size, run);
  surfaces.refine_maxima(resolution, options.budget / 2);
  run.enter("mean", 0.4, 0.8);
  surfaces.refine_mean(kMeanResolution * resolution, options.budget / 2);
  run.enter("coverage", 0.8, 1);
  StickOut stick_out(tree, shapes, resolution, run);
  stick_out.refine(options.budget);

  Certificate result;
  const auto put = [&](Interval& where, const Interval& found, double times) {
    where = widened(found, by, diagonal);
    result.complete = result.complete && where.high - where.low <= times * options.resolution;
  };
  put(result.all_surfaces, surfaces.all_surfaces(), 1);
  put(result.mean_all, surfaces.mean_all(), kMeanResolution);
  put(result.outer_surface, surfaces.outer_surface(), 1);
  put(result.sticks_out, stick_out.bounds(), 1);
  result.patches = surfaces.patches() + stick_out.patches();
  return result;
}

}  // namespace hitbox::internal::measure
