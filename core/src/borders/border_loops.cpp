#include "borders/border_loops.hpp"

#include <algorithm>

#include "base/assert.hpp"
#include "mesh/edges.hpp"

namespace hitbox::internal::borders {

using mesh::HalfEdge;

namespace {

// Follows sides in the direction of closing faces, and cuts off each simple loop.
class Walk {
 public:
  explicit Walk(std::span<const BorderSide> sides) : sides_(sides.begin(), sides.end()) {
    for (BorderSide& side : sides_) std::swap(side.from, side.to);
    std::sort(sides_.begin(), sides_.end());
    for (const BorderSide& side : sides_)
      if (vertices_.empty() || vertices_.back() != side.from) vertices_.push_back(side.from);
    for (size_t k = 0, at = 0; k < vertices_.size(); ++k) {
      while (sides_[at].from != vertices_[k]) ++at;
      next_.push_back(at);
    }
    place_.assign(vertices_.size(), kOffPath);
  }

  std::vector<BorderLoop> loops() {
    for (size_t start = 0; start < vertices_.size(); ++start)
      while (has_side(start)) walk_from(start);
    std::sort(loops_.begin(), loops_.end());
    return std::move(loops_);
  }

 private:
  static constexpr size_t kOffPath = SIZE_MAX;

  size_t number_of(uint32_t vertex) const {
    const auto found = std::lower_bound(vertices_.begin(), vertices_.end(), vertex);
    HITBOX_ASSERT(found != vertices_.end() && *found == vertex);
    return static_cast<size_t>(found - vertices_.begin());
  }

  bool has_side(size_t at) const { return next_[at] < sides_.size() && sides_[next_[at]].from == vertices_[at]; }

  void walk_from(size_t start) {
    size_t at = start;
    do {
      HITBOX_ASSERT(has_side(at));
      const BorderSide& side = sides_[next_[at]++];
      place_[at] = path_.size();
      path_.push_back(side);
      at = number_of(side.to);
      if (place_[at] != kOffPath) cut_off(place_[at]);
    } while (!path_.empty());
  }

  void cut_off(size_t first) {
    const std::span<const BorderSide> loop = std::span(path_).subspan(first);
    const auto smallest = std::min_element(loop.begin(), loop.end()) - loop.begin();
    BorderLoop found;
    for (size_t k = 0; k < loop.size(); ++k) {
      const BorderSide& side = loop[(static_cast<size_t>(smallest) + k) % loop.size()];
      found.vertices.push_back(side.from);
      found.faces.push_back(side.face);
      place_[number_of(side.from)] = kOffPath;
    }
    loops_.push_back(std::move(found));
    path_.resize(first);
  }

  std::vector<BorderSide> sides_;   // sorted by the vertex where they begin
  std::vector<uint32_t> vertices_;  // where sides begin, ascending
  std::vector<size_t> next_;        // the first unused side of each vertex
  std::vector<size_t> place_;       // position of each vertex on the path
  std::vector<BorderSide> path_;
  std::vector<BorderLoop> loops_;
};

}  // namespace

std::vector<BorderSide> border_sides(const MeshView& mesh, Run& run) {
  std::vector<BorderSide> sides;
  mesh::for_each_edge(mesh::sorted_half_edges(mesh, run), [&](std::span<const HalfEdge> uses) {
    const auto up =
        static_cast<size_t>(std::count_if(uses.begin(), uses.end(), [](const HalfEdge& use) { return use.goes_up(); }));
    const size_t cancelled = std::min(up, uses.size() - up);
    size_t seen[2] = {0, 0};
    for (const HalfEdge& use : uses) {
      if (++seen[use.goes_up() ? 1 : 0] <= cancelled) continue;
      sides.push_back({use.goes_up() ? use.low : use.high, use.goes_up() ? use.high : use.low, use.face()});
    }
  });
  std::sort(sides.begin(), sides.end());
  return sides;
}

std::vector<BorderLoop> border_loops(std::span<const BorderSide> sides) {
  if (sides.empty()) return {};
  return Walk(sides).loops();
}

}  // namespace hitbox::internal::borders
