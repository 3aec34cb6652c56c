#include "fit/shaping/shaper.hpp"

#include <algorithm>

#include "fit/shaping/medial.hpp"

namespace hitbox::internal::fit {

namespace {

constexpr double kTieBreak = 1e-9;  // the smaller of two shapes with equal deviation wins
constexpr double kHopeless = 2;     // factor on `enough`: if the smallest shape costs this much, so do the others
constexpr double kFarLarger = 2;    // shapes larger than the smallest by this factor are not measured

}  // namespace

void Shaper::price(Fitted& shape, double enough) const {
  shape.refused = !clear_.empty() && clear_.entered_by(to_shape(shape));
  if (meter_ == nullptr) return;
  const double volume = shape.cost;
  const Deviation deviation = (*meter_)(shape, enough / shape.weight);
  shape.cost = shape.weight * deviation.sum + kTieBreak * volume;
  shape.reach = deviation.largest;
}

Fitted Shaper::quick(Fitter& fitter, std::span<const Frame> frames, double enough) const {
  const bool box = meter_ != nullptr && model_.allows(Kind::box);
  Fitted shape = box ? fitter.smallest_box(frames) : fitter.cheapest(frames);
  price(shape, enough);
  return shape;
}

Fitted Shaper::thorough(Fitter& fitter, std::span<const Frame> frames, const Moments& medial, double enough) const {
  if (meter_ == nullptr && clear_.empty()) return fitter.cheapest_of_all(frames);
  std::vector<Fitted> shapes = fitter.smallest_of_each_kind(frames);
  double least = Bounds::kInfinity;
  for (const Fitted& shape : shapes) least = std::min(least, shape.cost / shape.weight);
  if (clear_.empty()) std::erase_if(shapes, [&](const Fitted& s) { return s.cost / s.weight > kFarLarger * least; });
  if (medial.area > 0)
    for (const Fitted& shape : fitter.round_about(medial_frame(medial), medial.centroid)) shapes.push_back(shape);
  // The smallest shape is usually the best, so the measurement of others can stop early.
  std::stable_sort(shapes.begin(), shapes.end(), [](const Fitted& a, const Fitted& b) { return a.cost < b.cost; });
  Fitted best;
  best.refused = true;
  for (Fitted& shape : shapes) {
    const bool first = &shape == &shapes[0];
    price(shape, best.refused ? (first ? kHopeless * enough : enough) : std::min(best.cost, enough));
    if (first && shape.cost >= kHopeless * enough) return shape;
    if (is_better(shape, best)) best = shape;
  }
  return best;
}

Fitted Shaper::lowest(Fitter& fitter, std::span<const Frame> frames, const Moments& medial, double most) const {
  std::vector<Fitted> shapes;
  for (const Frame& frame : frames)
    for (const Fitted& shape : fitter.smallest_of_each_kind({&frame, 1})) shapes.push_back(shape);
  if (medial.area > 0)
    for (const Fitted& shape : fitter.round_about(medial_frame(medial), medial.centroid)) shapes.push_back(shape);
  if (meter_ != nullptr && meter_->of_solid())  // surface inside the solid hardly counts
    for (const Fitted& shape : fitter.round_like_points(frames[0])) shapes.push_back(shape);
  Fitted best;
  best.reach = Bounds::kInfinity;
  for (Fitted& shape : shapes) {
    price(shape, most);
    if (shape.refused || shape.cost >= most || shape.reach >= best.reach) continue;
    shape.reach = reach(shape);
    if (shape.reach < best.reach) best = shape;
  }
  return best;
}

// `tangent` is that of half the angle. The formula is rational, so it is the same with every C library.
static Frame turned(const Frame& frame, int axis, double tangent) {
  const double c = (1 - tangent * tangent) / (1 + tangent * tangent), s = 2 * tangent / (1 + tangent * tangent);
  Frame result = frame;
  const Vec3 u = frame.axis[(axis + 1) % 3], v = frame.axis[(axis + 2) % 3];
  result.axis[(axis + 1) % 3] = normalized(u * c + v * s);
  result.axis[(axis + 2) % 3] = normalized(v * c - u * s);
  return result;
}

Fitted Shaper::polished(Fitter& fitter, Fitted shape, int rounds) const {
  if (meter_ == nullptr || shape.kind == Kind::sphere) return shape;
  const bool is_round = shape.kind != Kind::box && shape.kind != Kind::prism;
  double step = 0.1;
  for (int round = 0; round < rounds; ++round) {
    bool better = false;
    for (int axis = is_round ? 1 : 0; axis < 3; ++axis) {  // a rotation about its own axis changes nothing
      for (const double tangent : {step, -step}) {
        Fitted like = shape;
        like.frame = turned(shape.frame, axis, tangent);
        Fitted other = fitter.refit(like);
        price(other, shape.refused ? Bounds::kInfinity : shape.cost);
        if (!is_better(other, shape)) continue;
        shape = other;
        better = true;
        break;
      }
    }
    if (!better) step *= 0.45;
  }
  return shape;
}

}  // namespace hitbox::internal::fit
