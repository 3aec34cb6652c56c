#include "shaper.hpp"

#include <algorithm>

#include "medial.hpp"

namespace hitbox {

namespace {

constexpr double kTieBreak = 1e-9;  // of two shapes that deviate alike, the smaller
constexpr double kFarLarger = 2;    // shapes this much larger than the smallest are not measured

}  // namespace

void Shaper::price(Fitted& shape, double enough) const {
  if (meter_ == nullptr) return;
  const double volume = shape.cost;
  const double sum = (*meter_)(shape, enough / shape.weight).sum;
  shape.cost = shape.weight * sum + kTieBreak * volume;
}

Fitted Shaper::quick(Fitter& fitter, std::span<const Frame> frames) const {
  if (meter_ == nullptr) return fitter.cheapest(frames);
  Fitted shape = model_.allows(Kind::box) ? fitter.smallest_box(frames) : fitter.cheapest(frames);
  price(shape);
  return shape;
}

Fitted Shaper::thorough(Fitter& fitter, std::span<const Frame> frames, const Moments& medial) const {
  if (meter_ == nullptr) return fitter.cheapest_of_all(frames);
  std::vector<Fitted> shapes = fitter.smallest_of_each_kind(frames);
  double least = Bounds::kInfinity;
  for (const Fitted& shape : shapes) least = std::min(least, shape.cost / shape.weight);
  std::erase_if(shapes, [&](const Fitted& s) { return s.cost / s.weight > kFarLarger * least; });
  if (medial.area > 0)
    for (const Fitted& shape : fitter.round_about(medial_frame(medial), medial.centroid)) shapes.push_back(shape);
  Fitted best;
  for (Fitted& shape : shapes) {
    price(shape, best.cost);
    if (shape.cost < best.cost) best = shape;
  }
  return best;
}

}  // namespace hitbox
