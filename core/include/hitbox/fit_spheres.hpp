// fit_spheres: spheres that follow the volume of a mesh, for motion planners, which test only spheres.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "hitbox/mesh.hpp"
#include "hitbox/result.hpp"
#include "hitbox/run.hpp"
#include "hitbox/shapes/sphere.hpp"
#include "hitbox/space.hpp"

namespace hitbox {

enum class SphereMode : uint8_t {
  conservative,  // the union of the spheres holds every face
  balanced       // about 96 % of the surface is covered, and the spheres stick out less
};

constexpr uint32_t kMostSpheres = 1024;  // planners use a few hundred

struct SpheresOptions {
  // At most that many, or more if space is to be kept clear. Without it: the fewest, up to 64, that stick out by at
  // most 1.5 % of the diagonal on average.
  std::optional<uint32_t> count = {};
  SphereMode mode = SphereMode::conservative;
  std::vector<uint32_t> group_of_face = {};  // empty, or one per face: no sphere holds faces of two groups
  std::vector<Sphere> keep_clear = {};       // mesh units: spheres that are not entered
  std::vector<NavigableSpace> spaces = {};   // nor are these
  double pad = 0;                            // mesh units: radii grow by this, or shrink if it is negative
};

struct SphereMeasure {           // from samples, before padding; lengths are fractions of the diagonal
  double coverage = 0;           // fraction of the surface inside the spheres
  double left_out = 0;           // largest distance of the surface from them
  double mean = 0, largest = 0;  // distance of their outer surface, which can be touched, from the mesh
  double volume_ratio = 0;       // volume of their union relative to the solid; 0: the mesh is not a closed solid
};

struct SpheresResult {
  std::vector<Sphere> spheres;
  std::vector<uint32_t> faces;         // ascending within each sphere; a face is listed with all spheres that it is in
  std::vector<uint32_t> face_offsets;  // sphere k holds a part of faces[face_offsets[k]] .. [k + 1]
  uint32_t count = 0;                  // the given count, or the chosen one
  SphereMeasure measure;
};

// An Error if the mesh is not one or an option makes no sense.
Result<SpheresResult> fit_spheres(const MeshView& mesh, const SpheresOptions& options, Run& run);

}  // namespace hitbox
