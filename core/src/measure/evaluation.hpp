// How closely shapes match a mesh: hitbox::evaluate for input that has been checked.
//
// Mesh and shapes are moved to the origin and scaled by the mesh's longest side, so that the squares of lengths such as
// 1e-60 or 1e60 stay in the range of doubles. docs/evaluate.md explains the numbers; src/hitbox/_judges/evaluate.py
// computes the same ones, and differs from these only in the last digits of means.
#pragma once

#include "base/rooms.hpp"
#include "hitbox/evaluate.hpp"

namespace hitbox::internal::measure {

// An Error if a shape reaches too far from the mesh.
Result<Evaluation> evaluated(const MeshView& mesh, std::span<const Shape> shapes, const EvaluateOptions& options,
                             Run& run);

}  // namespace hitbox::internal::measure
