// The final shape of a cluster, and a proved bound of its distance from the mesh.
//
// Distances are those of measure/farthest.hpp: points inside a closed solid (with objective "outer") do not count. All
// lengths are fractions of the diagonal. Shapes are in input units.
#pragma once

#include "fit/final_shapes.hpp"
#include "measure/farthest.hpp"

namespace hitbox::internal::fit {

struct Judged {
  Shape shape;
  Interval strays;      // bounds of its largest distance from the mesh
  bool enters = false;  // it enters what is to be kept clear
};

class Judge {
 public:
  Judge(const FitInput& input, Run& run);  // `input` must outlive it

  const FinalShaper& shaper() const { return shaper_; }
  Judged around(std::span<const uint32_t> faces, const Moments& medial, const FarthestGoal& goal, Run& run) const;
  Interval strays(const Shape& shape, const FarthestGoal& goal, Run& run) const;

 private:
  const FitInput& input_;
  FinalShaper shaper_;
  OuterDistance mesh_;
};

}  // namespace hitbox::internal::fit
