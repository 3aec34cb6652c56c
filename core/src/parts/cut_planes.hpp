// Where a piece may be cut, and how good each cut is (paper 4, section 4.1.1 and Eq. 6).
//
// Candidates are planes that halve the piece along axes of its own, planes along its deepest concave edges, and its
// taking apart into the components of the input. The axes come from the piece's faces where many are parallel, else
// from how its points lie, so that turning the input changes nothing.
// A cut is the better the less volume the hulls of its two sides have; they are those of thinned out points.
// Cost: linear in the piece; then some 0.1 ms a candidate.
#pragma once

#include <optional>
#include <vector>

#include "hitbox/rotation.hpp"
#include "parts/piece.hpp"

namespace hitbox::internal::parts {

struct CutSettings {
  int concave_edges = 4;    // that planes are laid through, at most
  int offsets = 1;          // planes along each axis
  double least_extent = 0;  // of what is still halved
  // Adds this times the piece's volume times the share of the spheres that the two sides still enter.
  double sphere_weight = 0;
  std::optional<Frame> axes;  // in place of the piece's own
};

struct CutCandidate {
  std::optional<HalfSpace> plane;  // none: by component
  double bias = 1;                 // on its score
};

std::vector<CutCandidate> cut_candidates(const Piece& piece, const PartHull& hull, const Input& input,
                                         const CutSettings& settings);

// Three axes that turn with the piece.
Frame own_axes(const Piece& piece, const PartHull& hull);

class CutScorer {
 public:
  CutScorer(const Piece& piece, const PartHull& hull, const Input& input);

  // Eq. 6, without the bias; infinite where nothing is cut off.
  double score(const CutCandidate& candidate, const CutSettings& settings, std::span<const Vec3> sphere_centers,
               double sphere_radius) const;

 private:
  struct Edge {
    Vec3 from, to;
  };
  double score_by_component() const;

  std::vector<Vec3> points_;   // thinned out, and all that the hull is made of
  std::vector<Vec3> grouped_;  // thinned out for each component; empty where there are no candidates by component
  std::vector<uint32_t> component_of_;  // of a grouped point
  std::vector<Edge> long_edges_;        // longer than the points are apart
  double volume_;
};

constexpr size_t kMostComponents = 64;  // in a piece that is taken apart into them

}  // namespace hitbox::internal::parts
