#include <nanobind/stl/tuple.h>

#include "bindings.hpp"
#include "bvh/pairs.hpp"
#include "geometry/convex_hull.hpp"
#include "geometry/min_ball.hpp"
#include "geometry/predicates.hpp"
#include "geometry/triangle_pair.hpp"

namespace hitbox::bindings {

using namespace internal::geometry;
using namespace internal::bvh;
namespace {

using Points2 = nb::ndarray<const double, nb::numpy, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;
static_assert(sizeof(Vec2) == 2 * sizeof(double));
std::span<const Vec2> view(const Points2& points) {
  return {reinterpret_cast<const Vec2*>(points.data()), points.shape(0)};
}

auto convex_hull_of(const Points& points) {
  const std::span<const Vec3> input = bindings::view(points);
  ConvexHull hull = value_or_raise([&] {
    nb::gil_scoped_release quiet;
    return convex_hull(input);
  }());
  return std::tuple(rows_to_numpy<Vec3>(std::move(hull.mesh.vertices)),
                    rows_to_numpy<Triangle, uint32_t>(std::move(hull.mesh.triangles)),
                    to_numpy(std::move(hull.indices)), hull.dimension);
}

auto convex_hull_2d_of(const Points2& points) { return to_numpy(convex_hull_2d(view(points))); }

auto orient2d_of(const Points2& a, const Points2& b, const Points2& c) {
  if (b.shape(0) != a.shape(0) || c.shape(0) != a.shape(0))
    throw nb::value_error("orient2d: the three arrays must have the same length.");
  std::vector<int32_t> sides(a.shape(0));
  for (size_t k = 0; k < sides.size(); ++k) sides[k] = orient2d(view(a)[k], view(b)[k], view(c)[k]);
  return to_numpy(std::move(sides));
}

auto orient3d_of(const Points& a, const Points& b, const Points& c, const Points& d) {
  if (b.shape(0) != a.shape(0) || c.shape(0) != a.shape(0) || d.shape(0) != a.shape(0))
    throw nb::value_error("orient3d: the four arrays must have the same length.");
  std::vector<int32_t> sides(a.shape(0));
  for (size_t k = 0; k < sides.size(); ++k)
    sides[k] = orient3d(bindings::view(a)[k], bindings::view(b)[k], bindings::view(c)[k], bindings::view(d)[k]);
  return to_numpy(std::move(sides));
}

auto min_ball_of(const Points& points) {
  if (points.shape(0) == 0) throw nb::value_error("min_ball: there are no points.");
  const Ball ball = min_ball(bindings::view(points));
  return std::pair(std::array{ball.center.x, ball.center.y, ball.center.z}, ball.radius);
}

auto min_circle_of(const Points2& points) {
  if (points.shape(0) == 0) throw nb::value_error("min_circle: there are no points.");
  const Circle circle = min_circle(view(points));
  return std::pair(std::array{circle.center.x, circle.center.y}, circle.radius);
}

// Triangles are passed as rows of corners, three rows each.
void check_corners(const char* who, const Points& corners) {
  if (corners.shape(0) % 3 != 0)
    throw nb::value_error((std::string(who) + ": the number of corners must be a multiple of 3.").c_str());
}

auto triangle_relations_of(const Points& a, const Points& b) {
  check_corners("triangle_relations", a);
  if (b.shape(0) != a.shape(0)) throw nb::value_error("triangle_relations: both arrays must have the same length.");
  std::vector<int32_t> relations(a.shape(0) / 3);
  const std::span<const Vec3> p = bindings::view(a), q = bindings::view(b);
  for (size_t k = 0; k < relations.size(); ++k)
    relations[k] = static_cast<int32_t>(
        internal::geometry::relation({p[3 * k], p[3 * k + 1], p[3 * k + 2]}, {q[3 * k], q[3 * k + 1], q[3 * k + 2]}));
  return to_numpy(std::move(relations));
}

bool surfaces_meet_of(const Points& a, const Points& b) {
  check_corners("surfaces_meet", a);
  check_corners("surfaces_meet", b);
  const std::span<const Vec3> p = bindings::view(a), q = bindings::view(b);
  nb::gil_scoped_release quiet;
  Run alone(1);
  return internal::bvh::do_meet(p, q, alone);
}

auto self_crossings_of(const Points& vertices, const Triangles& triangles, bool touching, size_t most, PyRun& run) {
  const std::span<const Vec3> p = bindings::view(vertices);
  const std::span t(reinterpret_cast<const Triangle*>(triangles.data()), triangles.shape(0));
  for (const Triangle& one : t)
    for (const uint32_t v : one)
      if (v >= p.size()) throw nb::value_error("self_crossings: a triangle has a corner that is not a vertex.");
  struct Row {
    uint32_t first, second, relation;
  };
  std::vector<Row> rows;
  run([&](Run& r) {
    for (const auto& [first, second, relation] : internal::bvh::self_crossings(TriangleBvh(p, t, r), touching, most))
      rows.push_back({first, second, static_cast<uint32_t>(relation)});
  });
  return rows_to_numpy<Row, uint32_t>(std::move(rows));
}

}  // namespace

void bind_geometry(nb::module_& m) {
  m.def("convex_hull", convex_hull_of, "points"_a,
        "(vertices, triangles, indices, dimension) of the exact convex hull.");
  m.def("convex_hull_2d", convex_hull_2d_of, "points"_a, "Indices of the corners, counter-clockwise.");
  m.def("min_ball", min_ball_of, "points"_a, "(center, radius) of the smallest enclosing ball.");
  m.def("min_circle", min_circle_of, "points"_a, "(center, radius) of the smallest circle.");
  m.def("orient2d", orient2d_of, "a"_a, "b"_a, "c"_a, "Exact side of c of the line a b, row by row.");
  m.def("orient3d", orient3d_of, "a"_a, "b"_a, "c"_a, "d"_a, "Exact side of d of the plane a b c, row by row.");
  m.def("triangle_relations", triangle_relations_of, "a"_a, "b"_a,
        "The exact relation of triangles, pair by pair: 0 apart, 1 share a corner, 2 share an edge, 3 touch, "
        "4 cross, 5 overlap. Three rows are the corners of one triangle.");
  m.def("surfaces_meet", surfaces_meet_of, "a"_a, "b"_a,
        "Whether a triangle of a has a point in common with one of b, exactly.");
  m.def("self_crossings", self_crossings_of, "vertices"_a, "triangles"_a, "touching"_a, "most"_a, "run"_a,
        "(first, second, relation) of the pairs of triangles that cross or overlap; with touching, also of those that "
        "touch. At most `most` pairs, unless that is 0.");
}

}  // namespace hitbox::bindings
