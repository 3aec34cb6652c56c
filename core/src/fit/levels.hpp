// All levels of detail of one tree up to a count. The shapes of its topmost nodes, and their distances from the mesh,
// are computed once.
//
// A level is a cut through the tree, so levels are nested, both by count and by tolerance.
// Cost: 2 x finest - 1 final fits to build. A level is then a lookup, and the removal of superfluous shapes.
#pragma once

#include "fit/judge.hpp"
#include "fit/tolerance.hpp"
#include "fit/tree/nodes.hpp"

namespace hitbox::internal::fit {

class Levels {
 public:
  Levels(const FitInput& input, uint32_t finest, Run& run);  // `input` must outlive it
  Levels(const Levels&) = delete;

  // At most `count` shapes. Shapes beyond the finest level are fitted on demand.
  FitResult at(uint32_t count, Run& run) const;
  // As few shapes as stay within `tolerance` (a fraction of the diagonal). Where even the finest level does not, the
  // result has its finest shapes, which deviate further.
  WithinResult within(double tolerance, Run& run) const;

  // The clusters of these levels, before superfluous shapes are removed.
  Partition clusters_at(uint32_t count) const {
    const size_t merge_count = tree_.merges_to(count);
    const bool is_whole = (input_.clear.empty() && input_.options.spaces.empty()) || merge_count < finest_merges_;
    return tree_.in_input_faces(is_whole ? tree_.partition_after(merge_count)
                                         : nodes_.partition(cut_after(merge_count)));
  }
  Partition clusters_within(double tolerance) const {
    return tree_.in_input_faces(nodes_.partition(cut_within(tolerance)));
  }

 private:
  bool is_known(uint32_t node) const { return place_[node] != kUnknown; }
  const Judged& judged(uint32_t node) const { return judged_[place_[node]]; }
  bool is_finest(uint32_t node) const { return place_[node] < finest_.size(); }
  void judge_all(Run& run);
  void keep_points(Run& run);
  std::vector<uint32_t> cut_after(size_t merge_count) const;
  std::vector<uint32_t> cut_within(double tolerance) const;
  std::vector<uint32_t> by_first_face(std::vector<uint32_t> cut) const;
  FitResult shapes_of(std::span<const uint32_t> cut, Run& run) const;

  static constexpr uint32_t kUnknown = UINT32_MAX;
  const FitInput& input_;
  MergeTree tree_;
  TreeNodes nodes_;
  size_t finest_merges_;
  std::vector<uint32_t> finest_;  // nodes of the finest level
  // the position of a node among the known ones: the finest nodes, then the merges above them
  std::vector<uint32_t> place_;
  std::vector<Judged> judged_;
  std::vector<uint32_t> first_face_;
  std::vector<std::vector<Vec3>> points_;  // of the finest nodes
};

}  // namespace hitbox::internal::fit
