// Finds the shape around a set of points: quickly while merging, thoroughly for clusters that stay.
// What a shape costs is its deviation where there is a meter, else what the model says; times the
// weight of its kind.
#pragma once

#include "deviation.hpp"
#include "moments.hpp"

namespace hitbox {

class Shaper {
 public:
  // With a `meter` quick answers are boxes, where these are allowed: trying all kinds while merging
  // takes five times as long and makes the clusters no better.
  Shaper(const CostModel& model, const DeviationMeter* meter) : model_(model), meter_(meter) {}

  const CostModel& model() const { return model_; }
  const DeviationMeter* meter() const { return meter_; }

  // The fitter has the points. `medial`: of the medial centres behind them; no area: none.
  Fitted quick(Fitter& fitter, std::span<const Frame> frames) const;
  Fitted thorough(Fitter& fitter, std::span<const Frame> frames, const Moments& medial) const;
  // The same kind, turned a little at a time while that helps: about each axis of its frame, by less and
  // less.
  Fitted polished(Fitter& fitter, Fitted shape, int rounds) const;
  // Sets the shape's cost, or leaves it at infinity once it is known to reach `enough`.
  void price(Fitted& shape, double enough = Bounds::kInfinity) const;

 private:
  const CostModel& model_;
  const DeviationMeter* meter_;
};

}  // namespace hitbox
