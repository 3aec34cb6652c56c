// Pieces between planes: nothing is lost, and the hulls of the pieces contain the solid.
#include "parts/piece.hpp"

#include <algorithm>
#include <set>

#include "carve/input.hpp"
#include "tests/check.hpp"
#include "tests/meshes.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::parts;
using namespace hitbox::internal::carve;

namespace {

struct Prepared {
  Mesh mesh;
  Run run{1};
  TriangleBvh surface;
  Input input;

  explicit Prepared(Mesh given)
      : mesh(std::move(given)), surface(mesh.view(), run), input(carve_input(mesh.view(), surface, 1e-4, run)) {}
};

double area_of(const Piece& piece) {
  double twice = 0;
  for (size_t k = 0; k < piece.polygon_count(); ++k) {
    std::vector<Vec3> corners;
    for (const uint32_t c : piece.polygon(k)) corners.push_back(piece.points[c]);
    twice += norm(internal::clip::double_area(corners));
  }
  return twice / 2;
}

std::vector<Piece> cut_at_random(const Prepared& p, Random& random, int cuts, double away) {
  std::vector<Piece> pieces{whole(p.input)};
  const Vec3 middle = bounds_of(p.mesh.vertices).center();
  for (int k = 0; k < cuts; ++k) {
    const Vec3 normal = tests::random_direction(random);
    const HalfSpace plane{normal, dot(normal, middle) + random.uniform(-away, away)};
    std::vector<Piece> next;
    for (const Piece& piece : pieces)
      for (Piece& half : cut(piece, plane, p.input))
        if (half.polygon_count() > 0) next.push_back(std::move(half));
    pieces = std::move(next);
  }
  return pieces;
}

double edge_length(std::span<const Piece> pieces) {
  double sum = 0;
  for (const Piece& piece : pieces)
    for (const ConcaveEdge& edge : piece.concave_edges) sum += norm(edge.to - edge.from);
  return sum;
}

}  // namespace

TEST(carve_input_knows_solids_components_and_concave_edges) {
  const Prepared window(tests::window()), angle(tests::angle_mesh(1, 0.3, 0.2)), tray(tests::tray(1, 0.4));
  CHECK(window.input.is_solid && window.input.concave_edges.size() == 4 && window.input.component_count == 1);
  CHECK(angle.input.is_solid && angle.input.concave_edges.size() == 1);
  const ConcaveEdge& edge = angle.input.concave_edges[0];
  CHECK_NEAR(norm(edge.to - edge.from), 0.2, 1e-12);
  CHECK(std::abs(edge.from.x - 0.3) < 1e-12 && std::abs(edge.from.y - 0.3) < 1e-12);
  CHECK(!tray.input.is_solid && tray.input.flat_side_count == 5 && tray.input.concave_edges.size() > 0);

  Mesh two = tests::box_mesh({{0, 0, 0}, {0.4, 1, 1}});
  tests::add_box(two, {{0.5, 0, 0}, {1, 1, 1}});
  const Prepared both(two);
  CHECK(both.input.component_count == 2 && both.input.comes_apart() && both.input.concave_edges.empty());
  CHECK(both.input.contains({0.2, 0.5, 0.5}, -1) && !both.input.contains({0.45, 0.5, 0.5}, -1));
  const int first = static_cast<int>(both.input.component_of[0]);
  CHECK(both.input.contains({0.2, 0.5, 0.5}, first) && !both.input.contains({0.2, 0.5, 0.5}, 1 - first));
  CHECK(!both.input.contains({0.4, 0.5, 0.5}, -1));  // on the surface
  for (size_t t = 0; t < both.input.triangles.size(); ++t) CHECK(both.input.face_of[t] == t / 2);
}

TEST(carve_cuts_keep_the_surface_and_stay_on_their_side) {
  Random random(1);
  const std::array meshes = {tests::window(), tests::torus(14, 0.35, 0.14), tests::tray(1, 0.5)};
  for (const Mesh& mesh : meshes) {
    const Prepared p(mesh);
    const Piece all = whole(p.input);
    for (int k = 0; k < 12; ++k) {
      const Vec3 normal = k % 3 == 0 ? Vec3{1, 0, 0} : tests::random_direction(random);
      const double offset = dot(normal, bounds_of(mesh.vertices).center()) + random.uniform(-0.3, 0.3);
      const auto halves = cut(all, {normal, offset}, p.input);
      CHECK_NEAR(area_of(halves[0]) + area_of(halves[1]), area_of(all), 1e-9);
      for (size_t half = 0; half < 2; ++half) {
        for (const Vec3& v : halves[half].all_points())
          CHECK((half == 0 ? 1 : -1) * (dot(normal, v) - offset) <= kOnPlane + 1e-12);
        for (const uint32_t t : halves[half].triangles) CHECK(t < p.input.triangles.size());
      }
    }
    // This also holds after several cuts. A polygon lies in the plane of its triangle.
    const std::vector<Piece> pieces = cut_at_random(p, random, 5, 0.2);
    double area = 0;
    for (const Piece& piece : pieces) {
      area += area_of(piece);
      for (size_t n = 0; n < piece.polygon_count(); ++n)
        for (const uint32_t c : piece.polygon(n)) CHECK(p.surface.closest(piece.points[c]).distance_sq < 1e-18);
    }
    CHECK_NEAR(area, area_of(all), 1e-9);
    // Concave edges are cut too, and none is repeated. An edge in a plane is used up.
    CHECK(edge_length(pieces) <= edge_length({&all, 1}) + 1e-9);
    CHECK(edge_length(pieces) > 0.8 * edge_length({&all, 1}));
  }
}

// The hulls of the pieces contain every point of the solid: corners of cells replace a cap.
TEST(carve_pieces_of_a_solid_hold_its_inside) {
  Random random(2);
  for (const Mesh& mesh : {tests::window(), tests::angle_mesh(1, 0.4, 0.5), tests::torus(14, 0.35, 0.14)}) {
    const Prepared p(mesh);
    const Bounds box = bounds_of(mesh.vertices);
    for (int k = 0; k < 6; ++k) {
      const std::vector<Piece> pieces = cut_at_random(p, random, 4, 0.15);
      std::vector<PartHull> hulls;
      for (const Piece& piece : pieces) {
        hulls.push_back(part_hull(piece.all_points(), 0));
        for (const Vec3& corner : piece.inside) CHECK(p.input.contains(corner, -1));
      }
      int inside = 0;
      for (int s = 0; s < 300; ++s) {
        const double x = random.uniform(), y = random.uniform();
        const Vec3 size = box.size(), at = box.low + Vec3{size.x * x, size.y * y, size.z * random.uniform()};
        if (!p.input.contains(at, -1)) continue;
        ++inside;
        CHECK(std::any_of(hulls.begin(), hulls.end(), [&](const PartHull& hull) { return hull.above(at) <= 1e-9; }));
      }
      CHECK(inside > 20);
    }
  }
}

TEST(carve_pieces_come_apart_by_component_and_by_side) {
  Mesh two = tests::box_mesh({{0, 0, 0}, {0.4, 1, 1}});
  tests::add_box(two, {{0.5, 0, 0}, {1, 1, 1}});
  const Prepared p(two);
  Random random(3);
  for (const Piece& piece : cut_at_random(p, random, 2, 0.2)) {
    std::multiset<uint32_t> before(piece.triangles.begin(), piece.triangles.end()), after;
    for (const Piece& part : by_component(piece, p.input)) {
      CHECK(part.component >= 0 && part.polygon_count() > 0);
      for (const uint32_t t : part.triangles) {
        CHECK(static_cast<int>(p.input.component_of[t]) == part.component);
        after.insert(t);
      }
      for (const Vec3& corner : part.inside) CHECK(p.input.contains(corner, part.component));
    }
    CHECK(before == after);
  }
  const Prepared tray(tests::tray(1, 0.4));
  const std::vector<Piece> sides = by_flat_side(tray.input);
  CHECK(sides.size() == 5);
  for (const Piece& side : sides) CHECK(part_hull(side.all_points(), 0).volume < 1e-12);
}
