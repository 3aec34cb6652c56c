// The properties of a shape that matter to engines: size, thickness, and the complexity of a hull.
#pragma once

#include "measure/hull_facets.hpp"

namespace hitbox::internal::measure {

struct ShapeFacts {  // lengths are in the units of the shape
  double volume = 0;
  double smallest_extent = 0;  // between two parallel planes; for a hull: over its facets' directions
  uint32_t corners = 0;        // for a hull, 0 otherwise
  uint32_t polygons = 0;       // for a hull, with coplanar triangles merged; 0 otherwise
};

ShapeFacts facts_of(const Shape& shape, const HullFacets& facets);  // `facets` is used for a hull only

}  // namespace hitbox::internal::measure
