#include "space/space.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/mat3.hpp"
#include "measure/inside.hpp"
#include "space/support_net.hpp"

namespace hitbox::internal::space {

namespace {

constexpr int kCube = 16;  // grid points along the side of the first cubes
constexpr double kMostPoints = 1 << 30;

// Two spheres on the boundary of C a step s apart leave a dent of depth s^2 / (8 r) between them. This is second order,
// unless the radius is small relative to the tolerance.
double grid_step(double radius, double tolerance) {
  return std::max(std::min(tolerance, 0.55 * std::sqrt(radius * tolerance)), tolerance / 8);
}

class SpaceFinder {
 public:
  SpaceFinder(const MeshView& mesh, const TriangleBvh& surface, const SpaceQuery& options, const Grid& grid, Run& run)
      : mesh_(mesh),
        surface_(surface),
        options_(options),
        grid_(grid),
        run_(run),
        clearance_(surface, options.tolerance, options_.blockers),
        hull_(used_vertices(mesh)),
        state_(grid.point_count(), State::blocked),
        is_reached_(grid.point_count(), 0),
        half_cell_(0.5 * std::sqrt(3.0) * grid.step),
        nearly_(half_cell_ * clearance_.steepness(options.radius, half_cell_)) {}

  ReachedSpace find() {
    run_.enter("classify", 0, 0.6);
    classify();
    if (options_.blockers.function) ask_function();
    run_.enter("fill", 0.6, 0.7);
    flood(points_outside());
    if (!options_.reachable_only) add_sealed();
    run_.enter("spheres", 0.7, 1);
    ReachedSpace found;
    found.spheres = spheres_of_user();
    found.user_count = found.spheres.size();
    add_boundary(found.spheres);
    for (size_t k = 0; k < state_.size(); ++k)
      if (is_in_space(k)) is_reached_[k] = Reach::kFree;
    found.reach = {grid_, std::move(is_reached_)};
    return found;
  }

 private:
  enum class State : uint8_t { blocked, nearly_free, free };
  struct Crossing {
    size_t edge;  // 3 x the grid point of its start + its axis
    Vec3 point;   // on the edge, just inside C
    Vec3 normal;  // of the boundary of C there, pointing into C
  };

  static std::vector<Vec3> used_vertices(const MeshView& mesh);
  // The depth of p inside C; negative outside.
  double excess(const Vec3& p) const { return clearance_.at(p) - options_.radius; }
  bool is_in_space(size_t point) const { return is_reached_[point] != 0 && state_[point] == State::free; }
  State state_at(double room, double distance = Bounds::kInfinity) const;
  void classify();
  void ask_function();
  std::vector<uint32_t> points_outside();
  std::vector<uint32_t> flood(std::vector<uint32_t> front);
  void add_sealed();
  std::vector<Sphere> spheres_of_user() const;
  void add_boundary(std::vector<Sphere>& spheres);
  std::vector<Crossing> crossings();
  Crossing crossing(size_t edge) const;
  std::optional<Vec3> corner(size_t cell, std::span<const Crossing* const> around) const;
  void add(const Vec3& p, std::vector<Sphere>& spheres) const;

  const MeshView& mesh_;
  const TriangleBvh& surface_;
  const SpaceQuery& options_;
  const Grid& grid_;
  Run& run_;
  Clearance clearance_;
  SupportNet hull_;
  std::vector<State> state_;
  std::vector<uint8_t> is_reached_;  // or sealed space that is wanted
  // If a cell has a point of C, one of its corners is at most this far from it, and lacks at most this much room.
  double half_cell_, nearly_;
};

std::vector<Vec3> SpaceFinder::used_vertices(const MeshView& mesh) {
  std::vector<uint8_t> is_used(mesh.vertices.size());
  for (const uint32_t v : mesh.indices) is_used[v] = 1;
  std::vector<Vec3> used;
  for (size_t v = 0; v < is_used.size(); ++v)
    if (is_used[v] != 0) used.push_back(mesh.vertices[v]);
  return used;
}

// The distance from the mesh is tested, too: with a tolerance that depends on the direction, room changes faster than
// distance, and two points with the mesh between them could both be nearly free.
SpaceFinder::State SpaceFinder::state_at(double room, double distance) const {
  const double excess = room - options_.radius;
  if (excess >= 0) return State::free;
  const bool is_near = distance < options_.radius + options_.tolerance.least() - half_cell_;
  return excess >= -nearly_ && !is_near ? State::nearly_free : State::blocked;
}

// Decides whole cubes by their centres. The distance of a cube bounds that of its halves from above, which limits their
// search for the nearest triangle.
void SpaceFinder::classify() {
  struct Known {
    Vec3 center;
    double distance;
  };
  const Tolerance& tolerance = options_.tolerance;
  run_.for_each_block(grid_.cube_count(kCube), 1, [&](size_t number, size_t, size_t) {
    run_.poll();
    const Grid::Cube first = grid_.cube(number, kCube);
    const Vec3 start = grid_.center(first);
    Grid::halve(first, Known{start, clearance_.distance(start)}, [&](const Grid::Cube& cube, const Known& known) {
      const Vec3 center = grid_.center(cube);
      const double distance = clearance_.distance(center, known.distance + norm(center - known.center));
      const double of_blockers = options_.blockers.distance(center), away = grid_.half_diagonal(cube);
      State least = state_at(std::min(distance - tolerance.all, of_blockers) - away, distance - away);
      const State most = state_at(std::min(distance - tolerance.least(), of_blockers) + away, distance + away);
      if (least != most && away > 0) return std::optional(Known{center, distance});
      if (least != most) least = state_at(std::min(clearance_.of_mesh(center), of_blockers), distance);
      Grid::each_row(cube, [&](int y, int z) {
        const auto row = state_.begin() + static_cast<std::ptrdiff_t>(grid_.index(cube.low[0], y, z));
        std::fill(row, row + (cube.high[0] - cube.low[0]), least);
      });
      return std::optional<Known>();
    });
  });
}

// Evaluates the function at every point that is otherwise free, row by row.
void SpaceFinder::ask_function() {
  std::vector<Vec3> points;
  std::vector<double> found;
  const auto row_length = static_cast<size_t>(grid_.size[0]);
  for (size_t first = 0; first < state_.size(); first += row_length) {
    run_.poll();
    points.clear();
    for (size_t k = first; k < first + row_length; ++k)
      if (state_[k] != State::blocked) points.push_back(grid_.position(grid_.point(k)));
    if (points.empty()) continue;
    found.resize(points.size());
    options_.blockers.ask(points, found);
    size_t next = 0;
    for (size_t k = first; k < first + row_length; ++k)
      if (state_[k] != State::blocked) state_[k] = std::min(state_[k], state_at(found[next++]));
  }
}

// Marks all points whose balls do not touch the convex hull of the mesh. From these, the fill finds every opening.
std::vector<uint32_t> SpaceFinder::points_outside() {
  std::vector<std::vector<uint32_t>> of_cube(grid_.cube_count(kCube));
  run_.for_each_block(of_cube.size(), 1, [&](size_t number, size_t, size_t) {
    Grid::halve(grid_.cube(number, kCube), 0, [&](const Grid::Cube& cube, int) -> std::optional<int> {
      const double distance = hull_.distance(grid_.center(cube)), away = grid_.half_diagonal(cube);
      if (distance + away <= options_.radius) return {};
      if (distance - away <= options_.radius) return 0;
      Grid::each_row(cube, [&](int y, int z) {
        for (int x = cube.low[0]; x < cube.high[0]; ++x)
          if (state_[grid_.index(x, y, z)] != State::blocked)
            of_cube[number].push_back(static_cast<uint32_t>(grid_.index(x, y, z)));
      });
      return {};
    });
  });
  std::vector<uint32_t> all;
  for (const auto& points : of_cube) all.insert(all.end(), points.begin(), points.end());
  return all;
}

// Marks and returns all points connected with those of `front`, which are not marked yet.
std::vector<uint32_t> SpaceFinder::flood(std::vector<uint32_t> front) {
  for (const uint32_t point : front) is_reached_[point] = Reach::kNearly;
  const auto row = static_cast<uint32_t>(grid_.size[0]);
  const auto plane = static_cast<uint32_t>(grid_.index(0, 0, 1));
  for (size_t next = 0; next < front.size(); ++next) {
    if (next % (1 << 14) == 0) run_.poll();
    const uint32_t point = front[next];
    const GridPoint at = grid_.point(point);
    const auto reach = [&](bool is_there, uint32_t other) {
      if (!is_there || is_reached_[other] != 0 || state_[other] == State::blocked) return;
      is_reached_[other] = Reach::kNearly;
      front.push_back(other);
    };
    reach(at[0] > 0, point - 1);
    reach(at[0] + 1 < grid_.size[0], point + 1);
    reach(at[1] > 0, point - row);
    reach(at[1] + 1 < grid_.size[1], point + row);
    reach(at[2] > 0, point - plane);
    reach(at[2] + 1 < grid_.size[2], point + plane);
  }
  return front;
}

// Marks cavities, and for a mesh that is not a solid all other unreachable points.
void SpaceFinder::add_sealed() {
  const bool is_solid = is_closed_solid(mesh_, run_);
  const Solid solid(surface_);
  for (size_t k = 0; k < state_.size(); ++k) {
    if (state_[k] == State::blocked || is_reached_[k] != 0) continue;
    const std::vector<uint32_t> pocket = flood({static_cast<uint32_t>(k)});
    if (!is_solid || !solid.contains(grid_.position(grid_.point(k)))) continue;
    for (const uint32_t point : pocket) {
      state_[point] = State::blocked;
      is_reached_[point] = 0;
    }
  }
}

void SpaceFinder::add(const Vec3& p, std::vector<Sphere>& spheres) const {
  const double radius = clearance_.at(p);
  if (radius > 0 && hull_.distance(p) < radius) spheres.push_back({p, radius});
}

std::vector<Sphere> SpaceFinder::spheres_of_user() const {
  std::vector<Sphere> spheres;
  for (const Vec3& p : options_.clear_points) {
    const double radius = clearance_.of_mesh(p);
    if (radius > 0) spheres.push_back({p, radius});
  }
  return spheres;
}

// The point where the edge leaves C, by regula falsi, and by bisection where that does not converge.
SpaceFinder::Crossing SpaceFinder::crossing(size_t edge) const {
  GridPoint from = grid_.point(edge / 3), to = from;
  ++to[edge % 3];
  if (!is_in_space(grid_.index(from))) std::swap(from, to);
  Vec3 in = grid_.position(from), out = grid_.position(to);
  double above = excess(in), below = excess(out);
  // a sphere this close to the boundary is larger by that distance
  const double close = 1e-3 * options_.tolerance.least();
  for (int k = 0; k < 16 && above > close && below < 0; ++k) {
    const double s = k % 3 == 2 ? 0.5 : std::clamp(above / (above - below), 1e-3, 1 - 1e-3);
    const Vec3 p = in + (out - in) * s;
    const double found = excess(p);
    (found >= 0 ? in : out) = p;
    (found >= 0 ? above : below) = found;
  }
  return {edge, in, clearance_.gradient(in)};
}

// All edges of the grid with exactly one end in the space, in order.
std::vector<SpaceFinder::Crossing> SpaceFinder::crossings() {
  const auto planes = static_cast<size_t>(grid_.size[2]);
  std::vector<std::vector<size_t>> of_plane(planes);
  run_.for_each_block(planes, 1, [&](size_t z, size_t, size_t) {
    for (size_t k = grid_.index(0, 0, static_cast<int>(z)); k < grid_.index(0, 0, static_cast<int>(z) + 1); ++k) {
      const GridPoint at = grid_.point(k);
      const std::array<size_t, 3> beside = {k + 1, k + static_cast<size_t>(grid_.size[0]), k + grid_.index(0, 0, 1)};
      for (size_t axis = 0; axis < 3; ++axis)
        if (at[axis] + 1 < grid_.size[axis] && is_in_space(k) != is_in_space(beside[axis]))
          of_plane[z].push_back(3 * k + axis);
    }
  });
  std::vector<size_t> edges;
  for (const auto& found : of_plane) edges.insert(edges.end(), found.begin(), found.end());
  std::vector<Crossing> result(edges.size());
  run_.for_each_block(edges.size(), 256, [&](size_t first, size_t last, size_t) {
    run_.poll();
    for (size_t k = first; k < last; ++k) result[k] = crossing(edges[k]);
  });
  return result;
}

// The point of a cell where the boundary's planes at the surrounding crossings intersect, or the nearest point in C;
// none if the boundary is flat.
std::optional<Vec3> SpaceFinder::corner(size_t cell, std::span<const Crossing* const> around) const {
  constexpr double kFlat = 0.02;  // fraction of a step: a corner this close to the crossings adds nothing
  constexpr double kStay = 0.01;  // keeps the corner near the crossings if their planes do not determine it
  Vec3 middle;
  for (const Crossing* c : around) middle += c->point / static_cast<double>(around.size());
  if (excess(middle) < 0) return std::nullopt;
  Sym3 planes = Sym3::outer({1, 0, 0}, kStay) + Sym3::outer({0, 1, 0}, kStay) + Sym3::outer({0, 0, 1}, kStay);
  Vec3 pull;
  for (const Crossing* c : around) {
    planes = planes + Sym3::outer(c->normal, 1);
    pull += c->normal * dot(c->normal, c->point - middle);
  }
  const Vec3 low = grid_.position(grid_.point(cell)), high = low + Vec3{1, 1, 1} * grid_.step;
  Vec3 out = min(max(middle + solved(planes, pull), low), high);
  if (norm(out - middle) < kFlat * grid_.step) return std::nullopt;
  if (excess(out) >= 0) return out;
  Vec3 in = middle;
  for (int k = 0; k < 10; ++k) {
    const Vec3 p = (in + out) * 0.5;
    (excess(p) >= 0 ? in : out) = p;
  }
  return in;
}

void SpaceFinder::add_boundary(std::vector<Sphere>& spheres) {
  const std::vector<Crossing> all = crossings();
  struct Touch {
    size_t cell;
    uint32_t crossing;
    bool operator<(const Touch& other) const {
      return cell != other.cell ? cell < other.cell : crossing < other.crossing;
    }
  };
  std::vector<Touch> touches;  // each edge has up to four cells
  for (uint32_t k = 0; k < all.size(); ++k) {
    const GridPoint at = grid_.point(all[k].edge / 3);
    const size_t a = (all[k].edge % 3 + 1) % 3, b = (all[k].edge % 3 + 2) % 3;
    for (const int back_a : {0, 1})
      for (const int back_b : {0, 1}) {
        GridPoint cell = at;
        cell[a] -= back_a;
        cell[b] -= back_b;
        if (cell[a] >= 0 && cell[b] >= 0 && cell[a] + 1 < grid_.size[a] && cell[b] + 1 < grid_.size[b])
          touches.push_back({grid_.index(cell), k});
      }
  }
  std::sort(touches.begin(), touches.end());
  std::vector<size_t> firsts;  // first touch per cell
  for (size_t k = 0; k < touches.size(); ++k)
    if (k == 0 || touches[k].cell != touches[k - 1].cell) firsts.push_back(k);
  firsts.push_back(touches.size());
  const size_t cells = firsts.size() - 1;
  constexpr size_t kBlock = 256;
  std::vector<std::vector<Sphere>> of_block((cells + kBlock - 1) / kBlock);
  run_.for_each_block(cells, kBlock, [&](size_t first, size_t last, size_t block) {
    run_.poll();
    for (size_t c = first; c < last; ++c) {
      std::vector<const Crossing*> around;
      for (size_t k = firsts[c]; k < firsts[c + 1]; ++k) around.push_back(&all[touches[k].crossing]);
      if (around.size() < 2) continue;
      if (const auto p = corner(touches[firsts[c]].cell, around)) add(*p, of_block[block]);
    }
  });
  for (const Crossing& c : all) add(c.point, spheres);
  for (const auto& found : of_block) spheres.insert(spheres.end(), found.begin(), found.end());
}

}  // namespace

Result<ReachedSpace> reached_space(const MeshView& mesh, const TriangleBvh& surface, const SpaceQuery& options,
                                   Run& run) {
  const double step = grid_step(options.radius, options.tolerance.least());
  // The grid extends to balls that just touch the box, including the tolerance.
  const double margin = options.radius + std::max(2 * step, options.tolerance.all + step);
  const Grid grid = Grid::around(referenced_bounds(mesh), margin, step);
  double points = 1;
  for (const int along : grid.size) points *= along;
  if (points > kMostPoints)
    return Error{
        "the tolerance is too small for the mesh: a grid that is fine enough would have more than "
        "a thousand million points. Give a larger tolerance or radius."};
  return SpaceFinder(mesh, surface, options, grid, run).find();
}

}  // namespace hitbox::internal::space
