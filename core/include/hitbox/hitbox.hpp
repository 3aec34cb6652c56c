// All that is public.
#pragma once

#include "hitbox/carve.hpp"
#include "hitbox/convex_hull.hpp"
#include "hitbox/distance.hpp"
#include "hitbox/evaluate.hpp"
#include "hitbox/fit.hpp"
#include "hitbox/fit_spheres.hpp"
#include "hitbox/fit_tree.hpp"
#include "hitbox/mass.hpp"
#include "hitbox/merge.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/read.hpp"
#include "hitbox/run.hpp"
#include "hitbox/shapes.hpp"
#include "hitbox/space.hpp"
