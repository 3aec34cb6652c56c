#include "measure/shape_facts.hpp"

namespace hitbox::internal::measure {
namespace {

double extent_of(const Box& box) { return 2 * min_component(box.half_extents); }
double extent_of(const Sphere& sphere) { return 2 * sphere.radius; }
double extent_of(const Capsule& capsule) { return 2 * capsule.radius; }
double extent_of(const Cylinder& s) { return std::min(norm(s.end - s.start), 2 * s.radius); }
double extent_of(const Frustum& s) {
  return std::min(norm(s.end - s.start), 2 * std::max(s.radius_start, s.radius_end));
}
double extent_of(const Prism& s) { return 2 * std::min({s.half_x, s.half_y, std::max(s.half_top, s.half_bottom)}); }

template <class S>
void add(const S& shape, const HullFacets&, ShapeFacts& facts) {
  facts.smallest_extent = extent_of(shape);
}
void add(const Hull&, const HullFacets& facets, ShapeFacts& facts) {
  facts.smallest_extent = facets.width;
  facts.corners = static_cast<uint32_t>(facets.mesh.vertices.size());
  facts.polygons = facets.polygons;
}

}  // namespace

ShapeFacts facts_of(const Shape& shape, const HullFacets& facets) {
  ShapeFacts facts;
  facts.volume = volume(shape);
  std::visit([&](const auto& s) { add(s, facets, facts); }, shape);
  return facts;
}

}  // namespace hitbox::internal::measure
