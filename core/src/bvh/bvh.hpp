// A bounding-volume hierarchy over boxes, and one over triangles with exact distances.
//
// It is built top down with binned surface-area splits along the longest axis of the centres, then collapsed to four
// children per node in one flat array, so that queries test four boxes at once. Counts alone divide the work, so the
// tree is the same for any number of threads.
//
// Always holds: every item is in exactly one leaf. A node's box contains the boxes of its items.
// Range: sizes between 1e-60 and 1e60, so that fourth powers of lengths stay within the range of doubles.
// Cost: O(n log n) to build, about 0.6 us per item. Queries are logarithmic on ordinary input.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/bounds.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::bvh {

struct Ray {
  Vec3 origin, direction;  // any length except 0
};

class Bvh {
 public:
  static constexpr uint32_t kNone = 0xffffffff;

  // Four children side by side. Child k is a node (count 0) or the items order()[first] .. order()[first + count - 1].
  // An unused child has first == kNone and an empty box.
  struct Node {
    double low[3][4], high[3][4];
    uint32_t first[4], count[4];
  };

  Bvh() = default;
  // `boxes` has fewer than 2^32 - 1 boxes, none of them empty.
  Bvh(std::span<const Bounds> boxes, Run& run);

  size_t size() const { return order_.size(); }
  std::span<const Node> nodes() const { return nodes_; }
  std::span<const uint32_t> order() const { return order_; }  // items, leaf by leaf

  // Calls leaf(first, count) for leaves nearer than the limit, roughly nearest first. `distance_sq(node, out[4])`
  // bounds the children from below. `limit_sq()` is evaluated each time.
  template <class DistanceSq, class LimitSq, class Leaf>
  void nearest_first(DistanceSq&& distance_sq, LimitSq&& limit_sq, Leaf&& leaf) const;

  // Calls leaf(first, count) for every leaf that `hits(node, out[4])` accepts.
  template <class Hits, class Leaf>
  void each_leaf(Hits&& hits, Leaf&& leaf) const;

 private:
  friend class TriangleBvh;
  template <class BoxOf>
  void build(size_t count, BoxOf&& box_of, Run& run);

  std::vector<Node> nodes_;  // the root first
  std::vector<uint32_t> order_;
};

// A tree that also keeps its boxes.
class BoxBvh {
 public:
  struct Near {
    double distance_sq;
    uint32_t item;
    friend auto operator<=>(const Near&, const Near&) = default;
  };

  BoxBvh(std::vector<Bounds> boxes, Run& run) : tree_(boxes, run), boxes_(std::move(boxes)) {}

  const Bvh& tree() const { return tree_; }
  std::span<const Bounds> boxes() const { return boxes_; }

  // The `k` items whose boxes have the smallest gaps to `box`, nearest first, ties by item. Items with skip(item) are
  // ignored.
  template <class Skip>
  std::vector<Near> nearest_boxes(const Bounds& box, size_t k, Skip&& skip) const;

  // Calls visit(item) for every box that touches `box`.
  template <class Visit>
  void overlaps(const Bounds& box, Visit&& visit) const;

 private:
  Bvh tree_;
  std::vector<Bounds> boxes_;
};

class TriangleBvh {
 public:
  struct Closest {
    double distance_sq = Bounds::kInfinity;
    uint32_t triangle = Bvh::kNone;
    Vec3 point;
  };
  struct Hit {
    double t = Bounds::kInfinity;  // origin + t * direction
    uint32_t triangle = Bvh::kNone;
  };

  TriangleBvh(std::span<const Vec3> vertices, std::span<const Triangle> triangles, Run& run);
  TriangleBvh(const MeshView& mesh, Run& run);  // polygons as triangles, face by face

  size_t size() const { return tree_.size(); }
  const Bvh& tree() const { return tree_; }
  const std::array<Vec3, 3>& corners(uint32_t triangle) const { return corners_[position_[triangle]]; }
  // Indexed by the position in tree().order(), as in leaves.
  const std::array<Vec3, 3>& corners_at(uint32_t place) const { return corners_[place]; }

  // The nearest point of all triangles within `limit_sq`, or kNone. `guess`, a triangle that is probably near (that of
  // the previous query), only saves time.
  Closest closest(const Vec3& p, double limit_sq = Bounds::kInfinity, uint32_t guess = Bvh::kNone) const;
  // The first triangle with 0 <= t <= `limit`. Watertight on shared edges (Woop, Benthin, Wald).
  Hit first_hit(const Ray& ray, double limit = Bounds::kInfinity) const;
  bool any_hit(const Ray& ray, double limit = Bounds::kInfinity) const;
  // The number of all crossings. A shared edge may count once or twice.
  size_t hit_count(const Ray& ray, double limit = Bounds::kInfinity) const;

 private:
  using Corners = std::array<Vec3, 3>;
  template <class Visit>
  void each_hit(const Ray& ray, const double& limit, Visit&& visit) const;

  Bvh tree_;
  std::vector<Corners> corners_;    // in the tree's order
  std::vector<uint32_t> position_;  // the position of a triangle in that order
};

// Squared distances of a point, and of a box, to a node's four boxes.
inline void child_distances_sq(const Bvh::Node& node, const Bounds& box, double out[4]) {
  double total[4] = {0, 0, 0, 0};
  for (int axis = 0; axis < 3; ++axis)
    for (int k = 0; k < 4; ++k) {
      const double below = node.low[axis][k] - box.high[axis];
      const double above = box.low[axis] - node.high[axis][k];
      double gap = below > above ? below : above;
      gap = gap > 0 ? gap : 0;
      total[k] += gap * gap;
    }
  for (int k = 0; k < 4; ++k) out[k] = total[k];
}

template <class DistanceSq, class LimitSq, class Leaf>
void Bvh::nearest_first(DistanceSq&& distance_sq, LimitSq&& limit_sq, Leaf&& leaf) const {
  if (nodes_.empty()) return;
  struct Entry {
    double distance;
    uint32_t first, count;
  };
  std::array<Entry, 256> stack;  // at most three more per level, and the tree has fewer than 75 levels
  size_t size = 0;
  stack[size++] = {0, 0, 0};
  while (size > 0) {
    const Entry entry = stack[--size];
    if (entry.distance > limit_sq()) continue;
    if (entry.count > 0) {
      leaf(entry.first, entry.count);
      continue;
    }
    const Node& node = nodes_[entry.first];
    double distance[4];
    distance_sq(node, distance);
    const size_t base = size;
    const double limit = limit_sq();
    for (int k = 0; k < 4; ++k) {
      if (!(distance[k] <= limit) || distance[k] == Bounds::kInfinity || node.first[k] == kNone) continue;
      size_t at = size++;  // insertion sort, nearest on top
      while (at > base && stack[at - 1].distance < distance[k]) {
        stack[at] = stack[at - 1];
        --at;
      }
      stack[at] = {distance[k], node.first[k], node.count[k]};
    }
  }
}

template <class Hits, class Leaf>
void Bvh::each_leaf(Hits&& hits, Leaf&& leaf) const {
  if (nodes_.empty()) return;
  std::array<uint32_t, 256> stack;
  size_t size = 0;
  stack[size++] = 0;
  while (size > 0) {
    const Node& node = nodes_[stack[--size]];
    bool hit[4];
    hits(node, hit);
    for (int k = 0; k < 4; ++k) {
      if (!hit[k] || node.first[k] == kNone) continue;
      if (node.count[k] > 0)
        leaf(node.first[k], node.count[k]);
      else
        stack[size++] = node.first[k];
    }
  }
}

template <class Skip>
std::vector<BoxBvh::Near> BoxBvh::nearest_boxes(const Bounds& box, size_t k, Skip&& skip) const {
  std::vector<Near> heap;  // a heap with the worst item on top
  if (k == 0) return heap;
  tree_.nearest_first([&](const Bvh::Node& node, double out[4]) { child_distances_sq(node, box, out); },
                      [&] { return heap.size() < k ? Bounds::kInfinity : heap.front().distance_sq; },
                      [&](uint32_t first, uint32_t count) {
                        for (const uint32_t item : tree_.order().subspan(first, count)) {
                          const Near near{distance_sq(boxes_[item], box), item};
                          if ((heap.size() == k && !(near < heap.front())) || skip(item)) continue;
                          if (heap.size() == k) {
                            std::pop_heap(heap.begin(), heap.end());
                            heap.pop_back();
                          }
                          heap.push_back(near);
                          std::push_heap(heap.begin(), heap.end());
                        }
                      });
  std::sort_heap(heap.begin(), heap.end());
  return heap;
}

template <class Visit>
void BoxBvh::overlaps(const Bounds& box, Visit&& visit) const {
  const auto touches = [&](const Bvh::Node& node, bool out[4]) {
    for (int k = 0; k < 4; ++k)
      out[k] = node.low[0][k] <= box.high.x && node.high[0][k] >= box.low.x && node.low[1][k] <= box.high.y &&
               node.high[1][k] >= box.low.y && node.low[2][k] <= box.high.z && node.high[2][k] >= box.low.z;
  };
  tree_.each_leaf(touches, [&](uint32_t first, uint32_t count) {
    for (const uint32_t item : tree_.order().subspan(first, count)) {
      const Bounds& b = boxes_[item];
      if (b.low.x <= box.high.x && b.high.x >= box.low.x && b.low.y <= box.high.y && b.high.y >= box.low.y &&
          b.low.z <= box.high.z && b.high.z >= box.low.z)
        visit(item);
    }
  });
}

}  // namespace hitbox::internal::bvh
