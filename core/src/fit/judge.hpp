// The final shape of a cluster, and how far it strays from the mesh: proved, not sampled.
//
// Distances are those of measure/farthest.hpp: of a closed solid (with objective "outer") what lies
// inside it does not count. All lengths are fractions of the diagonal; shapes are in input units.
#pragma once

#include "fit/final_shapes.hpp"
#include "measure/farthest.hpp"

namespace hitbox::internal::fit {

struct Judged {
  Shape shape;
  Interval strays;      // how far its surface is from the mesh at most
  bool enters = false;  // a sphere to keep clear
};

class Judge {
 public:
  Judge(const FitInput& input, Run& run);  // which must outlive it

  const FinalShaper& shaper() const { return shaper_; }
  Judged around(std::span<const uint32_t> faces, const Moments& medial, const FarthestGoal& goal, Run& run) const;
  Interval strays(const Shape& shape, const FarthestGoal& goal, Run& run) const;

 private:
  const FitInput& input_;
  FinalShaper shaper_;
  OuterDistance mesh_;
};

}  // namespace hitbox::internal::fit
