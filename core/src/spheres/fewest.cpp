#include "spheres/fewest.hpp"

#include <algorithm>
#include <map>

namespace hitbox::internal::spheres {

namespace {

constexpr uint32_t kLadder[] = {1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64};
constexpr double kMostTries = 5;  // bisection of the ladder takes four, and the last rung may be one more

}  // namespace

FewestSpheres fit_fewest_spheres(const MeshView& mesh, uint32_t least, SphereMode mode, const FitOptions& options,
                                 Run& run) {
  std::vector<uint32_t> ladder(std::ranges::lower_bound(kLadder, least), std::end(kLadder));
  if (ladder.empty()) ladder.push_back(least);
  std::map<size_t, SphereFit> tried;
  const auto at = [&](size_t rung) -> const SphereFit& {
    if (const auto known = tried.find(rung); known != tried.end()) return known->second;
    const double done = static_cast<double>(tried.size()) / kMostTries;
    const Run::Stretch stretch(run, done, done + 1 / kMostTries);
    return tried.emplace(rung, fit_spheres(mesh, ladder[rung], mode, options, run)).first->second;
  };
  size_t low = 0, high = ladder.size() - 1;
  while (low < high) {
    const size_t middle = (low + high) / 2;
    if (at(middle).measure.mean <= kCloseEnough)
      high = middle;
    else
      low = middle + 1;
  }
  return {ladder[low], at(low)};
}

}  // namespace hitbox::internal::spheres
