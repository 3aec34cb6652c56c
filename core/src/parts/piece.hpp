// Pieces of the mesh between cutting planes (paper 4, section 4.1).
//
// A piece is a convex cell of space, and what of the input's triangles lies in it, as convex polygons. Of a solid it
// also has those corners of the cell that lie inside: the hull of the polygons and these corners is the hull of the
// solid in the cell, so solids are cut as solids and no cap is ever made. Extreme points of a cut solid are its
// vertices, its edges cut by one plane, its faces cut by two, or corners of the cell.
//
// Cutting never moves a vertex: what lies on one side, to 1e-5, goes there whole.
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

// An edge at which the surface turns inward, or what of it lies in a piece.
struct ConcaveEdge {
  Vec3 from, to;
  Vec3 normals[2];  // of the faces at it
  uint32_t component = 0;
};

// The whole input: triangles of size about 1, equal vertices welded.
struct Input {
  std::vector<Vec3> vertices;
  std::vector<Triangle> triangles;
  std::vector<uint32_t> indices, offsets;  // the same triangles as faces
  std::vector<uint32_t> face_of;           // the input's face that a triangle is part of
  std::vector<uint32_t> component_of;      // a triangle's, joined over edges
  size_t component_count = 0;
  std::vector<uint32_t> flat_side_of;  // a triangle's; only of an input that is no solid
  size_t flat_side_count = 0;
  std::vector<ConcaveEdge> concave_edges;
  bool is_solid = false;
  const TriangleBvh* surface = nullptr;
  std::optional<Solid> solid;  // over that, where it is one
  double thickness = 0;        // that flat parts get, both ways

  // Whether pieces may be taken apart into components: of a solid each must be asked what is inside it.
  bool comes_apart() const { return component_count > 1 && (!is_solid || !components.empty()); }
  MeshView view() const { return {vertices, indices, offsets}; }
  // Whether p is well inside the solid, or inside that one of its components.
  bool contains(const Vec3& p, int component) const;

  struct Component {
    TriangleBvh surface;
    Solid solid;

    Component(std::span<const Vec3> vertices, std::span<const Triangle> triangles, Run& run)
        : surface(vertices, triangles, run), solid(surface) {}
  };
  std::vector<std::unique_ptr<Component>> components;  // of a solid that has several, but not too many
};

struct Piece {
  std::vector<Vec3> points;
  std::vector<uint32_t> corners, offsets{0};  // of the polygons
  std::vector<uint32_t> triangles;            // that the polygons are parts of
  std::vector<ConcaveEdge> concave_edges;
  std::vector<clip::Polytope> cells;  // of a solid: one, or those of several pieces together
  std::vector<Vec3> inside;           // corners of the cells
  int component = -1;                 // all, or only this one

  size_t polygon_count() const { return triangles.size(); }
  std::span<const uint32_t> polygon(size_t k) const {
    return std::span(corners).subspan(offsets[k], offsets[k + 1] - offsets[k]);
  }
  std::vector<Vec3> all_points() const;  // with those inside
};

constexpr double kOnPlane = 1e-5;  // of an input of size 1

Piece whole(const Input& input);
// Behind the plane, and in front of it. Either may have no polygons.
std::array<Piece, 2> cut(const Piece& piece, const HalfSpace& plane, const Input& input);
// One for each component of the input that has polygons in the piece.
std::vector<Piece> by_component(const Piece& piece, const Input& input);
// One for each flat side of an input that is no solid: what hangs together over edges in one plane.
std::vector<Piece> by_flat_side(const Input& input);

}  // namespace hitbox::internal::parts
