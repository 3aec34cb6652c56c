// Finds the shape around a set of points: quickly while merging, thoroughly for clusters that stay.
// What a shape costs is its deviation where there is a meter, else what the model says; times the
// weight of its kind.
#pragma once

#include "fit/cost/deviation.hpp"
#include "hulls/clear_space.hpp"
#include "primitives/moments.hpp"

namespace hitbox::internal::fit {

class Shaper {
 public:
  // With a `meter` quick answers are boxes, where these are allowed: trying all kinds while merging
  // takes five times as long and makes the clusters no better.
  // Shapes that enter `clear` are marked as refused, and taken only where there are no others.
  Shaper(const CostModel& model, const DeviationMeter* meter, const ClearSpace& clear)
      : model_(model), meter_(meter), clear_(clear) {}

  const CostModel& model() const { return model_; }
  const DeviationMeter* meter() const { return meter_; }

  // The fitter has the points. `medial`: of the medial centres behind them; no area: none. A shape that costs
  // `enough` or more is not measured further: its cost is then at least that.
  Fitted quick(Fitter& fitter, std::span<const Frame> frames, double enough = Bounds::kInfinity) const;
  Fitted thorough(Fitter& fitter, std::span<const Frame> frames, const Moments& medial,
                  double enough = Bounds::kInfinity) const;
  // The one that reaches least far, looked at closely, of those that cost less than `most`: of each kind in each
  // frame, about the medial centres, and bent like a solid's surface (the first frame's first axis is the one that
  // the fewest faces look along). Costs infinity if there is none.
  Fitted lowest(Fitter& fitter, std::span<const Frame> frames, const Moments& medial, double most) const;
  // The same kind, turned a little at a time while that helps: about each axis of its frame, by less and
  // less.
  Fitted polished(Fitter& fitter, Fitted shape, int rounds) const;
  // How far the shape's surface is from the mesh at most, looked at closely.
  double reach(const Fitted& shape) const { return meter_ == nullptr ? 0 : meter_->reach(shape); }
  // Sets what the shape costs, or at least `enough`, and whether it is refused.
  void price(Fitted& shape, double enough = Bounds::kInfinity) const;

 private:
  static bool is_better(const Fitted& a, const Fitted& b) {
    return a.refused != b.refused ? b.refused : a.cost < b.cost;
  }
  const CostModel& model_;
  const DeviationMeter* meter_;
  const ClearSpace& clear_;
};

}  // namespace hitbox::internal::fit
