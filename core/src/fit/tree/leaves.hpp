// What is known of a cluster without looking at its faces again: enough to fit shapes around it, and
// to join it with others.
#pragma once

#include <vector>

#include "fit/shaping/medial.hpp"
#include "fit/shaping/shaper.hpp"
#include "fit/tree/premerge.hpp"
#include "hitbox/bounds.hpp"
#include "primitives/moments.hpp"
#include "primitives/operator.hpp"

namespace hitbox::internal::fit {

struct Leaf {
  uint32_t node = 0;   // in the tree
  uint32_t group = 0;  // of all its faces; neighbours have the same
  FaceOperator op;
  Moments medial;  // of the medial centres behind it; no area: there are none
  Bounds box;
  Frame edges;                   // see edge_frame
  std::vector<uint32_t> kernel;  // extreme vertices, ascending
  Fitted shape;
  bool is_simple = false;   // a simple part, all of it and nothing else
  bool has_simple = false;  // it is one, or has one in it
};

struct LeafSet {
  std::vector<Leaf> leaves;
  std::vector<FacePair> edges;  // between neighbours
  std::vector<double> prices;   // of merging along each edge; empty: not known yet; NaN: not this one
};

// Along the normal and an edge of the largest face: all that tells how a flat region lies.
Frame edge_frame(const MeshView& mesh, std::span<const uint32_t> faces);

// True for a box around faces that tile it: flat, all looking the same way, as large as the box.
// (In space equal areas prove nothing: a cube with a notch has the area of the cube.)
bool fills_nothing(const Fitted& shape, const FaceOperator& op, double thickness);
// Such a box deviates by nothing; what samples of it say is noise.
Fitted without_noise(Fitted shape, const FaceOperator& op, double thickness);

// `around`: where medial centres are wanted, else null. Merges of leaves that reach far are undone again, while
// leaves do not get many more: premerging goes by moments, which do not see that a flat cap is round.
LeafSet make_leaves(const MeshView& mesh, const Premerged& premerged, std::span<const FacePair> face_pairs,
                    MergeTree& tree, const Shaper& shaper, const Surroundings* around, bool with_tangent, Run& run);

// All but node and shape, of the union.
Leaf joined(const MeshView& mesh, std::span<const Leaf* const> parts);
Moments joined(const Moments& a, const Moments& b);  // either may be empty

}  // namespace hitbox::internal::fit
