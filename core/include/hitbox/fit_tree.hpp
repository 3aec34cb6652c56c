// fit_tree: all levels of detail from one run, by count and by tolerance.
#pragma once

#include <memory>

#include "hitbox/fit.hpp"

namespace hitbox {

// The merges of one run. Levels are nested: a shape of a level lies in one cluster of every coarser level. They are
// neither refined nor trimmed, so fit(mesh, {.count = n}, run) is closer than at(n). A tree does not refer to the mesh
// that it was made from. Several threads may ask it at the same time, each with a Run of its own.
class FitTree {
 public:
  FitTree(FitTree&&) noexcept;
  FitTree& operator=(FitTree&&) noexcept;
  ~FitTree();

  uint32_t finest() const;  // the largest count whose shapes are known

  // At most `count` shapes. Only counts above finest() need to fit shapes.
  Result<FitResult> at(uint32_t count, Run& run) const;
  // As few shapes of the tree as stay within `tolerance` (mesh units). Where even the finest shapes do not, they are
  // used, and `over` counts them.
  Result<FitResult> within(double tolerance, Run& run) const;

 private:
  struct State;
  explicit FitTree(std::unique_ptr<const State> state);
  friend Result<FitTree> fit_tree(const MeshView& mesh, uint32_t finest, const FitOptions& options, Run& run);

  std::unique_ptr<const State> state_;
};

// `finest` is the largest count you need. `options` are those of fit, without a count and a tolerance.
Result<FitTree> fit_tree(const MeshView& mesh, uint32_t finest, const FitOptions& options, Run& run);

}  // namespace hitbox
