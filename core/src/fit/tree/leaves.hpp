// The seeds of merging: the data of a cluster that is enough to fit shapes around it and to join it with others,
// without access to its faces.
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
  uint32_t node = 0;   // its node in the tree
  uint32_t group = 0;  // of all its faces; neighbours have the same group
  FaceOperator op;
  Moments medial;  // of the medial centres behind it; without area there are none
  Bounds box;
  Frame edges;                   // from edge_frame
  std::vector<uint32_t> kernel;  // extreme vertices, ascending
  Fitted shape;
  bool is_simple = false;   // it is exactly one simple part
  bool has_simple = false;  // it is or contains a simple part
};

struct LeafSet {
  std::vector<Leaf> leaves;
  std::vector<FacePair> edges;  // between neighbours
  std::vector<double> prices;   // of merging along each edge; empty: unknown; NaN: unknown for this edge
};

// A frame along the normal and an edge of the largest face, which gives the orientation of a flat region.
Frame edge_frame(const MeshView& mesh, std::span<const uint32_t> faces);

// True for a box around faces that tile it: flat, all facing the same way, with the area of the box. (For bodies equal
// areas prove nothing: a cube with a notch has the area of the cube.)
bool fills_nothing(const Fitted& shape, const FaceOperator& op, double thickness);
// Such a box has no deviation; its samples are noise.
Fitted without_noise(Fitted shape, const FaceOperator& op, double thickness);

// `around` is set if medial centres are wanted, else null. Merges of leaves that reach far are undone as long as leaves
// do not become many more: premerging uses moments, which do not represent the outline of a flat cap.
LeafSet make_leaves(const MeshView& mesh, const Premerged& premerged, std::span<const FacePair> face_pairs,
                    MergeTree& tree, const Shaper& shaper, const Surroundings* around, bool with_tangent, Run& run);

// The union's data, except node and shape.
Leaf joined(const MeshView& mesh, std::span<const Leaf* const> parts);
Moments joined(const Moments& a, const Moments& b);  // either may be without area

}  // namespace hitbox::internal::fit
