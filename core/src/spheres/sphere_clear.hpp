// Enforces space to be kept clear: a ball that enters it is replaced by smaller balls around halves of its contents,
// repeatedly.
//
// Always holds: each fragment lies in one ball. Balls enter the space only if the mesh itself does, if they are as
// small as a hundredth of the diagonal, or if there are kMostSpheres already, because these are not replaced any more.
#pragma once

#include "hulls/clear_space.hpp"
#include "spheres/sphere_cover.hpp"

namespace hitbox::internal::spheres {

// What balls, in unit coordinates, stay out of.
struct ToKeepClear {
  const ClearSpace& spheres;  // those of the spaces too
  std::span<const NavigableSpace> spaces;
  Similarity to_input;
  double pad;  // in the coordinates of the input

  bool empty() const { return spheres.empty() && spaces.empty(); }
  bool entered_by(const Sphere& ball) const;
};

Covered kept_clear(Covered covered, const ToKeepClear& clear, const BallFitter& fitter, Run& run);

}  // namespace hitbox::internal::spheres
