#include "mesh/edge_fan.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "base/random.hpp"
#include "mesh/components.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::mesh;

namespace {

using Whole = std::array<int64_t, 3>;

Whole minus(const Whole& a, const Whole& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
int64_t times(const Whole& a, const Whole& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Whole across(const Whole& a, const Whole& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Whole whole(const Vec3& p) { return {static_cast<int64_t>(p.x), static_cast<int64_t>(p.y), static_cast<int64_t>(p.z)}; }

// The position of a point around a line, in whole numbers: its projection to an orthogonal frame across the line.
struct Direction {
  int64_t x, y;
  int half() const { return y > 0 || (y == 0 && x > 0) ? 0 : 1; }
};
Direction direction(const Whole& low, const Whole& high, const Whole& reference, const Whole& p) {
  const Whole edge = minus(high, low), v = across(edge, minus(reference, low));  // right-handed: the turn of reference
  const Whole u = across(v, edge), to = minus(p, low);
  // The lengths of u and v differ by the factor |edge|, which stretches one axis and keeps the order of angles.
  return {times(to, u), times(to, v)};
}
// Whether a comes before b, counter-clockwise from the reference.
int order(const Direction& a, const Direction& b) {
  if (a.half() != b.half()) return a.half() < b.half() ? -1 : 1;
  const __int128 turn = static_cast<__int128>(a.x) * b.y - static_cast<__int128>(a.y) * b.x;
  return turn > 0 ? -1 : turn < 0 ? 1 : 0;
}

struct Fan {
  Mesh mesh;
  std::vector<HalfEdge> uses;
};

// Triangles around the edge 0 - 1 of whole coordinates; many are ties, some are flat.
Fan random_fan(Random& random, size_t faces, double reach) {
  Fan fan;
  const auto point = [&] {
    const auto number = [&] { return std::floor(random.uniform(-reach, reach + 1)); };
    return Vec3{number(), number(), number()};
  };
  fan.mesh.vertices = {point(), point()};
  while (fan.mesh.vertices[0] == fan.mesh.vertices[1]) fan.mesh.vertices[1] = point();
  for (uint32_t f = 0; f < faces; ++f) {
    const bool up = random.below(2) == 0;
    const uint32_t apex = f + 2;
    fan.mesh.vertices.push_back(point());
    for (const uint32_t v : {up ? 0u : 1u, up ? 1u : 0u, apex}) fan.mesh.indices.push_back(v);
    fan.mesh.offsets.push_back(3 * (f + 1));
    fan.uses.push_back({0, 1, 2 * f + (up ? 1 : 0)});
  }
  return fan;
}

bool is_on_line(const Fan& fan, uint32_t v) {
  const Whole low = whole(fan.mesh.vertices[0]), high = whole(fan.mesh.vertices[1]);
  return across(minus(high, low), minus(whole(fan.mesh.vertices[v]), low)) == Whole{0, 0, 0};
}

}  // namespace

TEST(faces_are_sorted_around_an_edge_as_whole_numbers_say) {
  Random random(21);
  for (int round = 0; round < 2000; ++round) {
    const Fan fan = random_fan(random, 1 + random.below(9), round % 2 == 0 ? 2 : 1000);
    const EdgeFan found = edge_fan(fan.mesh.view(), fan.uses);
    for (const uint32_t use : found.flat) CHECK(is_on_line(fan, use + 2));
    CHECK(found.flat.size() + found.blades.size() == fan.uses.size());
    if (found.blades.empty()) continue;
    const Whole low = whole(fan.mesh.vertices[0]), high = whole(fan.mesh.vertices[1]);
    const auto point = [&](size_t k) { return whole(fan.mesh.vertices[found.blades[k].apex]); };
    const auto at = [&](size_t k) { return direction(low, high, point(0), point(k)); };
    std::set<uint32_t> numbers{found.blades[0].half_plane};
    for (size_t k = 1; k < found.blades.size(); ++k) {
      CHECK(found.blades[k].apex == found.blades[k].use + 2);
      const int turn = order(at(k - 1), at(k));
      const bool is_tie = found.blades[k].half_plane == found.blades[k - 1].half_plane;
      CHECK(turn == (is_tie ? 0 : -1));
      if (is_tie) CHECK(found.blades[k].use > found.blades[k - 1].use);
      numbers.insert(found.blades[k].half_plane);
    }
    CHECK(numbers.size() == found.half_planes && *numbers.begin() == 0 && *numbers.rbegin() + 1 == found.half_planes);
  }
}

TEST(the_order_around_an_edge_does_not_depend_on_the_order_of_faces) {
  Random random(22);
  for (int round = 0; round < 300; ++round) {
    const Fan fan = random_fan(random, 6, 1e9);  // no ties
    const EdgeFan found = edge_fan(fan.mesh.view(), fan.uses);
    std::vector<HalfEdge> reversed(fan.uses.rbegin(), fan.uses.rend());
    const EdgeFan other = edge_fan(fan.mesh.view(), reversed);
    CHECK(found.blades.size() == other.blades.size());
    for (size_t k = 0; k < found.blades.size(); ++k) CHECK(found.blades[k].apex == other.blades[k].apex);
  }
}

TEST(faces_far_from_the_origin_are_told_apart_where_angles_are_not) {
  Fan fan;
  const double tiny = 0x1p-50;
  fan.mesh.vertices = {{0, 0, 0}, {0, 0, 1}, {1, 1, 0}, {1, 1 + tiny, 5}, {1, 1 - tiny, -7}, {2, 2, 3}};
  fan.mesh.indices = {0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 1, 5};
  fan.mesh.offsets = {0, 3, 6, 9, 12};
  for (uint32_t f = 0; f < 4; ++f) fan.uses.push_back({0, 1, 2 * f + 1});
  const EdgeFan exact = edge_fan(fan.mesh.view(), fan.uses);
  std::vector<uint32_t> apexes, half_planes;
  for (const auto& blade : exact.blades) {
    apexes.push_back(blade.apex);
    half_planes.push_back(blade.half_plane);
  }
  CHECK((apexes == std::vector<uint32_t>{4, 2, 5, 3}));
  CHECK((half_planes == std::vector<uint32_t>{0, 1, 1, 2}));
  CHECK(edge_fan(fan.mesh.view(), fan.uses, 1e-3).half_planes == 1);
}

TEST(a_polygon_leaves_its_edge_where_its_inside_is) {
  // An L whose edge 0 - 1 is in the notch, so that its farthest corner is on the other side of the edge's line.
  Fan fan;
  fan.mesh.vertices = {{2, 1, 0}, {1, 1, 0}, {1, 9, 0}, {0, 9, 0}, {0, 0, 0}, {2, 0, 0}, {1, 1, 5}};
  fan.mesh.indices = {0, 1, 2, 3, 4, 5, 1, 0, 6};
  fan.mesh.offsets = {0, 6, 9};
  fan.uses = {{0, 1, 1}, {0, 1, 2}};
  const EdgeFan found = edge_fan(fan.mesh.view(), fan.uses);
  for (const auto& blade : found.blades)
    if (blade.use == 0) CHECK(blade.apex == 4 || blade.apex == 5);
  CHECK(found.blades.size() == 2);
}

namespace {

// Boxes that fill some of the four quarters around the z axis, from the bit mask; sheared, with faces in any order.
struct Quarters {
  Mesh mesh;
  std::vector<uint32_t> quarter_of_face;
  std::vector<HalfEdge> uses;  // of the common edge
};

Quarters quarters(unsigned mask, Random& random) {
  Quarters result;
  for (int x = -1; x <= 1; ++x)
    for (int y = -1; y <= 1; ++y)
      for (int z = 0; z <= 1; ++z) result.mesh.vertices.push_back({x + 3.0 * z, 2.0 * x + y + z, 5.0 * z + x});
  const auto vertex = [](int x, int y, int z) { return static_cast<uint32_t>(((x + 1) * 3 + (y + 1)) * 2 + z); };
  std::vector<std::pair<uint32_t, std::vector<uint32_t>>> faces;
  const int corner[4][2] = {{0, 0}, {-1, 0}, {-1, -1}, {0, -1}};
  for (uint32_t q = 0; q < 4; ++q) {
    if ((mask >> q & 1) == 0) continue;
    const int x = corner[q][0], y = corner[q][1];
    const int around[4][2] = {{x, y}, {x + 1, y}, {x + 1, y + 1}, {x, y + 1}};
    std::vector<uint32_t> low, high;
    for (int k = 0; k < 4; ++k) {
      const auto &a = around[k], &b = around[(k + 1) % 4];
      faces.push_back(
          {q, {vertex(a[0], a[1], 0), vertex(b[0], b[1], 0), vertex(b[0], b[1], 1), vertex(a[0], a[1], 1)}});
      high.push_back(vertex(a[0], a[1], 1));
      low.insert(low.begin(), vertex(a[0], a[1], 0));
    }
    faces.push_back({q, low});
    faces.push_back({q, high});
  }
  for (size_t k = faces.size(); k > 1; --k) std::swap(faces[k - 1], faces[random.below(k)]);
  for (const auto& [quarter, face] : faces) {
    result.quarter_of_face.push_back(quarter);
    result.mesh.indices.insert(result.mesh.indices.end(), face.begin(), face.end());
    result.mesh.offsets.push_back(static_cast<uint32_t>(result.mesh.indices.size()));
  }
  Run run(1);
  for (const HalfEdge& use : sorted_half_edges(result.mesh.view(), run))
    if (use.low == vertex(0, 0, 0) && use.high == vertex(0, 0, 1)) result.uses.push_back(use);
  return result;
}

}  // namespace

TEST(faces_around_an_edge_are_paired_by_the_wedge_between_them) {
  Random random(23);
  for (unsigned mask = 1; mask < 16; ++mask) {
    for (int round = 0; round < 10; ++round) {
      const Quarters boxes = quarters(mask, random);
      const EdgeFan fan = edge_fan(boxes.mesh.view(), boxes.uses);
      const auto quarter = [&](uint32_t use) { return boxes.quarter_of_face[boxes.uses[use].face()]; };
      // The back pairs the two faces of each box.
      const PairedUses back = paired_uses(fan, boxes.uses, Side::back);
      CHECK(2 * back.pairs.size() == boxes.uses.size() && back.single.empty());
      for (const auto& [a, b] : back.pairs) CHECK(quarter(a) == quarter(b));
      // The front pairs the faces at both ends of each run of empty quarters.
      const PairedUses front = paired_uses(fan, boxes.uses, Side::front);
      std::set<std::pair<uint32_t, uint32_t>> expected, found;
      for (uint32_t q = 0; q < 4; ++q) {
        if (mask == 15) expected.insert({q, (q + 2) % 4});  // four boxes around the edge have the faces of four sheets
        if ((mask >> q & 1) == 0 || (mask >> (q + 1) % 4 & 1) != 0) continue;
        uint32_t end = q + 1;
        while ((mask >> end % 4 & 1) == 0) ++end;
        expected.insert({q, end % 4});
      }
      for (const auto& [a, b] : front.pairs) found.insert({quarter(a), quarter(b)});
      CHECK(found == expected && front.pairs.size() == expected.size());
      CHECK(front.single.size() + 2 * front.pairs.size() == boxes.uses.size());
    }
  }
}

TEST(boxes_that_touch_at_an_edge_are_solids_of_their_own) {
  Random random(24);
  for (unsigned mask = 1; mask < 16; ++mask) {
    const Quarters boxes = quarters(mask, random);
    Run run(1);
    const Components solids = solids_of(boxes.mesh.view(), run);
    size_t count = 0;
    for (uint32_t q = 0; q < 4; ++q) count += mask >> q & 1;
    // Boxes that share a whole face have edges of two boxes each, which are sorted as well.
    CHECK(solids.count == count);
    for (size_t a = 0; a < solids.of_face.size(); ++a)
      for (size_t b = 0; b < a; ++b)
        CHECK((solids.of_face[a] == solids.of_face[b]) == (boxes.quarter_of_face[a] == boxes.quarter_of_face[b]));
  }
}

TEST(a_sheet_of_two_sides_is_paired_around_its_rim) {
  Fan fan;
  fan.mesh.vertices = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  fan.mesh.indices = {0, 1, 2, 1, 0, 2};
  fan.mesh.offsets = {0, 3, 6};
  fan.uses = {{0, 1, 1}, {0, 1, 2}};
  const EdgeFan found = edge_fan(fan.mesh.view(), fan.uses);
  CHECK(found.half_planes == 1);
  CHECK((paired_uses(found, fan.uses, Side::front).pairs == std::vector<std::pair<uint32_t, uint32_t>>{{0, 1}}));
}
