#include "parts/piece.hpp"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace hitbox::internal::parts {

namespace {

constexpr uint32_t kNone = 0xffffffff;
constexpr double kWellInside =
    1e-6;  // a corner on the surface is not inside; otherwise touching shells would share corners

// Makes a piece of polygons over the points of another piece.
class Gatherer {
 public:
  explicit Gatherer(std::span<const Vec3> from) : from_(from), number_(from.size(), kNone) {}

  void add(std::span<const uint32_t> polygon, uint32_t triangle) {
    for (const uint32_t point : polygon) {
      if (number_[point] == kNone) {
        number_[point] = static_cast<uint32_t>(piece.points.size());
        piece.points.push_back(from_[point]);
      }
      piece.corners.push_back(number_[point]);
    }
    piece.offsets.push_back(static_cast<uint32_t>(piece.corners.size()));
    piece.triangles.push_back(triangle);
  }

  Piece piece;

 private:
  std::span<const Vec3> from_;
  std::vector<uint32_t> number_;
};

// The points of a piece, and the points where edges cross a plane, each computed once.
class CutPoints {
 public:
  CutPoints(const Piece& piece, const HalfSpace& plane) : points(piece.points) {
    above.reserve(points.size());
    for (const Vec3& p : points) above.push_back(plane.above(p));
  }

  uint32_t between(uint32_t a, uint32_t b) {
    if (a > b) std::swap(a, b);
    const auto [place, is_new] =
        made_.try_emplace((static_cast<uint64_t>(a) << 32) + b, static_cast<uint32_t>(points.size()));
    if (is_new) points.push_back(points[a] + (points[b] - points[a]) * (above[a] / (above[a] - above[b])));
    return place->second;
  }

  std::vector<Vec3> points;
  std::vector<double> above;  // of the original points

 private:
  std::unordered_map<uint64_t, uint32_t> made_;
};

Vec3 normal_of(const Piece& piece, size_t polygon) {
  const auto corners = piece.polygon(polygon);
  Vec3 normal;
  for (size_t k = 2; k < corners.size(); ++k)
    normal += cross(piece.points[corners[k - 1]] - piece.points[corners[0]],
                    piece.points[corners[k]] - piece.points[corners[0]]);
  return normal;
}

int side_of(double above) { return above > kOnPlane ? 1 : above < -kOnPlane ? -1 : 0; }

// The two parts of a convex polygon. Corners in the plane belong to both.
std::array<std::vector<uint32_t>, 2> parts_of(std::span<const uint32_t> polygon, CutPoints& points) {
  return clip::split(
      polygon, [&](uint32_t point) { return side_of(points.above[point]); },
      [&](uint32_t a, uint32_t b) { return points.between(a, b); });
}

void cut_edges(const Piece& piece, const HalfSpace& plane, std::array<Piece, 2>& halves) {
  for (const ConcaveEdge& edge : piece.concave_edges) {
    const double from = plane.above(edge.from), to = plane.above(edge.to);
    if (side_of(from) * side_of(to) < 0) {
      const Vec3 between = edge.from + (edge.to - edge.from) * (from / (from - to));
      ConcaveEdge first = edge, second = edge;
      first.to = second.from = between;
      halves[from > 0].concave_edges.push_back(first);
      halves[to > 0].concave_edges.push_back(second);
    } else if (side_of(from) != 0 || side_of(to) != 0) {  // a corner in the plane is already used
      halves[from + to > 0].concave_edges.push_back(edge);
    }
  }
}

void cut_cells(const Piece& piece, const HalfSpace& plane, const Input& input, std::array<Piece, 2>& halves) {
  for (const clip::Polytope& cell : piece.cells) {
    std::array<clip::Polytope, 2> parts = cell.cut(plane);
    for (size_t half = 0; half < 2; ++half) {
      for (const Vec3& corner : parts[half].corners()) {
        // Corners that remain were tested before.
        const bool was_inside = std::find(piece.inside.begin(), piece.inside.end(), corner) != piece.inside.end();
        const bool is_new = std::abs(plane.above(corner)) <= 1e-9;
        if (was_inside || (is_new && input.contains(corner, piece.component))) halves[half].inside.push_back(corner);
      }
      if (!parts[half].is_empty()) halves[half].cells.push_back(std::move(parts[half]));
    }
  }
}

// The polygons of each group of triangles, in the order of the first triangles.
std::vector<Piece> by_group(const Piece& piece, std::span<const uint32_t> group_of_triangle, size_t group_count) {
  std::vector<uint32_t> slot(group_count, kNone);
  std::vector<Gatherer> gatherers;
  for (size_t k = 0; k < piece.polygon_count(); ++k) {
    uint32_t& at = slot[group_of_triangle[piece.triangles[k]]];
    if (at == kNone) {
      at = static_cast<uint32_t>(gatherers.size());
      gatherers.emplace_back(piece.points);
    }
    gatherers[at].add(piece.polygon(k), piece.triangles[k]);
  }
  std::vector<Piece> pieces;
  for (Gatherer& gatherer : gatherers) pieces.push_back(std::move(gatherer.piece));
  return pieces;
}

}  // namespace

bool Input::contains(const Vec3& p, int component) const {
  const auto is_inside = [&](const Solid& asked, const TriangleBvh& its_surface) {
    return asked.contains(p) && its_surface.closest(p, kWellInside * kWellInside).triangle == Bvh::kNone;
  };
  if (component < 0) return is_inside(*solid, *surface);
  const Component& one = *components[static_cast<size_t>(component)];
  return is_inside(one.solid, one.surface);
}

std::vector<Vec3> Piece::all_points() const {
  std::vector<Vec3> all = points;
  all.insert(all.end(), inside.begin(), inside.end());
  return all;
}

Piece whole(const Input& input) {
  Piece piece;
  piece.points = input.vertices;
  for (uint32_t t = 0; t < input.triangles.size(); ++t) {
    piece.corners.insert(piece.corners.end(), input.triangles[t].begin(), input.triangles[t].end());
    piece.offsets.push_back(static_cast<uint32_t>(piece.corners.size()));
    piece.triangles.push_back(t);
  }
  piece.concave_edges = input.concave_edges;
  if (input.is_solid) {
    Bounds box = bounds_of(piece.points);
    box.grow(1e-3 * max_component(box.size()));
    piece.cells.emplace_back(box);
  }
  return piece;
}

std::array<Piece, 2> cut(const Piece& piece, const HalfSpace& plane, const Input& input) {
  CutPoints points(piece, plane);
  struct Part {
    std::vector<uint32_t> polygon;
    uint32_t triangle;
  };
  std::array<std::vector<Part>, 2> parted;
  std::array<std::vector<size_t>, 2> kept;  // polygons that stay whole
  for (size_t k = 0; k < piece.polygon_count(); ++k) {
    const auto polygon = piece.polygon(k);
    bool behind = false, before = false;
    for (const uint32_t point : polygon) {
      behind = behind || side_of(points.above[point]) < 0;
      before = before || side_of(points.above[point]) > 0;
    }
    if (behind && before) {
      auto parts = parts_of(polygon, points);
      for (size_t half = 0; half < 2; ++half)
        if (parts[half].size() >= 3) parted[half].push_back({std::move(parts[half]), piece.triangles[k]});
    } else {
      // A polygon in the plane goes to the side of the solid.
      const bool in_front = before || (!behind && dot(normal_of(piece, k), plane.normal) < 0);
      kept[in_front].push_back(k);
    }
  }
  std::array<Piece, 2> halves;
  for (size_t half = 0; half < 2; ++half) {
    Gatherer gatherer(points.points);
    for (const size_t k : kept[half]) gatherer.add(piece.polygon(k), piece.triangles[k]);
    for (const Part& part : parted[half]) gatherer.add(part.polygon, part.triangle);
    halves[half] = std::move(gatherer.piece);
    halves[half].component = piece.component;
  }
  cut_edges(piece, plane, halves);
  cut_cells(piece, plane, input, halves);
  return halves;
}

std::vector<Piece> by_component(const Piece& piece, const Input& input) {
  std::vector<Piece> pieces = by_group(piece, input.component_of, input.component_count);
  for (Piece& part : pieces) {
    const uint32_t component = input.component_of[part.triangles[0]];
    part.component = static_cast<int>(component);
    part.cells = piece.cells;
    for (const Vec3& corner : piece.inside)
      if (input.contains(corner, part.component)) part.inside.push_back(corner);
    for (const ConcaveEdge& edge : piece.concave_edges)
      if (edge.component == component) part.concave_edges.push_back(edge);
  }
  return pieces;
}

std::vector<Piece> by_flat_side(const Input& input) {
  return by_group(whole(input), input.flat_side_of, input.flat_side_count);
}

}  // namespace hitbox::internal::parts
