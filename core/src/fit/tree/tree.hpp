// All merges of one run, in order: any level of detail is a prefix of them, so levels are nested.
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
  double volume_added;  // of the unit-diagonal mesh, weighted; infinite where it was not measured
  bool fills_nothing;   // its shape covers its faces and nothing else: a flat, whole rectangle
};

struct SimpleNode {
  uint32_t node, first_face;
  Fitted shape;
};

// Where faces were cut, a face here is a fragment of one.
struct MergeTree {
  uint32_t face_count = 0;
  std::vector<Merge> merges;
  std::vector<SimpleNode> simple;    // what the first merges made
  std::vector<uint32_t> input_face;  // of the mesh as it was given: of each face; empty: the same
  // The leaves that shapes were fitted to first: a face of each, and the medial centres behind it.
  std::vector<uint32_t> leaf_face;
  std::vector<Moments> leaf_medial;

  // How many merges, from the first on, lead to at most `count` clusters, or as near as the tree
  // goes. Those that follow and cost nothing are included: they add no volume, or end in a shape
  // that fills nothing, whatever lies between.
  size_t merges_to(uint32_t count) const;
  uint32_t clusters_after(size_t merge_count) const { return face_count - static_cast<uint32_t>(merge_count); }
  uint32_t first_face(uint32_t node) const;  // a face below it; O(depth)
  // Clusters are numbered by their first face.
  Partition partition_after(size_t merge_count) const;

  // The first merges: each simple part becomes one node, for nothing.
  void merge_parts(std::span<const SimplePart> parts);
  // By the faces as they were given; a cut one goes with its first fragment.
  Partition in_input_faces(Partition partition) const;
};

}  // namespace hitbox::internal::fit
