#include "shapes.hpp"

#include "base/format.hpp"

namespace hitbox::bindings {

using namespace internal::shapes;
using namespace internal::measure;

namespace {

// Reads or writes the fields of a shape in the order of its Python dataclass.
template <class Visit>
void visit_fields(Visit&& visit, auto& s) {
  using S = std::remove_cvref_t<decltype(s)>;
  const auto vec = [&](auto& v) { visit(v.x), visit(v.y), visit(v.z); };
  const auto rotation = [&](auto& q) { visit(q.x), visit(q.y), visit(q.z), visit(q.w); };
  if constexpr (std::is_same_v<S, Box>) {
    vec(s.center), rotation(s.rotation), vec(s.half_extents);
  } else if constexpr (std::is_same_v<S, Sphere>) {
    vec(s.center), visit(s.radius);
  } else if constexpr (std::is_same_v<S, Capsule> || std::is_same_v<S, Cylinder>) {
    vec(s.start), vec(s.end), visit(s.radius);
  } else if constexpr (std::is_same_v<S, Frustum>) {
    vec(s.start), vec(s.end), visit(s.radius_start), visit(s.radius_end);
  } else if constexpr (std::is_same_v<S, Prism>) {
    vec(s.center), rotation(s.rotation);
    visit(s.half_x), visit(s.half_y), visit(s.half_top), visit(s.half_bottom);
  } else {
    for (auto& v : s.vertices) vec(v);
  }
}

template <size_t k = 0>
Shape empty_shape(size_t kind) {
  if constexpr (k + 1 < kKindCount) {
    if (kind != k) return empty_shape<k + 1>(kind);
  }
  return std::variant_alternative_t<k, Shape>{};
}

Shape shape_of_kind(const std::string& kind, size_t param_count) {
  const auto found = std::find(kKindNames.begin(), kKindNames.end(), kind);
  if (found == kKindNames.end()) throw nb::value_error(format("unknown kind '%s'", kind.c_str()).c_str());
  Shape shape = empty_shape(static_cast<size_t>(found - kKindNames.begin()));
  if (auto* hull = std::get_if<Hull>(&shape)) hull->vertices.resize(param_count / 3);
  size_t expected = 0;
  std::visit([&](auto& s) { visit_fields([&](double&) { ++expected; }, s); }, shape);
  if (param_count != expected)
    throw nb::value_error(format("%s: %zu params instead of %zu", kind.c_str(), param_count, expected).c_str());
  return shape;
}

}  // namespace

Shape to_shape(const std::string& kind, const Params& params, const Triangles& triangles) {
  Shape shape = shape_of_kind(kind, params.shape(0));
  size_t next = 0;
  const auto read = [&](double& field) { field = params.data()[next++]; };
  std::visit([&](auto& s) { visit_fields(read, s); }, shape);
  if (auto* hull = std::get_if<Hull>(&shape)) {
    for (size_t t = 0; t < triangles.shape(0); ++t) {
      hull->triangles.push_back({triangles(t, 0), triangles(t, 1), triangles(t, 2)});
      for (const uint32_t v : hull->triangles.back())
        if (v >= hull->vertices.size()) throw nb::value_error("hull: a triangle's index is out of range");
    }
    if (hull->triangles.empty()) throw nb::value_error("hull: no triangles");
  }
  return shape;
}

std::vector<Shape> to_shapes(const Crossings& crossings) {
  std::vector<Shape> shapes;
  for (const auto& [kind, params, triangles] : crossings) shapes.push_back(to_shape(kind, params, triangles));
  return shapes;
}

ShapeParts to_python(const Shape& shape) {
  std::vector<double> params;
  const auto write = [&](const double& field) { params.push_back(field); };
  std::visit([&](const auto& s) { visit_fields(write, s); }, shape);
  std::vector<std::array<uint32_t, 3>> triangles;
  if (const auto* hull = std::get_if<Hull>(&shape)) triangles = hull->triangles;
  return {std::string(kKindNames[shape.index()]), to_numpy(std::move(params)),
          rows_to_numpy<std::array<uint32_t, 3>, uint32_t>(std::move(triangles))};
}

void bind_shapes(nb::module_& m) {
  const auto def = [&](const char* name, auto function, const auto&... extra) {
    m.def(name, function, "kind"_a, "params"_a, "triangles"_a, extra...);
  };
  using Kind_ = const std::string&;
  using P = const Params&;
  using T = const Triangles&;
  def("shape_volume", [](Kind_ k, P p, T t) { return volume(to_shape(k, p, t)); });
  def("shape_area", [](Kind_ k, P p, T t) { return area(to_shape(k, p, t)); });
  def("shape_nbytes", [](Kind_ k, P p, T t) { return nbytes(to_shape(k, p, t)); });
  def("shape_bounds", [](Kind_ k, P p, T t) {
    const Bounds box = bounds(to_shape(k, p, t));
    return rows_to_numpy(std::vector<Vec3>{box.low, box.high});
  });
  def(
      "shape_signed_distance",
      [](Kind_ k, P p, T t, const Points& points) {
        const Shape shape = to_shape(k, p, t);
        std::vector<double> out(points.shape(0));
        {
          nb::gil_scoped_release quiet;
          signed_distance(shape, view(points), out);
        }
        return to_numpy(std::move(out));
      },
      "points"_a);
  def(
      "shape_support",
      [](Kind_ k, P p, T t, const Points& directions) {
        const Shape shape = to_shape(k, p, t);
        std::vector<Vec3> out(directions.shape(0));
        {
          nb::gil_scoped_release quiet;
          support(shape, view(directions), out);
        }
        return rows_to_numpy(std::move(out));
      },
      "directions"_a);
  def(
      "shape_to_mesh",
      [](Kind_ k, P p, T t, int segments) {
        if (segments < 3) throw nb::value_error("segments: at least 3");
        TriangleMesh mesh = to_mesh(to_shape(k, p, t), segments);
        return std::make_pair(rows_to_numpy(std::move(mesh.vertices)),
                              rows_to_numpy<std::array<uint32_t, 3>, uint32_t>(std::move(mesh.triangles)));
      },
      "segments"_a);
  def(
      "shape_grown", [](Kind_ k, P p, T t, double by) { return to_python(grown(to_shape(k, p, t), by)); }, "by"_a);
  def(
      "shape_padded",
      [](Kind_ k, P p, T t, double by, double least) { return to_python(padded(to_shape(k, p, t), by, least)); },
      "by"_a, "least"_a);
  def(
      "shape_transformed",
      [](Kind_ k, P p, T t, std::array<double, 4> q, std::array<double, 3> move, double scale) {
        const Similarity similarity{{q[0], q[1], q[2], q[3]}, {move[0], move[1], move[2]}, scale};
        return to_python(transformed(to_shape(k, p, t), similarity));
      },
      "rotation"_a, "translation"_a, "scale"_a);
}

}  // namespace hitbox::bindings
