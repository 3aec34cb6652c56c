// Cuts the mesh into pieces until none of their hulls enters the space (paper 4, Alg. 1).
#pragma once

#include "hitbox/run.hpp"
#include "hitbox/shapes/sphere.hpp"
#include "parts/cut_planes.hpp"

namespace hitbox::internal::parts {

// A piece with its hull, and the spheres that the hull enters. It can only enter spheres that its parent's hull
// entered.
struct Cutting {
  Piece piece;
  PartHull hull;
  std::vector<Sphere> spheres;
  bool must_be_cut = false;  // for another reason

  bool is_done() const { return spheres.empty() && !must_be_cut; }
};

Cutting cutting_of(Piece piece, std::span<const Sphere> spheres, const Input& input);

// Cuts until every piece is done or too small to be cut, and returns the pieces that have polygons.
std::vector<Cutting> cut_until_clear(std::vector<Cutting> cuttings, const Input& input, const CutSettings& settings,
                                     Run& run);

}  // namespace hitbox::internal::parts
