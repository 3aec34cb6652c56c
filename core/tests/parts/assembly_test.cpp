// Cutting, merging and dissolving: no atom is lost, no hull enters a sphere, and every hull contains its atoms.
#include "parts/assembly.hpp"

#include <algorithm>

#include "carve/input.hpp"
#include "carve/search.hpp"
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

// Balls that do not touch the mesh but lie in its hull.
std::vector<Sphere> free_spheres(const Prepared& p, Random& random, size_t count, double least) {
  std::vector<Sphere> spheres;
  const Bounds box = bounds_of(p.mesh.vertices);
  for (int tries = 0; tries < 20000 && spheres.size() < count; ++tries) {
    const double x = random.uniform(), y = random.uniform();
    const Vec3 size = box.size(), at = box.low + Vec3{size.x * x, size.y * y, size.z * random.uniform()};
    const double room = 0.8 * std::sqrt(p.surface.closest(at).distance_sq);
    if (room >= least && !p.input.contains(at, -1)) spheres.push_back({at, room});
  }
  return spheres;
}

bool enters(const PartHull& hull, std::span<const Sphere> spheres) {
  return std::any_of(spheres.begin(), spheres.end(),
                     [&](const Sphere& s) { return hull.distance(s.center) < s.radius - 2e-9; });
}

// Every atom is in one part, whose hull contains it. No hull enters a sphere.
void check_parts(const Decomposition& found, std::span<const Sphere> spheres) {
  std::vector<int> uses(found.atoms.size());
  for (const Part& part : found.parts) {
    CHECK(!part.atoms.empty() && !enters(part.hull, spheres));
    double volume = 0;
    for (const uint32_t a : part.atoms) {
      ++uses[a];
      volume += found.atoms[a].volume;
      for (const Vec3& v : found.atoms[a].points) CHECK(part.hull.above(v) <= 2e-9);
    }
    CHECK_NEAR(part.atom_volume, volume, 1e-9);
  }
  // A halved or replaced atom has no points any more.
  for (size_t a = 0; a < uses.size(); ++a) CHECK(uses[a] <= 1);
}

// The whole surface lies in the hulls.
void check_surface(const Prepared& p, const Decomposition& found, Random& random) {
  for (int k = 0; k < 400; ++k) {
    const Triangle& t = p.input.triangles[random.below(p.input.triangles.size())];
    double u = random.uniform(), v = random.uniform();
    if (u + v > 1) u = 1 - u, v = 1 - v;
    const auto& at = p.input.vertices;
    const Vec3 point = at[t[0]] + (at[t[1]] - at[t[0]]) * u + (at[t[2]] - at[t[0]]) * v;
    CHECK(std::any_of(found.parts.begin(), found.parts.end(),
                      [&](const Part& part) { return part.hull.above(point) <= 2e-9; }));
  }
}

SearchOptions search_options() {
  SearchOptions options;
  options.cut.least_extent = 0.01;
  options.assembly.link = 0.05;
  options.assembly.thickness = 1e-4;
  options.assembly.most_outside = 0.01;
  return options;
}

}  // namespace

TEST(carve_cut_until_clear_leaves_no_piece_that_enters) {
  Random random(1);
  for (const Mesh& mesh : {tests::window(), tests::torus(12, 0.35, 0.14)}) {
    const Prepared p(mesh);
    const std::vector<Sphere> spheres = free_spheres(p, random, 40, 0.03);
    CHECK(spheres.size() > 10);
    std::vector<Cutting> start;
    start.push_back(cutting_of(whole(p.input), spheres, p.input));
    CHECK(!start[0].is_done());
    CutSettings settings;
    settings.least_extent = 0.01;
    Run run(2);
    const std::vector<Cutting> done = cut_until_clear(std::move(start), p.input, settings, run);
    CHECK(done.size() >= 3);
    for (const Cutting& cutting : done) {
      CHECK(cutting.is_done() && cutting.piece.polygon_count() > 0);
      CHECK(!enters(cutting.hull, spheres));
    }
  }
}

TEST(carve_scores_are_the_volumes_of_the_two_hulls) {
  Random random(2);
  const Prepared p(tests::angle_mesh(1, 0.4, 0.3));
  const Piece piece = whole(p.input);
  const PartHull hull = part_hull(piece.all_points(), 0);
  const CutScorer scorer(piece, hull, p.input);
  const CutSettings settings;
  double best = Bounds::kInfinity;
  for (const CutCandidate& candidate : cut_candidates(piece, hull, p.input, settings)) {
    const double score = scorer.score(candidate, settings, {}, 0);
    CHECK(candidate.plane.has_value());
    const auto halves = cut(piece, *candidate.plane, p.input);
    if (halves[0].polygon_count() == 0 || halves[1].polygon_count() == 0) continue;
    const double expected = hull_volume(halves[0].all_points()) + hull_volume(halves[1].all_points());
    // Points in the plane count for both sides, though a face there goes to one of them.
    const bool has_face_in_plane = std::abs(candidate.plane->offset - 0.4) < 1e-9;
    CHECK(score == Bounds::kInfinity || score > expected - 1e-3);
    if (!has_face_in_plane) CHECK_NEAR(score, expected, 1e-3);
    best = std::min(best, score);
  }
  // A cut along the only concave edge gives two boxes without any waste.
  CHECK_NEAR(best, 0.3 * (1 * 0.4 + 0.6 * 0.4), 1e-3);
  // A plane that cuts nothing off is not a cut.
  CHECK(scorer.score({HalfSpace{{0, 0, 1}, 0.3}, 1}, settings, {}, 0) == Bounds::kInfinity);
}

TEST(carve_assemblies_keep_their_promises) {
  Random random(3);
  for (const Mesh& mesh : {tests::window(), tests::angle_mesh(1, 0.3, 0.4), tests::torus(12, 0.35, 0.14)}) {
    const Prepared p(mesh);
    const std::vector<Sphere> spheres = free_spheres(p, random, 60, 0.03);
    for (const uint32_t most_vertices : {0u, 12u}) {
      SearchOptions options = search_options();
      options.assembly.most_vertices = most_vertices;
      Run run(2);
      const Decomposition found = decompose(p.input, spheres, options, run);
      check_parts(found, spheres);
      check_surface(p, found, random);
      CHECK(found.parts.size() > 1 && found.parts.size() < 120);
      if (most_vertices != 0)
        for (const Part& part : found.parts) CHECK(part.hull.mesh.vertices.size() <= most_vertices);
    }
  }
}

TEST(carve_search_finds_no_more_parts_and_is_repeatable) {
  Random random(4);
  const Prepared p(tests::torus(12, 0.35, 0.14));
  const std::vector<Sphere> spheres = free_spheres(p, random, 50, 0.04);
  SearchOptions options = search_options();
  Run one(1), three(3);
  const Decomposition plain = decompose(p.input, spheres, options, one);
  options.effort = 1;
  const Decomposition found = decompose(p.input, spheres, options, one);
  const Decomposition again = decompose(p.input, spheres, options, three);
  CHECK(found.parts.size() <= plain.parts.size());
  check_parts(found, spheres);
  check_surface(p, found, random);
  CHECK(again.parts.size() == found.parts.size());
  for (size_t k = 0; k < std::min(again.parts.size(), found.parts.size()); ++k)
    CHECK(again.parts[k].hull.mesh.vertices == found.parts[k].hull.mesh.vertices);
}

TEST(carve_redone_keeps_out_of_new_spheres) {
  Random random(5);
  const Prepared p(tests::window());
  const std::vector<Sphere> few = {{{0.5, 0.5, 0.05}, 0.15}};
  const SearchOptions options = search_options();
  Run run(1);
  Decomposition found = decompose(p.input, few, options, run);
  check_parts(found, few);
  const std::vector<Sphere> more = [&] {
    std::vector<Sphere> spheres = few;
    for (const double x : {0.35, 0.65})
      for (const double y : {0.35, 0.65}) spheres.push_back({{x, y, 0.05}, 0.04});
    return spheres;
  }();
  std::vector<uint8_t> is_bad(found.parts.size());
  for (size_t k = 0; k < is_bad.size(); ++k) is_bad[k] = enters(found.parts[k].hull, more);
  const Decomposition after = redone(std::move(found), is_bad, p.input, more, options, run);
  check_parts(after, more);
  check_surface(p, after, random);
}

// Merges down to a count even beyond the tolerance. A part inside another one joins it.
TEST(carve_merges_go_down_to_a_count) {
  Random random(6);
  std::vector<Atom> atoms;
  for (int k = 0; k < 14; ++k) {
    Atom atom;
    for (const Vec3& v : part_hull(tests::random_hull(random).vertices, 0).mesh.vertices)
      atom.points.push_back(v * 0.2 + Vec3{0.15 * k, 0, 0});
    atom.volume = hull_volume(atom.points);
    atoms.push_back(std::move(atom));
  }
  const SphereBins none({});
  for (const size_t count : {1, 3, 9}) {
    AssemblyOptions options;
    options.link = Bounds::kInfinity;
    Run run(1);
    Assembly assembly(atoms, none, options, nullptr);
    assembly.merge(count, run);
    const Decomposition found = assembly.take();
    CHECK(found.parts.size() <= count && !found.parts.empty());
    check_parts(found, {});
    size_t held = 0;
    for (const Part& part : found.parts) held += part.atoms.size();
    CHECK(held == atoms.size());
  }
  // A hull of few vertices is larger than its points: what lies in it alone is not lost when it grows on.
  std::vector<Atom> with_crumbs = atoms;
  for (int k = 0; k < 60; ++k) {
    Atom crumb;
    const Vec3 at{random.uniform(-0.3, 2.2), random.uniform(-0.35, 0.35), random.uniform(-0.35, 0.35)};
    for (const Vec3& v : {Vec3{0, 0, 0}, Vec3{1, 0, 0}, Vec3{0, 1, 0}, Vec3{0, 0, 1}})
      crumb.points.push_back(at + v * 1e-3);
    crumb.volume = hull_volume(crumb.points);
    with_crumbs.push_back(std::move(crumb));
  }
  for (const size_t count : {1, 6}) {
    AssemblyOptions options;
    options.link = Bounds::kInfinity;
    options.most_vertices = 8;
    options.most_outside = Bounds::kInfinity;
    Run run(1);
    Assembly assembly(with_crumbs, none, options, nullptr);
    assembly.merge(count, run);
    const Decomposition found = assembly.take();
    CHECK(found.parts.size() <= count);
    check_parts(found, {});
  }
  // Parts that are too far apart are not neighbours.
  AssemblyOptions near;
  near.link = 0;
  Run run(1);
  std::vector<Atom> apart;
  for (size_t k = 0; k < 3; ++k) {
    apart.push_back(atoms[0]);
    for (Vec3& v : apart.back().points) v.y += 5.0 * static_cast<double>(k);
  }
  Assembly assembly(apart, none, near, nullptr);
  assembly.merge(1, run);
  CHECK(assembly.take().parts.size() == 3);
}
