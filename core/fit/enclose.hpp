// The last step for every cluster: the best shape around all of its vertices, in the units of the
// input, checked there and grown until nothing sticks out.
#pragma once

#include <span>

#include "../base/tolerances.hpp"
#include "../shapes/shape.hpp"
#include "candidates.hpp"
#include "clusters.hpp"
#include "deviation.hpp"
#include "operator.hpp"

namespace hitbox {

// The cheapest shape around one cluster, in the coordinates of `mesh`: by deviation if there is a
// `meter`, else by the fitter's model. `op`: of its faces.
Fitted fit_cluster(const MeshView& mesh, const FaceOperator& op, std::span<const uint32_t> faces,
                   std::span<const uint32_t> vertices, Tangent tangent, Fitter& fitter,
                   const DeviationMeter* meter);

// `shape`, or the least grown version of it that contains all `points`.
Shape enclosing(Shape shape, std::span<const Vec3> points, const Tolerances& tolerances);

}  // namespace hitbox
