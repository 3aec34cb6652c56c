// Checks a mesh at the door, and cleans it with a report of what was done.
//
// Cleaning welds vertices and drops those that no face uses. It never drops a face: one without
// area has no normal, but must be enclosed all the same, so such faces are only counted.
// Cost: linear; welding a million triangles of an STL file takes about 0.1 s.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/result.hpp"
#include "hitbox/run.hpp"

namespace hitbox::internal::mesh {

// Within these, products of five lengths stay in the range of doubles.
constexpr double kLargestCoordinate = 1e60, kSmallestDiagonal = 1e-60;

// Everything a method relies on: at least one face, three corners or more each, indices in range,
// coordinates finite, not all in one point. Gives the bounds of the vertices that faces use.
Result<Bounds> check_mesh(const MeshView& mesh, const std::string& name);

struct CleanOptions {
  enum class Weld { off, exact, distance };
  Weld weld = Weld::exact;
  double distance = 0;  // only for Weld::distance; mesh units
};

struct CleanReport {
  size_t vertices_before = 0, vertices_after = 0;
  size_t unreferenced = 0;  // vertices dropped because no face uses them
  size_t welded = 0;        // vertices that became another one
  size_t faces = 0;
  size_t repeated_index = 0;  // faces with a vertex more than once; kept
  size_t zero_area = 0;       // other faces whose corners lie on one line; kept
  size_t duplicates = 0;      // faces with the same vertices as an earlier one; kept
};

struct CleanedMesh {
  std::vector<Vec3> vertices;
  std::vector<uint32_t> indices;  // as many as before: offsets, parts and materials still fit
  CleanReport report;
};

// Equal means equal as numbers, so -0 is +0. A vertex keeps its place among the kept ones, and the
// first of equals is kept.
//
// By distance: a vertex becomes the first earlier kept one within `distance`, or is kept itself.
// First come, not transitive: chains of close vertices (a fine mesh!) would collapse into one
// point, while this moves no vertex by more than `distance`; and kept vertices are further apart
// than that, so a grid cell holds a handful at most, however dense the cluster.
Result<CleanedMesh> clean(const MeshView& mesh, const CleanOptions& options, const std::string& name, Run& run);

// False if all corners lie on one line, up to rounding; scale free.
bool has_area(const MeshView& mesh, size_t face);

}  // namespace hitbox::internal::mesh
