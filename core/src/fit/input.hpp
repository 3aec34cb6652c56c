// A mesh and options in the form that all steps of fit use.
#pragma once

#include <chrono>
#include <optional>

#include "bvh/bvh.hpp"
#include "fit/cost/distance_field.hpp"
#include "hitbox/fit.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"
#include "hulls/clear_space.hpp"
#include "recognise/simplify.hpp"

namespace hitbox::internal::fit {

// A mesh with options, prepared for trees and shapes. Everything here is in canonical order (canonical.hpp), so that no
// later step depends on the order in the file.
struct FitInput {
  // Welding by a distance moves vertices. `welded` defines the connectivity, but the faces of `exact` are enclosed.
  // Both have the same faces in the same order, and passed check_mesh.
  FitInput(const MeshView& welded, const MeshView& exact, FitOptions options, Run& run);

  MeshView welded() const { return {unit_welded, welded_indices, offsets}; }  // in unit-diagonal coordinates
  MeshView exact() const { return is_welded_exactly ? welded() : MeshView{unit_exact, exact_indices, offsets}; }
  // In the coordinates of the input.
  MeshView exact_in_input() const { return {exact_vertices, exact().indices, offsets}; }
  // Whether a shape, in the coordinates of the input and once it is padded, enters none of the spaces of the options.
  bool stays_out_of_spaces(const Shape& shape) const;

  FitOptions options;
  Similarity to_input;
  bool is_welded_exactly = false;  // then there is no second copy: exact_indices and unit_exact are empty
  std::vector<uint32_t> offsets, welded_indices, exact_indices;
  std::vector<Vec3> unit_welded, unit_exact, exact_vertices;
  // Parts that are simple shapes. If faces were cut for them, all faces here are fragments.
  std::vector<SimplePart> simple;
  std::vector<uint32_t> source_face;   // per fragment, ascending; empty: no face was cut
  std::vector<uint32_t> input_face;    // per face or fragment here: the face of the input
  std::optional<DistanceField> field;  // what deviation is measured with; none where the cost is a volume
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();  // end of refining
  std::optional<TriangleBvh> uncut_surface;  // of the faces before any was cut; none where no face was cut
  bool solid = false;                        // the inside hardly counts
  ClearSpace clear;                          // for padded shapes, in unit coordinates

 private:
  void put_in_order(const MeshView& welded_mesh, const MeshView& exact_mesh, Run& run);
  Shape around_exact(const SimplePart& part) const;  // no face is cut
  void cut(const CutFaces& cut);
};

}  // namespace hitbox::internal::fit
