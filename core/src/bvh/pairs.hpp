// Finds pairs of leaves of two trees whose boxes touch, and pairs of triangles that meet.
//
// The order of the pairs depends only on the two trees, so it is the same for any number of threads. A visitor that
// returns false ends the traversal.
//
// Cost: about 20 ns per pair of touching boxes, plus that of geometry/triangle_pair. Memory: only a small stack.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "bvh/bvh.hpp"
#include "geometry/triangle_pair.hpp"

namespace hitbox::internal::bvh {

// Calls visit(first_a, count_a, first_b, count_b) for each pair of leaves whose boxes touch. The numbers are positions
// in the trees' order(). Returns false if a visit did.
template <class Visit>
bool each_leaf_pair(const Bvh& a, const Bvh& b, Visit&& visit);

// Calls visit(i, j, relation) for each triangle i of `a` and j of `b` that are not apart, in the order of the leaves.
// Returns false if a visit did.
template <class Visit>
bool each_meeting_pair(const TriangleBvh& a, const TriangleBvh& b, Visit&& visit);

// Whether any triangle of `a` has a point in common with one of `b`.
bool do_meet(const TriangleBvh& a, const TriangleBvh& b);
// The same for triangles without a tree, three corners each. Only triangles in the box of the others get a tree, which
// pays off if two surfaces move and each position has one query.
bool do_meet(std::span<const Vec3> corners_a, std::span<const Vec3> corners_b, Run& run);

struct CrossingPair {
  uint32_t first, second;  // triangles, first < second
  geometry::TrianglePair relation;
  friend auto operator<=>(const CrossingPair&, const CrossingPair&) = default;
};

// The pairs of triangles of one surface that cross or overlap, each once and sorted; with `touching`, also those that
// touch. Neighbours that only share a corner or an edge do not count. At most `most` pairs, unless that is 0; the
// choice depends only on the tree.
std::vector<CrossingPair> self_crossings(const TriangleBvh& surface, bool touching = false, size_t most = 0);

namespace pairs {

// A child of a node: another node (count 0) or a leaf.
struct Child {
  Bounds box;
  uint32_t first, count;

  bool is_leaf() const { return count > 0; }
};

inline bool do_touch(const Bounds& a, const Bounds& b) {
  return a.low.x <= b.high.x && a.high.x >= b.low.x && a.low.y <= b.high.y && a.high.y >= b.low.y &&
         a.low.z <= b.high.z && a.high.z >= b.low.z;
}

// Calls body(child) for the children of a node whose boxes touch `box`.
template <class Body>
void each_child(const Bvh::Node& node, const Bounds& box, Body&& body) {
  for (int k = 0; k < 4; ++k) {
    if (node.first[k] == Bvh::kNone) continue;
    const Child child{
        {{node.low[0][k], node.low[1][k], node.low[2][k]}, {node.high[0][k], node.high[1][k], node.high[2][k]}},
        node.first[k],
        node.count[k]};
    if (do_touch(child.box, box)) body(child);
  }
}

}  // namespace pairs

template <class Visit>
bool each_leaf_pair(const Bvh& a, const Bvh& b, Visit&& visit) {
  using pairs::Child;
  if (a.nodes().empty() || b.nodes().empty()) return true;
  const Bounds all{{-Bounds::kInfinity, -Bounds::kInfinity, -Bounds::kInfinity},
                   {Bounds::kInfinity, Bounds::kInfinity, Bounds::kInfinity}};
  std::vector<std::pair<Child, Child>> open{{Child{all, 0, 0}, Child{all, 0, 0}}};  // starts at the roots
  while (!open.empty()) {
    const auto [of_a, of_b] = open.back();
    open.pop_back();
    if (of_a.is_leaf() && of_b.is_leaf()) {
      if (!visit(of_a.first, of_a.count, of_b.first, of_b.count)) return false;
    } else if (of_b.is_leaf() || (!of_a.is_leaf() && of_a.box.area() >= of_b.box.area())) {
      pairs::each_child(a.nodes()[of_a.first], of_b.box, [&](const Child& child) { open.emplace_back(child, of_b); });
    } else {
      pairs::each_child(b.nodes()[of_b.first], of_a.box, [&](const Child& child) { open.emplace_back(of_a, child); });
    }
  }
  return true;
}

template <class Visit>
bool each_meeting_pair(const TriangleBvh& a, const TriangleBvh& b, Visit&& visit) {
  return each_leaf_pair(a.tree(), b.tree(),
                        [&](uint32_t first_a, uint32_t count_a, uint32_t first_b, uint32_t count_b) {
                          for (uint32_t i = first_a; i < first_a + count_a; ++i) {
                            const Bounds box = bounds_of(a.corners_at(i));
                            for (uint32_t j = first_b; j < first_b + count_b; ++j) {
                              if (!pairs::do_touch(box, bounds_of(b.corners_at(j)))) continue;
                              const geometry::TrianglePair found = geometry::relation(a.corners_at(i), b.corners_at(j));
                              if (found == geometry::TrianglePair::apart) continue;
                              if (!visit(a.tree().order()[i], b.tree().order()[j], found)) return false;
                            }
                          }
                          return true;
                        });
}

}  // namespace hitbox::internal::bvh
