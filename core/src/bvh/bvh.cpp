#include "bvh/bvh.hpp"

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "base/assert.hpp"
#include "geometry/triangle.hpp"
#include "mesh/triangulate.hpp"

namespace hitbox::internal::bvh {
namespace {

constexpr uint32_t kLeafSize = 4;
constexpr uint32_t kTaskSize = 16384;  // ranges up to this size are built as one task
constexpr size_t kBlock = 1 << 14;     // triangles per block of simple loops
constexpr int kBins = 16;
constexpr int kMedianDepth = 40;  // deeper splits are halves, which bounds the depth and every stack

struct Record {
  Bounds box;
  uint32_t item;

  double center(int axis) const { return box.low[axis] * 0.5 + box.high[axis] * 0.5; }
};

struct Binary {  // children first and first + 1, or with a count the records [first, first + count)
  Bounds box;
  uint32_t first = 0, count = 0;
};

struct Range {
  uint32_t first, last;
  int depth;
  uint32_t size() const { return last - first; }
};

// Memory for as many nodes as a tree of so many records may need: less than two for each. It is not written to before
// it is used, and systems hand out the pages that are.
class Nodes {
 public:
  Nodes() = default;
  explicit Nodes(size_t most) : nodes_(static_cast<Binary*>(std::malloc(most * sizeof(Binary)))) {
    if (!nodes_) throw std::bad_alloc();
  }
  Binary& operator[](uint32_t k) { return nodes_.get()[k]; }
  const Binary& operator[](uint32_t k) const { return nodes_.get()[k]; }

 private:
  struct Free {
    void operator()(Binary* nodes) const { std::free(nodes); }
  };
  static_assert(std::is_trivially_copyable_v<Binary>);
  std::unique_ptr<Binary, Free> nodes_;
};

class Builder {
 public:
  template <class BoxOf>
  Builder(size_t count, BoxOf&& box_of, Run& run) : records_(count) {
    run.for_each_block(count, kBlock, [&](size_t first, size_t last, size_t) {
      for (size_t k = first; k < last; ++k) records_[k] = {box_of(k), static_cast<uint32_t>(k)};
    });
  }

  void build(Run& run);
  // Once the tree is built; the records, which are large, are freed.
  std::vector<uint32_t> take_order() {
    std::vector<uint32_t> items(records_.size());
    for (size_t k = 0; k < items.size(); ++k) items[k] = records_[k].item;
    records_ = {};
    return items;
  }
  std::vector<Bvh::Node> collapsed(Run& run) const;

 private:
  struct Task {
    Range range;
    uint32_t node;  // its root
    size_t leaf_count = 0;
  };

  template <class PairAt, class Stop>
  void grow(Range range, uint32_t node, PairAt&& pair_at, Stop&& stop);
  uint32_t split(const Range& range, Bounds& box);
  uint32_t split_at_median(const Range& range, int axis);

  std::vector<Record> records_;
  Nodes nodes_;
  size_t leaf_count_ = 0;
};

uint32_t Builder::split_at_median(const Range& range, int axis) {
  const auto begin = records_.begin();
  const uint32_t middle = range.first + range.size() / 2;
  std::nth_element(begin + range.first, begin + middle, begin + range.last, [&](const Record& a, const Record& b) {
    return std::pair(a.center(axis), a.item) < std::pair(b.center(axis), b.item);
  });
  return middle;
}

// Partitions the range at the cheapest border between bins; returns the start of the second part.
uint32_t Builder::split(const Range& range, Bounds& box) {
  Bounds centers;
  for (uint32_t k = range.first; k < range.last; ++k) {
    const Bounds& b = records_[k].box;
    box.add(b);
    centers.add(b.low * 0.5 + b.high * 0.5);
  }
  const Vec3 size = centers.size();
  const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
  const double low = centers.low[axis], scale = kBins / size[axis] * (1 - 0x1p-40);
  if (range.depth >= kMedianDepth || !std::isfinite(scale) || range.size() <= kLeafSize)
    return split_at_median(range, axis);

  const auto bin_of = [&](const Record& r) { return static_cast<int>((r.center(axis) - low) * scale); };
  Bounds bin[kBins];
  uint32_t count[kBins] = {};
  for (uint32_t k = range.first; k < range.last; ++k) {
    const int b = bin_of(records_[k]);
    bin[b].add(records_[k].box);
    ++count[b];
  }
  double cost_right[kBins];
  Bounds sweep;
  uint32_t items = 0;
  for (int b = kBins - 1; b > 0; --b) {
    sweep.add(bin[b]);
    items += count[b];
    cost_right[b] = items > 0 ? sweep.area() * items : 0;
  }
  sweep = {};
  items = 0;
  int best = 0;
  double least = Bounds::kInfinity;
  for (int b = 1; b < kBins; ++b) {
    sweep.add(bin[b - 1]);
    items += count[b - 1];
    const double cost = (items > 0 ? sweep.area() * items : 0) + cost_right[b];
    if (items > 0 && items < range.size() && cost < least) {
      least = cost;
      best = b;
    }
  }
  if (best == 0) return split_at_median(range, axis);
  const auto begin = records_.begin();
  const auto middle =
      std::partition(begin + range.first, begin + range.last, [&](const Record& r) { return bin_of(r) < best; });
  return static_cast<uint32_t>(middle - begin);
}

// Splits the range under `node` until stop(range, node) takes what is left. The children of a node that is split at the
// record `middle` are pair_at(middle) and the one after it.
template <class PairAt, class Stop>
void Builder::grow(Range range, uint32_t node, PairAt&& pair_at, Stop&& stop) {
  std::vector<std::pair<Range, uint32_t>> open{{range, node}};
  while (!open.empty()) {
    const auto [now, at] = open.back();
    open.pop_back();
    if (stop(now, at)) continue;
    Bounds box;
    const uint32_t middle = split(now, box), left = pair_at(middle);
    nodes_[at] = {box, left, 0};
    open.push_back({{middle, now.last, now.depth + 1}, left + 1});
    open.push_back({{now.first, middle, now.depth + 1}, left});
  }
}

// A tree over n records has less than 2 n nodes. So those of a task over [first, last), but its root, have room between
// 2 first + 1 and 2 last - 2, side by side, and the two next to that are left for the split at `last`.
void Builder::build(Run& run) {
  const auto count = static_cast<uint32_t>(records_.size());
  nodes_ = Nodes(2 * size_t{count});
  std::vector<Task> tasks;
  const auto between_tasks = [](uint32_t middle) { return 2 * middle - 1; };
  grow({0, count, 0}, 0, between_tasks, [&](const Range& range, uint32_t at) {
    run.poll();
    if (range.size() > kTaskSize) return false;
    tasks.push_back({range, at, 0});
    return true;
  });
  run.for_each_block(tasks.size(), 1, [&](size_t k, size_t, size_t) {
    uint32_t next = 2 * tasks[k].range.first + 1;
    const auto one_by_one = [&](uint32_t) { return std::exchange(next, next + 2); };
    grow(tasks[k].range, tasks[k].node, one_by_one, [&](const Range& range, uint32_t at) {
      if (range.size() > kLeafSize) return false;
      Bounds box;
      for (uint32_t r = range.first; r < range.last; ++r) box.add(records_[r].box);
      nodes_[at] = {box, range.first, range.size()};
      ++tasks[k].leaf_count;
      return true;
    });
  });
  for (const Task& task : tasks) leaf_count_ += task.leaf_count;
}

// Opens the largest of a node's children until there are four.
std::vector<Bvh::Node> Builder::collapsed(Run& run) const {
  std::vector<Bvh::Node> result;
  result.reserve(2 * leaf_count_ / 3 + 1);
  std::vector<std::pair<uint32_t, uint32_t>> open{{0, 0}};  // binary node, wide node
  result.emplace_back();
  while (!open.empty()) {
    if (result.size() % 4096 == 0) run.poll();
    const auto [binary, wide] = open.back();
    open.pop_back();
    std::array<uint32_t, 4> child{binary};
    int size = 1;
    while (size < 4) {
      int largest = -1;
      for (int k = 0; k < size; ++k) {
        const Binary& b = nodes_[child[static_cast<size_t>(k)]];
        if (b.count == 0 && (largest < 0 || b.box.area() > nodes_[child[static_cast<size_t>(largest)]].box.area()))
          largest = k;
      }
      if (largest < 0) break;
      const Binary& opened = nodes_[child[static_cast<size_t>(largest)]];
      child[static_cast<size_t>(largest)] = opened.first;
      child[static_cast<size_t>(size++)] = opened.first + 1;
    }
    Bvh::Node node;
    for (int k = 0; k < 4; ++k) {
      const Binary* b = k < size ? &nodes_[child[static_cast<size_t>(k)]] : nullptr;
      const Bounds box = b ? b->box : Bounds{};
      for (int axis = 0; axis < 3; ++axis) {
        node.low[axis][k] = box.low[axis];
        node.high[axis][k] = box.high[axis];
      }
      node.first[k] = b ? b->first : Bvh::kNone;
      node.count[k] = b ? b->count : 0;
      if (b && b->count == 0) {
        node.first[k] = static_cast<uint32_t>(result.size());
        open.push_back({child[static_cast<size_t>(k)], node.first[k]});
        result.emplace_back();
      }
    }
    result[wide] = node;
  }
  return result;
}

}  // namespace

// Boxes are computed one by one: a list of them would be as large as the triangles.
template <class BoxOf>
void Bvh::build(size_t count, BoxOf&& box_of, Run& run) {
  HITBOX_ASSERT(count < kNone);
  if (count == 0) return;
  Builder builder(count, box_of, run);
  run.poll();
  builder.build(run);
  order_ = builder.take_order();
  run.poll();
  nodes_ = builder.collapsed(run);
  run.poll();
}

Bvh::Bvh(std::span<const Bounds> boxes, Run& run) {
  build(
      boxes.size(), [&](size_t k) { return boxes[k]; }, run);
}

TriangleBvh::TriangleBvh(std::span<const Vec3> vertices, std::span<const Triangle> triangles, Run& run) {
  const auto corners_of = [&](size_t k) -> Corners {
    const auto& [a, b, c] = triangles[k];
    return {vertices[a], vertices[b], vertices[c]};
  };
  tree_.build(
      triangles.size(), [&](size_t k) { return bounds_of(corners_of(k)); }, run);
  corners_.resize(triangles.size());
  position_.resize(triangles.size());
  run.for_each_block(corners_.size(), kBlock, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k) {
      corners_[k] = corners_of(tree_.order()[k]);
      position_[tree_.order()[k]] = static_cast<uint32_t>(k);
    }
  });
}

TriangleBvh::TriangleBvh(const MeshView& mesh, Run& run) : TriangleBvh(mesh.vertices, triangles_of(mesh, run), run) {}

namespace {

// Whether the triangle is certainly further than the limit, because all of it lies beyond the plane through the nearest
// corner along m, the direction to its centre. The test is cheap, and for small triangles it nearly always succeeds.
inline bool is_beyond(const std::array<Vec3, 3>& corners, const Vec3& p, double limit_sq) {
  const Vec3 a = p - corners[0], b = p - corners[1], c = p - corners[2], m = a + b + c;
  const double least = std::min(std::min(dot(a, m), dot(b, m)), dot(c, m));
  return least > 0 && least * least > limit_sq * norm_sq(m);
}

}  // namespace

TriangleBvh::Closest TriangleBvh::closest(const Vec3& p, double limit_sq, uint32_t guess) const {
  Closest best;
  best.distance_sq = limit_sq;
  // The distances of boxes and triangles are rounded differently. The margin keeps the result exact.
  double reject_sq = limit_sq * (1 + 0x1p-48);
  const auto try_triangle = [&](uint32_t at) {
    const auto& [a, b, c] = corners_[at];
    const Vec3 q = closest_point_on_triangle(p, a, b, c);
    const double d = norm_sq(p - q);
    const uint32_t triangle = tree_.order()[at];
    // The smaller triangle number wins ties, so that the guess cannot change the result.
    if (d < best.distance_sq || (d == best.distance_sq && triangle < best.triangle)) {
      best = {d, triangle, q};
      reject_sq = d * (1 + 0x1p-48);
    }
  };
  if (guess < size()) try_triangle(position_[guess]);
  const Bounds box{p, p};
  tree_.nearest_first([&](const Bvh::Node& node, double out[4]) { child_distances_sq(node, box, out); },
                      [&] { return reject_sq; },
                      [&](uint32_t first, uint32_t count) {
                        for (uint32_t k = first; k < first + count; ++k)
                          if (!is_beyond(corners_[k], p, reject_sq)) try_triangle(k);
                      });
  return best;
}

namespace {

// Slab test. The far end is widened by its rounding error (Ize 2013), so that no touched box is missed.
struct SlabTest {
  Vec3 origin, inverse;
  bool parallel[3];

  explicit SlabTest(const Ray& ray) : origin(ray.origin) {
    for (int axis = 0; axis < 3; ++axis) {
      parallel[axis] = ray.direction[axis] == 0;
      inverse[axis] = parallel[axis] ? 0 : 1 / ray.direction[axis];
    }
  }
  // The ray's parameters at its entry into the four boxes; infinity for a miss.
  void operator()(const Bvh::Node& node, double out[4]) const {
    for (int k = 0; k < 4; ++k) {
      double enter = 0, leave = Bounds::kInfinity;
      for (int axis = 0; axis < 3; ++axis) {
        const double low = node.low[axis][k] - origin[axis], high = node.high[axis][k] - origin[axis];
        if (parallel[axis]) {
          if (low > 0 || high < 0) leave = -1;
          continue;
        }
        const double a = low * inverse[axis], b = high * inverse[axis];
        enter = std::max(enter, std::min(a, b));
        leave = std::min(leave, std::max(a, b) * (1 + 0x1p-48));
      }
      out[k] = enter * (1 - 0x1p-48) <= leave ? enter * (1 - 0x1p-48) : Bounds::kInfinity;
    }
  }
};

// Woop, Benthin and Wald, "Watertight Ray/Triangle Intersection" (2013): shear the ray onto the z axis and compute on
// which side of each edge it passes. Neighbours get the same result.
struct ShearedRay {
  Vec3 origin;
  int x, y, z;
  double shear_x, shear_y, shear_z;

  explicit ShearedRay(const Ray& ray) : origin(ray.origin) {
    const Vec3 d = ray.direction, size = abs(d);
    z = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    x = (z + 1) % 3;
    y = (z + 2) % 3;
    if (d[z] < 0) std::swap(x, y);
    shear_x = d[x] / d[z];
    shear_y = d[y] / d[z];
    shear_z = 1 / d[z];
  }
  bool hits(const std::array<Vec3, 3>& corners, double& t) const {
    double px[3], py[3], pz[3];
    for (size_t k = 0; k < 3; ++k) {
      const Vec3 p = corners[k] - origin;
      px[k] = p[x] - shear_x * p[z];
      py[k] = p[y] - shear_y * p[z];
      pz[k] = shear_z * p[z];
    }
    const double u = px[2] * py[1] - py[2] * px[1], v = px[0] * py[2] - py[0] * px[2],
                 w = px[1] * py[0] - py[1] * px[0];
    if ((u < 0 || v < 0 || w < 0) && (u > 0 || v > 0 || w > 0)) return false;
    const double sum = u + v + w;
    if (sum == 0) return false;
    t = (u * pz[0] + v * pz[1] + w * pz[2]) / sum;
    return t >= 0;
  }
};

}  // namespace

template <class Visit>
void TriangleBvh::each_hit(const Ray& ray, const double& limit, Visit&& visit) const {
  const ShearedRay sheared(ray);
  tree_.nearest_first(
      SlabTest(ray), [&] { return limit; },
      [&](uint32_t first, uint32_t count) {
        for (uint32_t k = first; k < first + count; ++k)
          if (double t; sheared.hits(corners_[k], t) && t <= limit) visit(t, tree_.order()[k]);
      });
}

TriangleBvh::Hit TriangleBvh::first_hit(const Ray& ray, double limit) const {
  Hit hit;
  each_hit(ray, limit, [&](double t, uint32_t triangle) {
    if (t < hit.t || (t == hit.t && triangle < hit.triangle)) hit = {t, triangle};
    limit = hit.t;
  });
  return hit;
}

bool TriangleBvh::any_hit(const Ray& ray, double limit) const {
  bool found = false;
  each_hit(ray, limit, [&](double, uint32_t) {
    found = true;
    limit = -1;
  });
  return found;
}

size_t TriangleBvh::hit_count(const Ray& ray, double limit) const {
  size_t count = 0;
  each_hit(ray, limit, [&](double, uint32_t) { ++count; });
  return count;
}

}  // namespace hitbox::internal::bvh
