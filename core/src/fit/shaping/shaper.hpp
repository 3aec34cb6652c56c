// Finds the shape around a set of points, quickly while merging and thoroughly for final clusters. With a meter the
// cost of a shape is its deviation, otherwise that of the model; both are multiplied by the weight of its kind.
#pragma once

#include "fit/cost/deviation.hpp"
#include "hulls/clear_space.hpp"
#include "primitives/moments.hpp"

namespace hitbox::internal::fit {

class Shaper {
 public:
  // With a `meter` quick results are boxes, if they are allowed. Trying all kinds while merging takes five times as
  // long and makes the clusters no better.
  // Shapes that enter `clear` are marked as refused, and used only if there are no others.
  Shaper(const CostModel& model, const DeviationMeter* meter, const ClearSpace& clear)
      : model_(model), meter_(meter), clear_(clear) {}

  const CostModel& model() const { return model_; }
  const DeviationMeter* meter() const { return meter_; }

  // The fitter has the points. `medial` has the moments of the medial centres behind them; without area there are none.
  // The measurement of a shape stops once its cost reaches `enough`; its cost is then at least that.
  Fitted quick(Fitter& fitter, std::span<const Frame> frames, double enough = Bounds::kInfinity) const;
  Fitted thorough(Fitter& fitter, std::span<const Frame> frames, const Moments& medial,
                  double enough = Bounds::kInfinity) const;
  // The shape with the smallest reach, measured thoroughly, among those that cost less than `most`. Candidates are each
  // kind in each frame, shapes around the medial centres, and round shapes as curved as a solid's surface (the first
  // axis of the first frame is the one that the fewest faces look along). The cost is infinite if there is none.
  Fitted lowest(Fitter& fitter, std::span<const Frame> frames, const Moments& medial, double most) const;
  // The same kind, rotated in small steps about each axis of its frame while that helps, by smaller and smaller angles.
  Fitted polished(Fitter& fitter, Fitted shape, int rounds) const;
  // The largest distance of the shape's surface from the mesh, measured thoroughly.
  double reach(const Fitted& shape) const { return meter_ == nullptr ? 0 : meter_->reach(shape); }
  // Sets the cost of the shape, or a value of at least `enough`, and whether it is refused.
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
