// All merges of one run, in order. Any level of detail is a prefix of them, so levels are nested.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "mesh/clusters.hpp"
#include "primitives/moments.hpp"
#include "recognise/simplify.hpp"

namespace hitbox::internal::fit {

struct Merge {
  uint32_t a, b;        // nodes: faces are 0 .. face_count - 1, merge k makes node face_count + k
  double volume_added;  // on the unit-diagonal mesh, weighted; infinite if it was not measured
  bool fills_nothing;   // its shape covers only its faces: a flat, complete rectangle
};

struct SimpleNode {
  uint32_t node, first_face;
  Fitted shape;
};

// If faces were cut, a face here is a fragment.
struct MergeTree {
  uint32_t face_count = 0;
  std::vector<Merge> merges;
  std::vector<SimpleNode> simple;    // results of the first merges
  std::vector<uint32_t> input_face;  // per face: the face of the input; empty: the same
  // A face of each leaf, and the medial centres behind the leaf.
  std::vector<uint32_t> leaf_face;
  std::vector<Moments> leaf_medial;

  // The number of first merges that lead to at most `count` clusters, or as close as the tree gets. Free merges that
  // follow are included: they add no volume, or end in a shape that fills nothing.
  size_t merges_to(uint32_t count) const;
  uint32_t clusters_after(size_t merge_count) const { return face_count - static_cast<uint32_t>(merge_count); }
  uint32_t first_face(uint32_t node) const;  // a face below it; O(depth)
  // Clusters are numbered by their first faces.
  Partition partition_after(size_t merge_count) const;

  // The first merges: each simple part becomes one node, at no cost.
  void merge_parts(std::span<const SimplePart> parts);
  // Clusters by the faces of the input. A cut face follows its first fragment.
  Partition in_input_faces(Partition partition) const;
};

}  // namespace hitbox::internal::fit
