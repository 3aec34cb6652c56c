// Checks a mesh, and cleans it with a report.
//
// Cleaning welds vertices and drops unused ones. It never drops a face: a face without area has no normal but must be
// enclosed too, so such faces are only counted.
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

// Within these limits, products of five lengths stay in the range of doubles.
constexpr double kLargestCoordinate = 1e60, kSmallestDiagonal = 1e-60;

// Checks the assumptions of all methods: at least one face, three or more corners per face, indices in range, finite
// coordinates, not all vertices in one point. Returns the bounds of the used vertices.
Result<Bounds> check_mesh(const MeshView& mesh, const std::string& name);

struct CleanOptions {
  enum class Weld { off, exact, distance };
  Weld weld = Weld::exact;
  double distance = 0;  // only for Weld::distance; mesh units
};

struct CleanReport {
  size_t vertices_before = 0, vertices_after = 0;
  size_t unreferenced = 0;  // unused vertices that were dropped
  size_t welded = 0;        // vertices replaced by another one
  size_t faces = 0;
  size_t repeated_index = 0;  // faces that use a vertex more than once; kept
  size_t zero_area = 0;       // other faces whose corners lie on one line; kept
  size_t duplicates = 0;      // faces with the same vertices as an earlier one; kept
};

struct CleanedMesh {
  std::vector<Vec3> vertices;
  std::vector<uint32_t> indices;  // the same number as before, so offsets, parts and materials still fit
  CleanReport report;
};

// Vertices are equal if their numbers are, so -0 equals +0. The first of equal vertices is kept, and the order does not
// change.
//
// By distance, the first earlier kept vertex within `distance` replaces a vertex, or the vertex is kept itself. This is
// not transitive: otherwise chains of close vertices (a fine mesh!) would collapse into one point, while this moves no
// vertex by more than `distance`. Kept vertices are further apart than that, so a grid cell has only a few of them,
// however dense the cluster.
Result<CleanedMesh> clean(const MeshView& mesh, const CleanOptions& options, const std::string& name, Run& run);

// False if all corners lie on one line, up to rounding. Independent of scale.
bool has_area(const MeshView& mesh, size_t face);

}  // namespace hitbox::internal::mesh
