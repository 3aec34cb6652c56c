// The cost of a shape by deviation: the distance of its surface from the mesh, summed over that surface.
//
// Distances are squared, so distant corners weigh more than in a mean and less than in a maximum (docs/decisions/fit.md
// has other powers). There are 40 to 150 samples, on a lattice that includes the corners of boxes and the rims of
// cylinders, where shapes are furthest from the mesh.
#pragma once

#include "fit/cost/distance_field.hpp"
#include "hitbox/shapes/hull.hpp"
#include "primitives/candidates.hpp"

namespace hitbox::internal::fit {

struct Deviation {
  double sum = 0;      // sum of sample area x distance^2
  double largest = 0;  // largest distance of a sample
};

class DeviationMeter {
 public:
  // `density` is the number of lattice steps along a cube's edge.
  explicit DeviationMeter(const DistanceField& field, double density = 3) : field_(field), density_(density) {}

  bool of_solid() const { return field_.is_solid(); }
  // Stops once the sum has reached `enough`.
  Deviation operator()(const Fitted& shape, double enough = Bounds::kInfinity) const;
  Deviation operator()(const Hull& hull) const;
  // The largest distance, measured thoroughly on a denser lattice: on flat shapes the maximum lies between lattice
  // lines.
  double reach(const Fitted& shape) const;

 private:
  const DistanceField& field_;
  double density_;
};

}  // namespace hitbox::internal::fit
