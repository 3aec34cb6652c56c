// Parts consist of pieces. Pairs of parts are merged, and parts are dissolved into their neighbours, as long as no hull
// enters the space (paper 4, Alg. 2, which has no dissolving).
//
// Always holds: every atom is in exactly one living part, whose hull contains it and is admitted.
// Cost: about 0.1 ms per pair of neighbours.
#pragma once

#include <optional>
#include <vector>

#include "hitbox/run.hpp"
#include "hulls/sphere_bins.hpp"
#include "parts/cut.hpp"

namespace hitbox::internal::parts {

// An element of a part: a piece from cutting, or half of a piece.
struct Atom {
  Piece piece;               // empty for a shape that is only to be merged
  std::vector<Vec3> points;  // the points of its hull
  double volume = 0;         // the volume of its hull, without overlaps with others
};

struct Part {
  std::vector<uint32_t> atoms;
  std::vector<Vec3> points;  // the corners of the hull of all its atoms, without thickening
  std::vector<Vec3> inner;   // a few of these points
  double inner_volume = 0;
  PartHull hull;
  double atom_volume = 0;  // the sum of its atoms' volumes
  uint32_t changed = 0;    // the time of the last change
};

// Parts that together have every atom once.
struct Decomposition {
  std::vector<Atom> atoms;
  std::vector<Part> parts;
};

struct AssemblyOptions {
  double link = 0;                         // parts whose boxes are further apart are not neighbours
  double thickness = 0;                    // the thickness that flat hulls get
  uint32_t most_vertices = 0;              // cap on the vertices of a hull; 0: no cap
  double most_outside = 0;                 // how far a capped hull may stick out of the exact one
  double most_growth = Bounds::kInfinity;  // volume that a merge may add, per unit of the merged hull's surface
  double noise = 0;                        // noise on merge costs, as a fraction of the volume, to find other results
  uint64_t seed = 0;                       // seed of the noise
};

class Assembly {
 public:
  // Makes every atom a part of its own, admitted or not.
  Assembly(std::vector<Atom> atoms, const SphereBins& spheres, const AssemblyOptions& options, const Input* input);
  // Continues from an earlier result.
  Assembly(Decomposition found, const SphereBins& spheres, const AssemblyOptions& options, const Input* input)
      : atoms_(std::move(found.atoms)),
        parts_(std::move(found.parts)),
        spheres_(spheres),
        options_(options),
        input_(input) {}

  // Adds the atom as a part of its own.
  void add(Atom atom);
  // Makes every atom of these parts a part of its own again.
  void take_apart(std::span<const uint8_t> is_taken);
  // Merges greedily, by Eq. 7, down to `count` parts.
  void merge(size_t count, Run& run);
  // Removes parts whose atoms all find a place in others.
  void dissolve(Run& run);

  Decomposition take() { return {std::move(atoms_), std::move(parts_)}; }

 private:
  struct Link {
    double cost;
    uint32_t a, b;
  };
  class Dissolving;

  Part part_of(std::vector<uint32_t> atoms) const;
  // The hull of the points, if it is admitted.
  std::optional<PartHull> admitted(std::span<const Vec3> points) const;
  double merged_cost(const Part& a, const Part& b) const;
  Part merged(const Part& a, const Part& b, PartHull hull) const;
  void absorb(uint32_t into, std::vector<uint8_t>& is_gone);
  void drop_gone(const std::vector<uint8_t>& is_gone);
  bool dissolve_one(uint32_t part, std::vector<uint8_t>& is_gone);

  std::vector<Atom> atoms_;
  std::vector<Part> parts_;
  const SphereBins& spheres_;
  AssemblyOptions options_;
  const Input* input_;  // for halving atoms; null: they stay whole
  uint32_t now_ = 0;
};

Atom atom_of(Piece piece);

// Whether the hull, or a capped hull around it, is within the cap and enters no sphere.
bool can_be_capped(const PartHull& hull, const SphereBins& spheres, const AssemblyOptions& options);

}  // namespace hitbox::internal::parts
