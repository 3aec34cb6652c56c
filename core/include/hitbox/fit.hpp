// fit: a few primitives around a mesh, such that each face lies in at least one of them.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "hitbox/mesh.hpp"
#include "hitbox/result.hpp"
#include "hitbox/run.hpp"
#include "hitbox/shapes.hpp"
#include "hitbox/space.hpp"

namespace hitbox {

enum class Tangent : uint8_t { automatic, on, off };  // paper 1, 3.4: the quad and triangle tangents
enum class Cost : uint8_t {
  deviation,  // the measured distance of the shapes' surfaces from the mesh
  volume,     // paper 1, Eq. 4
  joint,      // Eq. 5: Eq. 4 with shared volume counted once, by sampling
  grown       // Eq. 4 on volumes grown by a clearance, so that merging thin plates has a cost
};

enum class Objective : uint8_t {
  outer,   // surface that can be touched; inside a closed solid distances count a twentieth
  surface  // all of a shape's surface, as in the paper's tables
};
enum class Preset : uint8_t { fast, balanced, fine };

struct FitOptions {
  // With a count: at most that many shapes, or more if another option forbids further merges. With a tolerance: as few
  // shapes as stay within it, and a count is a cap. With neither: a tolerance of 3 % of the diagonal, a cap of 256.
  std::optional<uint32_t> count = {};
  std::optional<double> tolerance = {};  // mesh units: the largest distance of the shapes from the mesh
  Cost cost = Cost::deviation;
  Objective objective = Objective::outer;
  Preset preset = Preset::balanced;
  Tangent tangent = Tangent::automatic;
  std::array<bool, kPrimitiveCount> kinds = {true, true, true, true, true, true};
  std::array<double, kPrimitiveCount> weights = {1, 1, 1, 1.05, 2.1, 1.4};  // in order of Kind
  uint32_t overlap_samples = 1000;                                          // a pair, with Cost::joint
  double max_excess = -1;                    // fraction of the bounding box's volume, per merge; < 0: no limit
  double drop_thin = 0;                      // mesh units: shapes with a half extent up to this are removed
  std::vector<uint32_t> group_of_face = {};  // empty, or one per face: no shape spans two groups
  std::vector<double> importance = {};       // empty, or one per face, 1e-6 to 1e6: a factor on distances from it
  std::vector<Sphere> keep_clear = {};       // mesh units: no merge makes a shape that enters one of these spheres
  std::vector<NavigableSpace> spaces = {};   // nor one that enters one of these spaces
  uint32_t max_vertices = 0;                 // cap on the vertices of a hull, 4 to 256; 0: no hulls
  double pad = 0;                            // mesh units: sides move out by this, or in if it is negative
  // about the number of shapes, which sets the resolution of distances; 0: the count
  uint32_t expected_shapes = 0;
  double time_budget = 0;  // wall seconds after which refining ends; <= 0: none
};

struct FitResult {
  std::vector<Shape> shapes;
  std::vector<uint32_t> faces;         // ascending within each shape
  std::vector<uint32_t> face_offsets;  // shape k encloses faces[face_offsets[k]] .. [k + 1]
  std::vector<uint32_t> clusters;      // the cluster of each shape, numbered before superfluous shapes were removed
  uint32_t dropped_count = 0;          // number of thin shapes that were removed
  bool ended_early = false;            // refining ended because the time budget was used up

  // Only with a tolerance. It is proved that no point of a shape's surface is further from the mesh than `strays` (mesh
  // units, before padding). Points inside a closed solid do not count with Objective::outer.
  std::optional<double> strays = {};
  uint32_t over = 0;    // the number of shapes that are not proved to stay within the tolerance
  bool capped = false;  // the tolerance takes more shapes than allowed, so these are the shapes of that count
};

// Each face lies in at least one of the shapes, to 1e-9 of the diagonal, unless drop_thin or a negative pad gives this
// up. Equal vertices are welded first. An Error if the mesh is not one (no face, an index out of range, a coordinate
// that is not finite) or an option makes no sense. For spheres alone, fit_spheres is better.
Result<FitResult> fit(const MeshView& mesh, const FitOptions& options, Run& run);

}  // namespace hitbox
