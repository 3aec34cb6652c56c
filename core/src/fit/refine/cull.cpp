#include "fit/refine/cull.hpp"

#include <algorithm>
#include <numeric>

#include "bvh/bvh.hpp"
#include "measure/hull_facets.hpp"

namespace hitbox::internal::fit {

namespace {

bool contains_all(const Shape& shape, std::span<const Vec3> points) {
  // Tests in batches, because most candidates fail within the first few points.
  std::array<double, 64> distance;
  for (size_t first = 0; first < points.size(); first += distance.size()) {
    const auto piece = points.subspan(first, std::min(distance.size(), points.size() - first));
    signed_distance(shape, piece, std::span(distance).first(piece.size()));
    if (std::any_of(distance.begin(), distance.begin() + static_cast<ptrdiff_t>(piece.size()),
                    [](double d) { return d > 0; }))
      return false;
  }
  return true;
}

}  // namespace

std::vector<uint32_t> superfluous_shapes(std::span<const Shape> shapes, std::vector<std::vector<Vec3>> points,
                                         std::span<const uint32_t> group, Run& run) {
  const auto count = static_cast<uint32_t>(shapes.size());
  std::vector<uint32_t> into(count), order(count);
  std::iota(into.begin(), into.end(), 0u);
  std::iota(order.begin(), order.end(), 0u);
  std::vector<double> volumes(count);
  std::vector<Bounds> shape_box(count), points_box(count);
  for (uint32_t k = 0; k < count; ++k) {
    volumes[k] = volume(shapes[k]);
    shape_box[k] = bounds(shapes[k]);
    points_box[k] = bounds_of(points[k]);
  }
  const auto holds = [&](uint32_t large, uint32_t small) {
    return (group.empty() || group[large] == group[small]) && shape_box[large].contains(points_box[small].low) &&
           shape_box[large].contains(points_box[small].high) && contains_all(shapes[large], points[small]);
  };
  std::stable_sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) { return volumes[a] < volumes[b]; });
  const BoxBvh tree(shape_box, run);
  std::vector<uint32_t> near;
  for (const uint32_t small : order) {
    run.poll();
    near.clear();
    tree.overlaps(points_box[small], [&](uint32_t shape) { near.push_back(shape); });
    std::sort(near.begin(), near.end());
    for (const uint32_t large : near) {
      if (into[small] != small) break;
      if (large == small || into[large] != large || !holds(large, small)) continue;
      // From now on the larger shape must also contain these points, also when its own turn comes.
      into[small] = large;
      points[large].insert(points[large].end(), points[small].begin(), points[small].end());
      points_box[large].add(points_box[small]);
    }
  }
  for (uint32_t k = 0; k < count; ++k)
    while (into[k] != into[into[k]]) into[k] = into[into[k]];
  return into;
}

double thinnest(const Shape& shape) {
  struct Visitor {
    double operator()(const Box& s) const { return min_component(s.half_extents); }
    double operator()(const Sphere& s) const { return s.radius; }
    double operator()(const Capsule& s) const { return s.radius; }
    double operator()(const Cylinder& s) const { return std::min(s.radius, 0.5 * norm(s.end - s.start)); }
    double operator()(const Frustum& s) const {
      return std::min(std::max(s.radius_start, s.radius_end), 0.5 * norm(s.end - s.start));
    }
    double operator()(const Prism& s) const {
      return std::min({s.half_x, s.half_y, std::max(s.half_top, s.half_bottom)});
    }
    double operator()(const Hull& s) const { return 0.5 * facets_of(s).width; }
  };
  return std::visit(Visitor{}, shape);
}

}  // namespace hitbox::internal::fit
