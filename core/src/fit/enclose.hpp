// The last step for every cluster: fit the best shape around all of its vertices, check it in the units of the input,
// and grow it until nothing sticks out.
#pragma once

#include <span>

#include "base/tolerances.hpp"
#include "fit/shaping/shaper.hpp"
#include "hitbox/shapes.hpp"
#include "mesh/clusters.hpp"
#include "primitives/operator.hpp"

namespace hitbox::internal::fit {

// The cheapest shape around one cluster, in the coordinates of `mesh`. `op` is the operator of its faces, `medial` the
// moments of the medial centres behind them.
Fitted fit_cluster(const MeshView& mesh, const FaceOperator& op, const Moments& medial, std::span<const uint32_t> faces,
                   std::span<const uint32_t> vertices, Tangent tangent, const Shaper& shaper, int polish_rounds,
                   Fitter& fitter, Run& run);

}  // namespace hitbox::internal::fit
