// Candidate cuts of a piece, and their scores (paper 4, section 4.1.1 and Eq. 6).
//
// Candidates are planes that halve the piece along its own axes, planes along its deepest concave edges, and the
// separation into the components of the input. The axes are those of the piece's faces if many are parallel, otherwise
// the principal axes of its points, so rotating the input changes nothing.
// A cut is better if the hulls of its two sides have less volume. These hulls use a subset of the points.
// Cost: linear in the piece, plus about 0.1 ms per candidate.
#pragma once

#include <optional>
#include <vector>

#include "hitbox/rotation.hpp"
#include "parts/piece.hpp"

namespace hitbox::internal::parts {

struct CutSettings {
  int concave_edges = 4;    // the most edges that get planes
  int offsets = 1;          // planes along each axis
  double least_extent = 0;  // the least extent that is still halved
  // Weight of a term in the score: the piece's volume times the fraction of the spheres that both sides still enter.
  double sphere_weight = 0;
  std::optional<Frame> axes;  // replaces the piece's own axes
};

struct CutCandidate {
  std::optional<HalfSpace> plane;  // empty: separate the components
  double bias = 1;                 // factor on the score
};

std::vector<CutCandidate> cut_candidates(const Piece& piece, const PartHull& hull, const Input& input,
                                         const CutSettings& settings);

// Three axes that rotate with the piece.
Frame own_axes(const Piece& piece, const PartHull& hull);

class CutScorer {
 public:
  CutScorer(const Piece& piece, const PartHull& hull, const Input& input);

  // Eq. 6 without the bias; infinite if the plane cuts nothing off.
  double score(const CutCandidate& candidate, const CutSettings& settings, std::span<const Vec3> sphere_centers,
               double sphere_radius) const;

 private:
  struct Edge {
    Vec3 from, to;
  };
  double score_by_component() const;

  std::vector<Vec3> points_;            // a subset of the points, and all points of the hull
  std::vector<Vec3> grouped_;           // a subset per component; empty if there are no candidates by component
  std::vector<uint32_t> component_of_;  // per grouped point
  std::vector<Edge> long_edges_;        // longer than the spacing of the points
  double volume_;
};

constexpr size_t kMostComponents = 64;  // in a piece that is separated into components

}  // namespace hitbox::internal::parts
