// All that is public.
#pragma once

#include "hitbox/fit.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"
#include "hitbox/shapes.hpp"
