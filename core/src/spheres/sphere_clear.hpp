// Balls that stay out of space that is to be kept clear. Those that enter it make way for smaller ones,
// around halves of what they held, until they no longer do.
//
// Always holds: each piece lies in one ball. Where the mesh itself enters that space there is no way out, and
// balls of a hundredth of the diagonal are not replaced any more: these enter it all the same.
#pragma once

#include "hulls/clear_space.hpp"
#include "spheres/sphere_cover.hpp"

namespace hitbox::internal::spheres {

Covered kept_clear(Covered covered, const ClearSpace& clear, const BallFitter& fitter, Run& run);

}  // namespace hitbox::internal::spheres
