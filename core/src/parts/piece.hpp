// Pieces of the mesh between cutting planes (paper 4, section 4.1).
//
// A piece is a convex cell of space with the parts of the input's triangles inside it, as convex polygons. A piece of a
// solid also has the corners of the cell that lie inside the solid. The hull of the polygons and these corners is the
// hull of the solid in the cell, so solids are cut as solids and no cap is ever made. The extreme points of a cut solid
// are its vertices, its edges cut by one plane, its faces cut by two, or corners of the cell.
//
// Cutting never moves a vertex. A polygon that lies on one side to within 1e-5 goes there whole.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "clip/polytope.hpp"
#include "hulls/part_hull.hpp"
#include "measure/inside.hpp"

namespace hitbox::internal::parts {

// An edge at which the surface turns inward, or its part in a piece.
struct ConcaveEdge {
  Vec3 from, to;
  Vec3 normals[2];  // normals of its two faces
  uint32_t component = 0;
};

// The whole input: triangles, scaled to a size of about 1, with equal vertices welded.
struct Input {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  std::vector<uint32_t> indices, offsets;  // the same triangles as faces
  std::vector<uint32_t> face_of;           // the input face of each triangle
  std::vector<uint32_t> component_of;      // per triangle, connected over edges
  size_t component_count = 0;
  std::vector<uint32_t> flat_side_of;  // per triangle; only for an input that is not a solid
  size_t flat_side_count = 0;
  std::vector<ConcaveEdge> concave_edges;
  bool is_solid = false;
  const TriangleBvh* surface = nullptr;
  std::optional<Solid> solid;  // set if the input is a solid
  double thickness = 0;        // the thickness that flat parts get on both sides

  // Whether pieces may be separated into components. In a solid, each component needs its own inside test.
  bool comes_apart() const { return component_count > 1 && (!is_solid || !components.empty()); }
  MeshView view() const { return {vertices, indices, offsets}; }
  // Whether p is well inside the solid, or inside this one of its components.
  bool contains(const Vec3& p, int component) const;

  struct Component {
    TriangleBvh surface;
    Solid solid;

    Component(std::span<const Vec3> vertices, std::span<const Triangle> triangles, Run& run)
        : surface(vertices, triangles, run), solid(surface) {}
  };
  std::vector<std::unique_ptr<Component>> components;  // of a solid with several components, but not too many
};

struct Piece {
  std::vector<Vec3> points;
  std::vector<uint32_t> corners, offsets{0};  // the corners of the polygons
  std::vector<uint32_t> triangles;            // the triangle of each polygon
  std::vector<ConcaveEdge> concave_edges;
  std::vector<clip::Polytope> cells;  // for a solid: one cell, or those of several pieces together
  std::vector<Vec3> inside;           // corners of the cells inside the solid
  int component = -1;                 // -1: all components

  size_t polygon_count() const { return triangles.size(); }
  std::span<const uint32_t> polygon(size_t k) const {
    return std::span(corners).subspan(offsets[k], offsets[k + 1] - offsets[k]);
  }
  std::vector<Vec3> all_points() const;  // including those inside
};

constexpr double kOnPlane = 1e-5;  // for an input of size 1

Piece whole(const Input& input);
// The parts behind the plane and in front of it. Either may have no polygons.
std::array<Piece, 2> cut(const Piece& piece, const HalfSpace& plane, const Input& input);
// One piece per component of the input that has polygons in the piece.
std::vector<Piece> by_component(const Piece& piece, const Input& input);
// One piece per flat side of an input that is not a solid: coplanar polygons that are connected over edges.
std::vector<Piece> by_flat_side(const Input& input);

}  // namespace hitbox::internal::parts
