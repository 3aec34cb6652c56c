// Checks of the options of a navigable space, which `carve` has too.
#pragma once

#include "api/door.hpp"
#include "hitbox/space.hpp"

namespace hitbox::api {

// `diagonal` is that of the mesh.
void check(Checks& checks, const SpaceOptions& options, double diagonal);

}  // namespace hitbox::api
