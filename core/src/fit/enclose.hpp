// The last step for every cluster: the best shape around all of its vertices, in the units of the
// input, checked there and grown until nothing sticks out.
#pragma once

#include <span>

#include "base/tolerances.hpp"
#include "fit/clusters.hpp"
#include "fit/operator.hpp"
#include "fit/shaper.hpp"
#include "shapes/shape.hpp"

namespace hitbox::internal::fit {

// The cheapest shape around one cluster, in the coordinates of `mesh`. `op`: of its faces; `medial`:
// of the centres behind them.
Fitted fit_cluster(const MeshView& mesh, const FaceOperator& op, const Moments& medial, std::span<const uint32_t> faces,
                   std::span<const uint32_t> vertices, Tangent tangent, const Shaper& shaper, int polish_rounds,
                   Fitter& fitter, Run& run);

// `shape`, or the least grown version of it that contains all `points`.
Shape enclosing(Shape shape, std::span<const Vec3> points, const Tolerances& tolerances);

}  // namespace hitbox::internal::fit
