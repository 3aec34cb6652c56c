// fit: convex primitive decomposition (paper 1, and beyond). A mesh goes in, at most `count` shapes
// come out, each input face inside at least one of them.
#pragma once

#include <chrono>
#include <memory>
#include <optional>

#include "../base/run.hpp"
#include "../bvh/bvh.hpp"
#include "../mesh/mesh.hpp"
#include "clear_space.hpp"
#include "distance_field.hpp"
#include "options.hpp"
#include "tree.hpp"

namespace hitbox {

// A mesh with options, made ready to be asked for trees and shapes.
struct FitInput {
  // Welding by a distance moves vertices: `welded` says what hangs together, but it is the faces of
  // `exact` that are enclosed. Both have the same faces in the same order, and passed check_mesh.
  FitInput(const MeshView& welded, const MeshView& exact, FitOptions options, Run& run);

  MeshView welded() const { return {unit_welded, welded_indices, offsets}; }  // in unit-diagonal coordinates
  MeshView exact() const { return {unit_exact, exact_indices, offsets}; }

  FitOptions options;
  Similarity to_input;
  std::vector<uint32_t> offsets, welded_indices, exact_indices;
  std::vector<Vec3> unit_welded, unit_exact, exact_vertices;
  // Parts that are simple shapes. Where faces were cut for them, all faces here are fragments.
  std::vector<SimplePart> simple;
  std::vector<uint32_t> source_face;  // of each fragment, ascending; empty: no face was cut
  // What deviation is measured with; none where the cost is a volume.
  std::optional<DistanceField> field;
  std::optional<TriangleBvh> surface;
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();  // of refining
  bool solid = false;  // what lies inside does not count
  ClearSpace clear;  // in unit coordinates, with room for the padding

 private:
  void cut(const CutFaces& cut);
};

// The final shape around any cluster: the best in unit coordinates, then enclosing exactly in those of
// the input. May be asked from several threads.
class FinalShaper {
 public:
  explicit FinalShaper(const FitInput& input);
  ~FinalShaper();
  // `medial`: of the centres behind the faces; no area: none.
  Shape around(std::span<const uint32_t> faces, std::span<const uint32_t> vertices, const Moments& medial,
               Run& run) const;
  std::vector<Vec3> points(std::span<const uint32_t> vertices) const;  // as the input has them

 private:
  struct Own;
  const SimplePart* simple_part(std::span<const uint32_t> faces) const;

  const FitInput& input_;
  std::unique_ptr<const Own> tools_;
  std::vector<std::pair<uint32_t, const SimplePart*>> part_of_face_;  // by the part's first face, ascending
};

// Takes superfluous shapes out, then thin ones if asked to; the faces of a superfluous shape go to
// the one that holds them. `points[k]`: what shape k, that of cluster k, is there to enclose.
FitResult without_useless_shapes(std::vector<Shape> shapes, std::vector<std::vector<Vec3>> points,
                                 const Partition& partition, const FitInput& input, Run& run);

// The last step: shapes as the options want them padded.
FitResult padded(FitResult result, const FitInput& input);

// At most `count` shapes, or more where an option forbids further merges.
FitResult fit(const FitInput& input, uint32_t count, Run& run);
FitResult fit_unpadded(const FitInput& input, uint32_t count, Run& run);

// All merges from single faces down to one cluster (one a group, where faces have groups), or as far
// as `max_excess` lets them go; fine enough for `finest` shapes.
MergeTree build_tree(const FitInput& input, uint32_t finest, Run& run);

// The shapes around the clusters that are left after the first `merge_count` merges of the tree.
FitResult shapes_after(const FitInput& input, const MergeTree& tree, size_t merge_count, Run& run);

}  // namespace hitbox
