#include "parts/cut.hpp"

#include <algorithm>

#include "hulls/sphere_bins.hpp"

namespace hitbox::internal::parts {

namespace {

constexpr size_t kSpheresScored = 150;

struct Plan {
  std::vector<CutCandidate> candidates;
  std::optional<CutScorer> scorer;
  std::vector<double> scores;
  std::vector<Vec3> sphere_centers;
  double sphere_radius = 0;

  const CutCandidate* best() const {
    const CutCandidate* found = nullptr;
    double least = Bounds::kInfinity;
    for (size_t k = 0; k < candidates.size(); ++k)
      if (scores[k] * candidates[k].bias < least) {
        least = scores[k] * candidates[k].bias;
        found = &candidates[k];
      }
    return found;
  }
};

Plan plan_of(const Cutting& cutting, const Input& input, const CutSettings& settings) {
  Plan plan;
  plan.candidates = cut_candidates(cutting.piece, cutting.hull, input, settings);
  plan.scorer.emplace(cutting.piece, cutting.hull, input);
  plan.scores.resize(plan.candidates.size());
  const size_t stride = cutting.spheres.size() / kSpheresScored + 1;
  for (size_t k = 0; k < cutting.spheres.size(); k += stride) {
    plan.sphere_centers.push_back(cutting.spheres[k].center);
    plan.sphere_radius = std::max(plan.sphere_radius, cutting.spheres[k].radius);
  }
  return plan;
}

std::vector<Cutting> carried_out(const Cutting& cutting, const CutCandidate& chosen, const Input& input) {
  std::vector<Piece> pieces;
  if (chosen.plane) {
    for (Piece& half : cut(cutting.piece, *chosen.plane, input)) pieces.push_back(std::move(half));
  } else {
    pieces = by_component(cutting.piece, input);
  }
  std::vector<Cutting> parts;
  for (Piece& piece : pieces)
    if (piece.polygon_count() > 0) parts.push_back(cutting_of(std::move(piece), cutting.spheres, input));
  return parts;
}

// Makes one cut per piece that needs one. Candidates are compared in parallel, because the first pieces are few and
// large.
std::vector<Cutting> cut_once(std::vector<Cutting> cuttings, const Input& input, const CutSettings& settings,
                              std::vector<Cutting>& done, Run& run) {
  std::vector<Plan> plans(cuttings.size());
  run.for_each_block(cuttings.size(), 1, [&](size_t k, size_t, size_t) {
    run.poll();
    plans[k] = plan_of(cuttings[k], input, settings);
  });
  struct Task {
    uint32_t plan, candidate;
  };
  std::vector<Task> tasks;
  for (uint32_t k = 0; k < plans.size(); ++k)
    for (uint32_t c = 0; c < plans[k].candidates.size(); ++c) tasks.push_back({k, c});
  run.for_each_block(tasks.size(), 1, [&](size_t k, size_t, size_t) {
    run.poll();
    Plan& plan = plans[tasks[k].plan];
    plan.scores[tasks[k].candidate] =
        plan.scorer->score(plan.candidates[tasks[k].candidate], settings, plan.sphere_centers, plan.sphere_radius);
  });
  std::vector<std::vector<Cutting>> parts(cuttings.size());
  run.for_each_block(cuttings.size(), 1, [&](size_t k, size_t, size_t) {
    run.poll();
    if (const CutCandidate* chosen = plans[k].best()) parts[k] = carried_out(cuttings[k], *chosen, input);
  });
  std::vector<Cutting> open;
  for (size_t k = 0; k < cuttings.size(); ++k) {
    if (parts[k].empty()) done.push_back(std::move(cuttings[k]));  // too small to be cut
    for (Cutting& part : parts[k]) (part.is_done() ? done : open).push_back(std::move(part));
  }
  return open;
}

}  // namespace

Cutting cutting_of(Piece piece, std::span<const Sphere> spheres, const Input& input) {
  Cutting cutting{std::move(piece), {}, {}, false};
  cutting.hull = part_hull(cutting.piece.all_points(), input.thickness);
  if (!spheres.empty()) cutting.hull.plant();
  size_t last = 0;
  for (const Sphere& s : spheres)
    if (cutting.hull.is_within(s.center, s.radius - SphereBins::kTouching, last)) cutting.spheres.push_back(s);
  return cutting;
}

std::vector<Cutting> cut_until_clear(std::vector<Cutting> cuttings, const Input& input, const CutSettings& settings,
                                     Run& run) {
  std::vector<Cutting> done, open;
  for (Cutting& cutting : cuttings) (cutting.is_done() ? done : open).push_back(std::move(cutting));
  while (!open.empty()) open = cut_once(std::move(open), input, settings, done, run);
  return done;
}

}  // namespace hitbox::internal::parts
