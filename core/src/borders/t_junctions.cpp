#include "borders/t_junctions.hpp"

#include <algorithm>
#include <tuple>

#include "bvh/bvh.hpp"

namespace hitbox::internal::borders {

namespace {

constexpr size_t kBlock = 512;

class Finder {
 public:
  Finder(std::span<const Vec3> vertices, std::span<const BorderSide> sides, double tolerance, Run& run)
      : vertices_(vertices), sides_(sides), tolerance_(tolerance), tree_(boxes(), run) {}

  void add_those_of(uint32_t vertex, std::vector<TJunction>& found) const {
    Bounds around;
    around.add(vertices_[vertex]);
    around.grow(std::max(tolerance_, kRounding * max_component(abs(vertices_[vertex]))));
    tree_.overlaps(around, [&](uint32_t side) { add(side, vertex, found); });
  }

 private:
  std::vector<Bounds> boxes() const {
    std::vector<Bounds> boxes;
    boxes.reserve(sides_.size());
    for (const BorderSide& side : sides_) {
      boxes.emplace_back().add(vertices_[side.from]);
      boxes.back().add(vertices_[side.to]);
    }
    return boxes;
  }

  void add(uint32_t number, uint32_t vertex, std::vector<TJunction>& found) const {
    const BorderSide& side = sides_[number];
    if (vertex == side.from || vertex == side.to) return;
    const Vec3& from = vertices_[side.from];
    const Vec3 way = vertices_[side.to] - from, to_vertex = vertices_[vertex] - from;
    const double length = norm(way);
    if (!(length > 2 * tolerance_)) return;
    const Vec3 along = way / length;
    const double reach = dot(along, to_vertex);
    if (!(reach > tolerance_ && length - reach > tolerance_)) return;
    if (norm(to_vertex - along * reach) <= std::max(tolerance_, kRounding * length))
      found.push_back({number, vertex, reach / length});
  }

  static constexpr double kRounding = 4e-16;  // rounding error of the subtractions above

  std::span<const Vec3> vertices_;
  std::span<const BorderSide> sides_;
  double tolerance_;
  bvh::BoxBvh tree_;
};

}  // namespace

std::vector<TJunction> t_junctions(std::span<const Vec3> vertices, std::span<const BorderSide> sides, double tolerance,
                                   Run& run) {
  if (sides.empty()) return {};
  std::vector<uint32_t> ends;
  for (const BorderSide& side : sides) ends.push_back(side.from);  // loops are closed, so these include the other ends
  std::sort(ends.begin(), ends.end());
  ends.erase(std::unique(ends.begin(), ends.end()), ends.end());
  const Finder finder(vertices, sides, tolerance, run);
  std::vector<std::vector<TJunction>> of_block((ends.size() + kBlock - 1) / kBlock);
  run.for_each_block(ends.size(), kBlock, [&](size_t first, size_t last, size_t block) {
    for (size_t k = first; k < last; ++k) finder.add_those_of(ends[k], of_block[block]);
  });
  std::vector<TJunction> found;
  for (const auto& block : of_block) found.insert(found.end(), block.begin(), block.end());
  std::sort(found.begin(), found.end(), [](const TJunction& a, const TJunction& b) {
    return std::tie(a.side, a.along, a.vertex) < std::tie(b.side, b.along, b.vertex);
  });
  return found;
}

std::vector<BorderSide> cut_sides(std::span<const BorderSide> sides, std::span<const TJunction> junctions) {
  std::vector<BorderSide> pieces;
  pieces.reserve(sides.size() + junctions.size());
  auto junction = junctions.begin();
  for (uint32_t side = 0; side < sides.size(); ++side) {
    BorderSide rest = sides[side];
    for (; junction != junctions.end() && junction->side == side; ++junction) {
      pieces.push_back({rest.from, junction->vertex, rest.face});
      rest.from = junction->vertex;
    }
    pieces.push_back(rest);
  }
  return pieces;
}

MatchedSides matched_sides(std::span<const BorderSide> sides) {
  struct Use {
    uint32_t low, high;
    bool is_down;
    uint32_t face, side;
  };
  std::vector<Use> uses;
  for (uint32_t k = 0; k < sides.size(); ++k) {
    const auto [low, high] = std::minmax(sides[k].from, sides[k].to);
    uses.push_back({low, high, sides[k].from > sides[k].to, sides[k].face, k});
  }
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) {
    return std::tie(a.low, a.high, a.is_down, a.face, a.side) < std::tie(b.low, b.high, b.is_down, b.face, b.side);
  });
  MatchedSides matched;
  for (size_t first = 0, last = 0; first < uses.size(); first = last) {
    size_t up = first;
    while (last < uses.size() && uses[last].low == uses[first].low && uses[last].high == uses[first].high) {
      if (!uses[last].is_down) ++up;
      ++last;
    }
    const size_t both = std::min(up - first, last - up);
    for (size_t k = 0; k < both; ++k) matched.pairs.emplace_back(uses[first + k].side, uses[up + k].side);
    for (size_t k = first + both; k < up; ++k) matched.single.push_back(uses[k].side);
    for (size_t k = up + both; k < last; ++k) matched.single.push_back(uses[k].side);
  }
  std::sort(matched.single.begin(), matched.single.end());
  return matched;
}

}  // namespace hitbox::internal::borders
