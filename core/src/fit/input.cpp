#include "fit/input.hpp"

#include <algorithm>
#include <cmath>

#include "measure/inside.hpp"
#include "mesh/canonical.hpp"
#include "shapes/enclosing.hpp"

namespace hitbox::internal::fit {

namespace {

// The paper's own costs exist for its tables, and merge single faces.
bool finds_simple_parts(const FitOptions& options) {
  return options.cost != Cost::volume && options.cost != Cost::joint;
}

// Rounds coordinates so that decisions do not depend on a mesh's position and scale: numbers that differ in the last
// bits usually round to the same value. The step is far below the slack by which shapes are grown.
Vec3 on_grid(const Vec3& unit) {
  constexpr double kCells = static_cast<double>(uint64_t{1} << 40);
  const auto rounded = [&](double x) { return std::nearbyint(x * kCells) / kCells; };
  return Vec3{rounded(unit.x), rounded(unit.y), rounded(unit.z)} + Vec3{};  // -0 + 0 is +0
}

}  // namespace

FitInput::FitInput(const MeshView& welded_mesh, const MeshView& exact_mesh, FitOptions with, Run& run)
    : options(std::move(with)) {
  // The limit for one merge is a volume, so merging then compares volumes.
  if (options.max_excess >= 0 && options.cost == Cost::deviation) options.cost = Cost::grown;
  if (options.time_budget > 0)
    deadline = std::chrono::steady_clock::now() +
               std::chrono::microseconds(static_cast<int64_t>(1e6 * std::min(options.time_budget, 1e9)));
  run.enter("prepare", 0, 0.1);
  const Bounds box = referenced_bounds(exact_mesh);
  to_input = {{}, box.center(), box.diagonal()};
  put_in_order(welded_mesh, exact_mesh, run);
  clear = kept_space(options.keep_clear, options.spaces, options.pad, to_input, run);
  solid = options.objective == Objective::outer && is_closed_solid(welded(), run);
  CutFaces cut_faces;
  if (finds_simple_parts(options)) {
    // Fragments are enclosed exactly only if welding has not moved their faces.
    const bool may_cut = is_welded_exactly || (unit_welded == unit_exact && welded_indices == exact_indices);
    Simplified simplified = simplify(welded(), options, may_cut, run);
    simple = std::move(simplified.parts);
    cut_faces = std::move(simplified.cut);
    if (!clear.empty() || !options.spaces.empty())
      std::erase_if(simple, [&](const SimplePart& part) {
        const Shape shape = may_cut ? part.final_shape() : around_exact(part);
        return clear.entered_by(shape) || !stays_out_of_spaces(transformed(shape, to_input));
      });
  }
  const bool nothing_to_merge = simple.size() == 1 && simple[0].faces.size() == offsets.size() - 1;
  if (options.cost == Cost::deviation && !nothing_to_merge) {
    field.emplace(welded(), solid, options.importance, options.expected_shapes, run);
    if (!cut_faces.empty()) uncut_surface.emplace(welded(), run);
  }
  if (!cut_faces.empty()) cut(cut_faces);
}

// In unit coordinates, by the positions of the faces before welding moves them.
void FitInput::put_in_order(const MeshView& welded_mesh, const MeshView& exact_mesh, Run& run) {
  const auto to_unit = [&](std::span<const Vec3> vertices) {
    std::vector<Vec3> unit(vertices.size());
    run.for_each_block(unit.size(), 1 << 14, [&](size_t first, size_t last, size_t) {
      for (size_t k = first; k < last; ++k) unit[k] = on_grid((vertices[k] - to_input.translation) / to_input.scale);
    });
    return unit;
  };
  const std::vector<Vec3> exact = to_unit(exact_mesh.vertices);
  const std::vector<uint32_t> places = places_of(exact);
  run.poll();
  const CanonicalOrder order = canonical_order({exact, exact_mesh.indices, exact_mesh.offsets}, places,
                                               {options.group_of_face, options.importance});
  run.poll();
  OrderedVertices ordered = ordered_vertices(exact_mesh, places, order);
  unit_welded = in_order<Vec3>(exact, ordered.vertices);
  welded_indices = std::move(ordered.indices);
  exact_vertices = in_order<Vec3>(exact_mesh.vertices, ordered.vertices);
  is_welded_exactly = welded_mesh.vertices.data() == exact_mesh.vertices.data();
  if (!is_welded_exactly) {
    unit_exact = std::move(unit_welded);
    exact_indices = std::move(welded_indices);
    const std::vector<Vec3> welded = to_unit(welded_mesh.vertices);
    ordered = ordered_vertices(welded_mesh, places_of(welded), order);
    unit_welded = in_order<Vec3>(welded, ordered.vertices);
    welded_indices = std::move(ordered.indices);
  }
  offsets = order.offsets;
  input_face = order.faces;
  options.group_of_face = groups_in_order(options.group_of_face, order);
  options.importance = in_order<double>(options.importance, order.faces);
}

bool FitInput::stays_out_of_spaces(const Shape& shape) const {
  return options.spaces.empty() || stays_out(padded(shape, std::max(options.pad, 0.0), 0), options.spaces);
}

// Welding may have moved vertices into the space.
Shape FitInput::around_exact(const SimplePart& part) const {
  std::vector<Vec3> points;
  for (const uint32_t f : part.faces)
    for (const uint32_t v : exact().face(f)) points.push_back(exact().vertices[v]);
  return enclosing(part.final_shape(), points, Tolerances::of_diagonal(1));
}

void FitInput::cut(const CutFaces& faces) {
  for (const Vec3& v : faces.new_vertices) {
    unit_welded.push_back(v);
    if (!is_welded_exactly) unit_exact.push_back(v);
    exact_vertices.push_back(to_input.apply(v));
  }
  welded_indices = faces.indices;
  if (!is_welded_exactly) exact_indices = faces.indices;
  offsets = faces.offsets;
  source_face = faces.source;
  const auto of_fragments = [&](auto& values) {
    if (values.empty()) return;
    std::remove_reference_t<decltype(values)> mapped;
    for (const uint32_t face : source_face) mapped.push_back(values[face]);
    values = std::move(mapped);
  };
  of_fragments(options.group_of_face);
  of_fragments(options.importance);
  of_fragments(input_face);
}

}  // namespace hitbox::internal::fit
