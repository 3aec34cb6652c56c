// evaluate: how closely shapes match a mesh. docs/evaluate.md explains each number.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "hitbox/mesh.hpp"
#include "hitbox/result.hpp"
#include "hitbox/run.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox {

struct EvaluateOptions {
  uint32_t samples = 200'000;  // points on the shapes' surfaces, on the mesh, and inside the shapes
  uint64_t seed = 0;           // of the random points
  bool certify = false;        // adds bounds that hold for every point; takes seconds
};

// Lengths are fractions of the mesh's diagonal, volumes are in cubic mesh units.
struct Evaluation {
  struct Distance {  // from points on the shapes to the mesh; 0 without points
    double mean = 0, hausdorff = 0;
    uint32_t samples = 0;
  };
  struct Coverage {                // the mesh's surface outside all shapes
    double outside = 0;            // fraction that is outside by more than 1e-5
    double largest = 0, mean = 0;  // the distances by which it sticks out
  };
  struct Estimate {  // with 95 % probability the true value differs by at most `error`
    double value = 0, error = 0;
  };
  struct Range {
    double low = 0, high = 0;
  };
  struct Bounds {          // proved: the true value lies in the range
    Range all_surfaces;    // the largest distance
    Range outer_surface;   // the largest distance on the outer surface
    Range sticks_out;      // the largest distance by which the mesh leaves the union
    Range mean_all;        // the mean distance on all surfaces
    bool complete = true;  // all ranges are as narrow as requested
  };

  double diagonal = 0;      // of the mesh, in its units
  uint64_t nbytes = 0;      // of the shapes
  Distance all_surfaces;    // of the shapes
  Distance union_boundary;  // what is not inside another shape
  Distance outer_surface;   // that, without what is inside a closed mesh: what can be touched
  Coverage coverage;
  double volume = 0;  // sum over the shapes
  Estimate union_volume;
  double overlap = 0;                // 1 - union / sum
  std::vector<uint32_t> thin;        // shapes thinner than 1e-3
  std::vector<uint32_t> degenerate;  // shapes as thin as the thinnest of fit, 2e-5
  std::optional<Bounds> bounds;      // only with `certify`
};

// All points are measured exactly. Without `certify` the true maximum may lie between samples.
Result<Evaluation> evaluate(const MeshView& mesh, std::span<const Shape> shapes, const EvaluateOptions& options,
                            Run& run);

}  // namespace hitbox
