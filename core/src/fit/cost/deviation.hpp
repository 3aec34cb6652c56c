// What a shape costs: how far its surface is from the mesh, summed over that surface.
//
// Distances count squared: far-off corners weigh more than in a mean, and less than in a maximum
// (ARCHITECTURE.md has other powers). 40 to 150 samples on a lattice that has the corners of boxes and the
// rims of cylinders, where shapes are furthest off.
#pragma once

#include "fit/cost/distance_field.hpp"
#include "hitbox/shapes/hull.hpp"
#include "primitives/candidates.hpp"

namespace hitbox::internal::fit {

struct Deviation {
  double sum = 0;      // of sample area x distance^2
  double largest = 0;  // distance of a sample
};

class DeviationMeter {
 public:
  // `density`: lattice steps along a cube's edge.
  explicit DeviationMeter(const DistanceField& field, double density = 3) : field_(field), density_(density) {}

  bool of_solid() const { return field_.is_solid(); }
  // Stops once the sum has reached `enough`.
  Deviation operator()(const Fitted& shape, double enough = Bounds::kInfinity) const;
  Deviation operator()(const Hull& hull) const;
  // The largest distance, on a denser lattice and with care: peaks of flat shapes lie between lines.
  double reach(const Fitted& shape) const;

 private:
  const DistanceField& field_;
  double density_;
};

}  // namespace hitbox::internal::fit
