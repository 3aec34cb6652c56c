#include "fit/judge.hpp"

#include <algorithm>

#include "fit/tree/nodes.hpp"

namespace hitbox::internal::fit {

namespace {

bool enters_any(const Shape& shape, std::span<const Sphere> spheres) {
  return std::any_of(spheres.begin(), spheres.end(), [&](const Sphere& sphere) {
    double distance;
    signed_distance(shape, {&sphere.center, 1}, {&distance, 1});
    return distance < sphere.radius;
  });
}

}  // namespace

Judge::Judge(const FitInput& input, Run& run)
    : input_(input), shaper_(input), mesh_(input.exact_in_input(), input.solid, run) {}

Interval Judge::strays(const Shape& shape, const FarthestGoal& goal, Run& run) const {
  const double diagonal = input_.to_input.scale;
  FarthestGoal in_units = goal;
  in_units.enough *= diagonal;
  in_units.absolute *= diagonal;
  const Interval found = mesh_.farthest(shape, in_units, run);
  return {found.low / diagonal, found.high / diagonal};
}

Judged Judge::around(std::span<const uint32_t> faces, const Moments& medial, const FarthestGoal& goal, Run& run) const {
  Judged judged;
  judged.shape = shaper_.around(faces, vertices_of(input_.exact(), faces), medial, run);
  judged.enters = enters_any(padded(judged.shape, std::max(input_.options.pad, 0.0), 0), input_.options.keep_clear) ||
                  !input_.stays_out_of_spaces(judged.shape);
  judged.strays = strays(judged.shape, goal, run);
  return judged;
}

}  // namespace hitbox::internal::fit
