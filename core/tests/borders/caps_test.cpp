#include "borders/caps.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/vec2.hpp"
#include "tests/borders/plane_grid.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::borders;
using hitbox::internal::base::Random;
using hitbox::internal::base::Vec2;

namespace {

Mesh with_caps(Mesh mesh, const Caps& caps) {
  for (const Triangle& t : caps.triangles) {
    mesh.indices.insert(mesh.indices.end(), t.begin(), t.end());
    mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
  }
  return mesh;
}

Vec3 area_vector(const Mesh& mesh, const Triangle& t) {
  return cross(mesh.vertices[t[1]] - mesh.vertices[t[0]], mesh.vertices[t[2]] - mesh.vertices[t[0]]) / 2;
}

double volume_of(const Mesh& mesh) {
  double sum = 0;
  for (size_t f = 0; f < mesh.view().face_count(); ++f) {
    const auto face = mesh.view().face(f);
    for (size_t k = 2; k < face.size(); ++k)
      sum += dot(mesh.vertices[face[0]], cross(mesh.vertices[face[k - 1]], mesh.vertices[face[k]])) / 6;
  }
  return sum;
}

// A tube with walls: an outer and an inner polygon of whole coordinates, from z = 0 to 1 (+ a slant), without ends.
Mesh tube(const std::vector<std::vector<Vec2>>& rings, double slant) {
  Mesh mesh;
  for (const auto& ring : rings) {
    const auto first = static_cast<uint32_t>(mesh.vertices.size()), count = static_cast<uint32_t>(ring.size());
    for (const double z : {0.0, 1.0})
      for (const Vec2& p : ring) mesh.vertices.push_back({p.x, p.y, 20 * z + slant * p.x});
    for (uint32_t k = 0; k < count; ++k) {
      const uint32_t next = (k + 1) % count;
      for (const uint32_t v : {k, next, count + next, count + k}) mesh.indices.push_back(first + v);
      mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
    }
  }
  return mesh;
}

std::vector<Vec2> star(Random& random, size_t corners, Vec2 center, double least, double most) {
  std::vector<Vec2> ring;
  for (size_t k = 0; k < corners; ++k) {
    const double angle = 6.283185307179586 * static_cast<double>(k) / static_cast<double>(corners);
    const double radius = random.uniform(least, most);
    ring.push_back({center.x + std::round(radius * std::cos(angle)), center.y + std::round(radius * std::sin(angle))});
  }
  return ring;
}

double area_of(const std::vector<Vec2>& ring) {
  double sum = 0;
  for (size_t k = 0; k < ring.size(); ++k) {
    const Vec2 &a = ring[k], &b = ring[(k + 1) % ring.size()];
    sum += a.x * b.y - a.y * b.x;
  }
  return sum / 2;
}

}  // namespace

TEST(caps_close_a_grid_however_its_holes_touch) {
  Random random(61);
  for (int round = 0; round < 200; ++round) {
    // Holes of one square and of several. They may touch at corners, or touch the border.
    const Mesh mesh = tests::plane_grid(7, 6, [&](int, int) { return random.below(4) > 0; });
    Run run(1);
    const Caps caps = planar_caps(mesh.view(), 1e-9, run);
    CHECK(caps.curved.empty());
    const Mesh closed = with_caps(mesh, caps);
    CHECK(border_sides(closed.view(), run).empty());
    // The area vectors of a closed surface add up to 0, exactly for whole numbers.
    Vec3 sum;
    for (size_t f = 0; f < mesh.view().face_count(); ++f) {
      const auto face = mesh.view().face(f);
      sum += area_vector(mesh, {face[0], face[1], face[2]}) + area_vector(mesh, {face[0], face[2], face[3]});
    }
    for (const Triangle& t : caps.triangles) sum += area_vector(mesh, t);
    CHECK(sum == Vec3{});
  }
}

TEST(caps_of_a_grid_are_its_back_with_its_holes) {
  Random random(62);
  for (int round = 0; round < 100; ++round) {
    // Holes are separate and inside. The grid's outline is one more loop, in the opposite direction.
    const Mesh mesh =
        tests::plane_grid(9, 7, [&](int x, int y) { return x % 2 == 0 || y % 2 == 0 || random.below(3) == 0; });
    const Vec3 square = cross(mesh.vertices[1] - mesh.vertices[0], mesh.vertices[10] - mesh.vertices[0]);
    Run run(1);
    const Caps caps = planar_caps(mesh.view(), 1e-9, run);
    double back = 0;
    for (const Triangle& t : caps.triangles) {
      const double share = dot(area_vector(mesh, t), square) / dot(square, square);
      CHECK(share < 0);
      back += share;
    }
    // Holes have the opposite direction of the outline around them. The cap is a copy of the grid, seen from behind.
    CHECK_NEAR(back, -static_cast<double>(mesh.view().face_count()), 1e-9);
    CHECK(border_sides(with_caps(mesh, caps).view(), run).empty());
  }
}

TEST(a_tube_with_walls_is_closed_by_rings) {
  Random random(63);
  for (int round = 0; round < 100; ++round) {
    const std::vector<Vec2> outer = star(random, 8 + random.below(30), {0, 0}, 5000, 9000);
    double area = area_of(outer);
    std::vector<std::vector<Vec2>> rings{outer};
    for (const Vec2 center : {Vec2{-1500, 0}, Vec2{1500, 0}, Vec2{0, 1500}, Vec2{0, -1500}}) {
      if (random.below(4) == 0) continue;
      std::vector<Vec2> hole = star(random, 3 + random.below(12), center, 200, 900);
      area -= area_of(hole);
      std::reverse(hole.begin(), hole.end());
      rings.push_back(std::move(hole));
    }
    const Mesh mesh = tube(rings, round % 2);
    Run run(1);
    const std::vector<BorderLoop> loops = border_loops(border_sides(mesh.view(), run));
    const Outlines outlines = outlines_of(mesh.vertices, loops, 1e-6, run);
    CHECK(outlines.planar.size() == 2 && outlines.curved.empty());
    for (const Outline& outline : outlines.planar) CHECK(outline.holes.size() == rings.size() - 1);
    const Caps caps = planar_caps(mesh.view(), 1e-6, run);
    const Mesh closed = with_caps(mesh, caps);
    CHECK(border_sides(closed.view(), run).empty());
    CHECK_NEAR(volume_of(closed), 20 * area, 1e-9 * 20 * area_of(outer));
    // Each triangle faces outward, and their areas add up to those of the ends, so no two overlap.
    double up = 0;
    for (const Triangle& t : caps.triangles) {
      const double part = area_vector(mesh, t).z;
      const bool is_top = mesh.vertices[t[0]].z - (round % 2) * mesh.vertices[t[0]].x > 10;
      CHECK(is_top ? part > 0 : part < 0);
      if (is_top) up += part;
    }
    CHECK_NEAR(up, area, 1e-9 * area);
  }
}

TEST(an_island_in_a_hole_is_an_outline_of_its_own) {
  const auto square = [](double half) {
    return std::vector<Vec2>{{-half, -half}, {half, -half}, {half, half}, {-half, half}};
  };
  std::vector<std::vector<Vec2>> rings{square(8), square(6), square(4), square(2)};
  std::reverse(rings[1].begin(), rings[1].end());
  std::reverse(rings[3].begin(), rings[3].end());
  const Mesh mesh = tube(rings, 0);
  Run run(1);
  const std::vector<BorderLoop> loops = border_loops(border_sides(mesh.view(), run));
  const Outlines outlines = outlines_of(mesh.vertices, loops, 1e-9, run);
  CHECK(outlines.planar.size() == 4);
  for (const Outline& outline : outlines.planar) CHECK(outline.holes.size() == 1);
  const Mesh closed = with_caps(mesh, planar_caps(mesh.view(), 1e-9, run));
  CHECK_NEAR(volume_of(closed), 20 * (256 - 144 + 64 - 16), 1e-9);
}

TEST(a_curved_loop_stays_open_and_is_named) {
  Mesh mesh;  // three sides of a cube around a corner, with six border vertices that are not coplanar
  mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 1, 1}, {0, 0, 1}, {1, 0, 1}};
  mesh.indices = {0, 1, 2, 3, 0, 3, 4, 5, 0, 5, 6, 1};
  mesh.offsets = {0, 4, 8, 12};
  Run run(1);
  const Caps caps = planar_caps(mesh.view(), 0.1, run);
  CHECK(caps.triangles.empty() && caps.curved.size() == 1);
  CHECK((caps.curved[0].vertices == std::vector<uint32_t>{1, 6, 5, 4, 3, 2}));
  const Caps wide = planar_caps(mesh.view(), 0.5, run);
  CHECK(wide.triangles.size() == 4 && wide.curved.empty());
  CHECK(border_sides(with_caps(mesh, wide).view(), run).empty());
}
