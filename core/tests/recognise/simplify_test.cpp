#include "recognise/simplify.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "fit/fit.hpp"
#include "mesh/triangulate.hpp"
#include "recognise/orthogonal.hpp"
#include "recognise/recognise.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::fit;
using namespace hitbox::internal::recognise;

namespace {

void add_face(Mesh& mesh, std::vector<uint32_t> corners) {
  mesh.indices.insert(mesh.indices.end(), corners.begin(), corners.end());
  mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
}

// A floor, a roof and walls around a counter-clockwise outline.
Mesh extruded(const std::vector<std::array<double, 2>>& outline, double height) {
  Mesh mesh;
  const auto n = static_cast<uint32_t>(outline.size());
  for (const double z : {0.0, height})
    for (const auto& [x, y] : outline) mesh.vertices.push_back({x, y, z});
  std::vector<uint32_t> roof(n), floor(n);
  std::iota(roof.begin(), roof.end(), n);
  for (uint32_t k = 0; k < n; ++k) floor[k] = n - 1 - k;
  add_face(mesh, floor);
  add_face(mesh, roof);
  for (uint32_t k = 0; k < n; ++k) add_face(mesh, {k, (k + 1) % n, (k + 1) % n + n, k + n});
  return mesh;
}

Mesh round_prism(int sides, double height) {
  std::vector<std::array<double, 2>> outline;
  for (int k = 0; k < sides; ++k) {
    const double angle = 2 * kPi * k / sides;
    outline.push_back({std::cos(angle), std::sin(angle)});
  }
  return extruded(outline, height);
}

Mesh turned(Mesh mesh, uint64_t seed) {
  Random random(seed);
  const auto any = [&] { return Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; };
  const Frame frame = frame_from(any(), any());
  const Vec3 shift = any();
  for (Vec3& v : mesh.vertices) v = frame.to_world(v) + shift;
  return mesh;
}

std::optional<Fitted> recognised(const Mesh& mesh, std::array<bool, kPrimitiveCount> kinds = {1, 1, 1, 1, 1, 1}) {
  Run run(1);
  return recognise(mesh.view(), face_directions(mesh.view(), run), kinds, 1e-9, run);
}

std::optional<BoxCover> cover_of(const Mesh& mesh) {
  Run run(1);
  return cover_by_boxes(mesh.view(), face_directions(mesh.view(), run), run);
}

std::vector<std::array<double, 2>> stairs(int steps) {
  std::vector<std::array<double, 2>> outline = {{0, 0}, {static_cast<double>(steps), 0}};
  for (int k = steps; k > 0; --k) {
    outline.push_back({static_cast<double>(k), static_cast<double>(steps + 1 - k)});
    outline.push_back({static_cast<double>(k - 1), static_cast<double>(steps + 1 - k)});
  }
  return outline;
}

double area_of(std::span<const Vec3> vertices, std::span<const uint32_t> face) {
  return norm(area_vector(vertices, face));
}

}  // namespace

TEST(triangles_tile_any_simple_polygon) {
  Random random(5);
  for (int round = 0; round < 300; ++round) {
    const int n = 4 + static_cast<int>(random.below(12));
    Mesh mesh;
    std::vector<uint32_t> face;
    for (int k = 0; k < n; ++k) {  // every corner is visible from the centre
      const double angle = 2 * kPi * k / n, r = random.uniform(0.2, 1);
      mesh.vertices.push_back({r * std::cos(angle), r * std::sin(angle), 0});
      face.push_back(static_cast<uint32_t>(k));
    }
    std::rotate(face.begin(), face.begin() + static_cast<ptrdiff_t>(random.below(static_cast<uint64_t>(n))),
                face.end());
    if (round % 2) std::reverse(face.begin(), face.end());
    mesh = turned(mesh, static_cast<uint64_t>(round));
    const Vec3 whole = area_vector(mesh.vertices, face);
    double sum = 0;
    int count = 0;
    for_each_triangle(mesh.vertices, face, [&](uint32_t a, uint32_t b, uint32_t c) {
      const std::vector<uint32_t> triangle = {a, b, c};
      CHECK(dot(area_vector(mesh.vertices, triangle), whole) >= 0);
      sum += area_of(mesh.vertices, triangle);
      ++count;
    });
    CHECK(count == n - 2);
    CHECK_NEAR(sum, norm(whole), 1e-12);  // no triangle is reversed, and the areas add up, so they tile the polygon
  }
}

TEST(directions_are_found_in_any_order_of_faces) {
  // Two lids of 200 sides and as many walls. The lids have half of the area, wherever they are in the order.
  Mesh drum = turned(round_prism(200, 1), 3);
  Run run(1);
  for (int turn = 0; turn < 2; ++turn) {
    const FaceDirections found = face_directions(drum.view(), run);
    CHECK(!found.main.empty());
    CHECK_NEAR(found.main[0].area, 2 * area_of(drum.vertices, drum.view().face(turn == 0 ? 0 : 200)), 1e-9);
    Mesh reordered;  // walls first
    reordered.vertices = drum.vertices;
    for (size_t f = 0; f < drum.offsets.size() - 1; ++f) {
      const auto face = drum.view().face((f + 2) % (drum.offsets.size() - 1));
      add_face(reordered, {face.begin(), face.end()});
    }
    drum = reordered;
  }
}

TEST(round_prisms_are_cylinders_from_ten_sides_on) {
  for (uint64_t seed = 0; seed < 5; ++seed)
    for (const double height : {0.1, 1.6, 2.0, 30.0}) {
      for (const int sides : {12, 13, 64, 501}) {
        const auto found = recognised(turned(round_prism(sides, height), seed));
        CHECK(found && found->kind == Kind::cylinder);
        if (found) CHECK_NEAR(found->volume, kPi * height, 1e-6 * height);
      }
      for (const int sides : {5, 6, 8}) CHECK(!recognised(turned(round_prism(sides, height), seed)));
    }
}

TEST(a_box_is_one_and_only_where_boxes_are_allowed) {
  const Mesh box = turned(extruded({{0, 0}, {2, 0}, {2, 1}, {0, 1}}, 3), 7);
  const auto found = recognised(box);
  CHECK(found && found->kind == Kind::box);
  if (found) CHECK_NEAR(found->volume, 6, 1e-9);
  CHECK(!recognised(box, {0, 1, 1, 1, 1, 0}));
  CHECK_NEAR(signed_volume(box.view()), 6, 1e-9);
}

TEST(an_open_box_is_none_and_one_with_a_split_side_is_one) {
  Mesh box = turned(extruded({{0, 0}, {1, 0}, {1, 1}, {0, 1}}, 1), 2), open;
  open.vertices = box.vertices;
  for (size_t f = 1; f < 6; ++f) {
    const auto face = box.view().face(f);
    add_face(open, {face.begin(), face.end()});
  }
  CHECK(!recognised(open));
  // The floor in two halves, with a corner on an edge of a wall that does not have it: not closed, but complete.
  Mesh split = open;
  const auto floor = box.view().face(0);
  split.vertices.push_back((box.vertices[floor[0]] + box.vertices[floor[1]]) * 0.5);
  const auto middle = static_cast<uint32_t>(split.vertices.size() - 1);
  add_face(split, {floor[0], middle, floor[3]});
  CHECK(!recognised(split));  // half of the floor is missing
  add_face(split, {middle, floor[1], floor[2], floor[3]});
  const auto found = recognised(split);
  CHECK(found && found->kind == Kind::box);
}

TEST(stairs_are_a_box_a_step_and_fragments_are_the_faces) {
  for (uint64_t seed = 0; seed < 4; ++seed)
    for (int steps = 2; steps <= 8; ++steps) {
      const Mesh mesh = turned(extruded(stairs(steps), 2), seed);
      const auto cover = cover_of(mesh);
      CHECK(cover.has_value());
      if (!cover) continue;
      CHECK(cover->boxes.size() == static_cast<size_t>(steps));
      std::vector<Vec3> vertices = mesh.vertices;
      vertices.insert(vertices.end(), cover->new_vertices.begin(), cover->new_vertices.end());
      std::vector<Vec3> area_of_face(mesh.view().face_count());
      for (const BoxFragment& fragment : cover->fragments) {
        area_of_face[fragment.face] += area_vector(vertices, fragment.corners);
        for (const uint32_t v : fragment.corners) {
          Bounds box = cover->boxes[fragment.box];
          box.grow(1e-9);
          CHECK(box.contains(cover->frame.to_local(vertices[v])));
        }
      }
      for (size_t f = 0; f < area_of_face.size(); ++f)
        CHECK(norm(area_of_face[f] - area_vector(mesh.vertices, mesh.view().face(f))) < 1e-9);
    }
}

TEST(what_is_not_orthogonal_or_not_closed_has_no_cover) {
  const auto covered = [](const Mesh& mesh) { return cover_of(mesh).has_value(); };
  CHECK(covered(turned(extruded(stairs(3), 1), 1)));
  CHECK(!covered(extruded({{0, 0}, {3, 0}, {3, 0.9}, {2.9, 1}, {1, 1}, {1, 3}, {0, 3}}, 1)));  // a bevel
  Mesh l = extruded(stairs(2), 1), open;
  open.vertices = l.vertices;
  for (size_t f = 0; f + 1 < l.view().face_count(); ++f) {
    const auto face = l.view().face(f);
    add_face(open, {face.begin(), face.end()});
  }
  CHECK(!covered(open));
}

// Two prisms on top of each other, which share eighteen corners and the lids between them.
TEST(solids_that_share_vertices_are_looked_at_one_by_one) {
  constexpr uint32_t kSides = 18;
  Mesh mesh = round_prism(kSides, 1.0);
  const Mesh narrow = round_prism(kSides, 2.0);
  for (uint32_t k = 0; k < kSides; ++k) {
    const Vec3& corner = narrow.vertices[kSides + k];
    mesh.vertices.push_back({0.8 * corner.x, 0.8 * corner.y, corner.z});
  }
  std::vector<uint32_t> lid(kSides), floor(kSides);
  for (uint32_t k = 0; k < kSides; ++k) {
    lid[k] = 2 * kSides + k;
    floor[k] = 2 * kSides - 1 - k;
    const uint32_t next = (k + 1) % kSides;
    add_face(mesh, {kSides + k, kSides + next, 2 * kSides + next, 2 * kSides + k});
  }
  add_face(mesh, lid);
  add_face(mesh, floor);
  const Mesh whole = turned(mesh, 3);
  Run run(2);
  const Simplified found = simplify(whole.view(), FitOptions{}, true, run);
  CHECK(found.parts.size() == 2 && found.cut.empty());
  CHECK(found.parts[0].shape.kind == Kind::cylinder && found.parts[1].shape.kind == Kind::frustum);
  CHECK(found.parts[0].faces.size() == kSides + 2 && found.parts[1].faces.size() == kSides + 2);
}

TEST(groups_and_welding_are_respected) {
  Run run(1);
  const Mesh box = extruded({{0, 0}, {0.5, 0}, {0.5, 0.5}, {0, 0.5}}, 0.5), l = extruded(stairs(2), 0.3);
  FitOptions options;
  CHECK(simplify(box.view(), options, true, run).parts.size() == 1);
  options.group_of_face = {0, 0, 0, 0, 0, 1};
  CHECK(simplify(box.view(), options, true, run).parts.empty());
  options = {};
  const Simplified whole = simplify(l.view(), options, true, run);
  CHECK(whole.parts.size() == 2);
  CHECK(!whole.cut.empty());
  CHECK(std::is_sorted(whole.cut.source.begin(), whole.cut.source.end()));
  CHECK(simplify(l.view(), options, false, run).parts.empty());
}

TEST(fit_leaves_simple_parts_as_they_are) {
  Run run(1);
  const auto counted = [&](const Mesh& mesh, uint32_t count, FitOptions options) {
    const FitInput input(mesh.view(), mesh.view(), std::move(options), run);
    const FitResult result = fit(input, count, run);
    for (const uint32_t face : result.faces) CHECK(face < mesh.view().face_count());
    double sum = 0;
    for (const Shape& shape : result.shapes) sum += volume(shape);
    return std::pair(result.shapes.size(), sum);
  };
  for (const Cost cost : {Cost::deviation, Cost::grown}) {
    FitOptions options;
    options.cost = cost;
    const Mesh steps = turned(extruded(stairs(4), 2), 5);
    for (const uint32_t count : {4u, 5u, 64u}) {
      const auto [shapes, sum] = counted(steps, count, options);
      CHECK(shapes == 4);
      CHECK_NEAR(sum, 20, 1e-8);
    }
    CHECK(counted(steps, 2, options).first == 2);
    for (const uint32_t count : {1u, 64u}) {
      const auto [shapes, sum] = counted(turned(round_prism(32, 2), 6), count, options);
      CHECK(shapes == 1);
      CHECK_NEAR(sum, 2 * kPi, 1e-6);
    }
  }
}
