// What a shape costs: how far its surface is from the mesh, summed over that surface.
//
// Distances count to the power 1.5: far-off corners weigh more than in a mean, and less than in a
// maximum (1 and 2 were tried: both worse). About 64 samples on a lattice that has the corners of
// boxes and the rims of cylinders, where shapes are furthest off.
#pragma once

#include "candidates.hpp"
#include "distance_field.hpp"

namespace hitbox {

struct Deviation {
  double sum = 0;      // of sample area x distance^1.5
  double largest = 0;  // distance of a sample
};

class DeviationMeter {
 public:
  // `density`: lattice steps along a cube's edge.
  explicit DeviationMeter(const DistanceField& field, double density = 3)
      : field_(field), density_(density) {}

  // Stops once the sum has reached `enough`.
  Deviation operator()(const Fitted& shape, double enough = Bounds::kInfinity) const;

 private:
  const DistanceField& field_;
  double density_;
};

}  // namespace hitbox
