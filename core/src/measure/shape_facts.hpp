// What an engine sees of a shape: how large and how thin it is, and how complex as a hull.
#pragma once

#include "measure/hull_facets.hpp"

namespace hitbox::internal::measure {

struct ShapeFacts {  // lengths in the units of the shape
  double volume = 0;
  double smallest_extent = 0;  // between two parallel planes; of a hull: over its facets' directions
  uint32_t corners = 0;        // of a hull, 0 otherwise
  uint32_t polygons = 0;       // of a hull, coplanar triangles joined; 0 otherwise
};

ShapeFacts facts_of(const Shape& shape, const HullFacets& facets);  // those of a hull, else not read

}  // namespace hitbox::internal::measure
