// Parts made of pieces: merged in pairs, and taken apart and given to their neighbours, as long as no hull enters the
// space (paper 4, Alg. 2; dissolving is ours).
//
// Always holds: every atom is in exactly one living part, whose hull holds it and is admitted.
// Cost: some 0.1 ms a pair of neighbours.
#pragma once

#include <optional>
#include <vector>

#include "hitbox/run.hpp"
#include "hulls/sphere_bins.hpp"
#include "parts/cut.hpp"

namespace hitbox::internal::parts {

// What parts are made of: a piece that the cutting left, or half of one.
struct Atom {
  Piece piece;               // none of a shape that is only to be merged
  std::vector<Vec3> points;  // that its hull is made of
  double volume = 0;         // of its hull; with others' overlaps taken off, where it has some
};

struct Part {
  std::vector<uint32_t> atoms;
  std::vector<Vec3> points;  // corners of the hull of all its atoms, without any thickness
  std::vector<Vec3> inner;   // a few of them
  double inner_volume = 0;
  PartHull hull;
  double atom_volume = 0;  // the sum of its atoms'
  uint32_t changed = 0;    // when
};

// Every atom is in one part.
struct Decomposition {
  std::vector<Atom> atoms;
  std::vector<Part> parts;
};

struct AssemblyOptions {
  double link = 0;                         // parts whose boxes are further apart are no neighbours
  double thickness = 0;                    // that flat hulls get
  uint32_t most_vertices = 0;              // of a hull; 0: any
  double most_outside = 0;                 // by which a hull of few vertices may stick out of the exact one
  double most_growth = Bounds::kInfinity;  // volume that a merge may add, a unit of the merged hull's surface
  double noise = 0;                        // on what merges cost, as a share of the volume: to find other ways
  uint64_t seed = 0;                       // of the noise
};

class Assembly {
 public:
  // All atoms as parts of their own, whether they are admitted or not.
  Assembly(std::vector<Atom> atoms, const SphereBins& spheres, const AssemblyOptions& options, const Input* input);
  // Goes on with what was found before.
  Assembly(Decomposition found, const SphereBins& spheres, const AssemblyOptions& options, const Input* input)
      : atoms_(std::move(found.atoms)),
        parts_(std::move(found.parts)),
        spheres_(spheres),
        options_(options),
        input_(input) {}

  // As a part of its own.
  void add(Atom atom);
  // Greedily, by Eq. 7, down to `count` parts.
  void merge(size_t count, Run& run);
  // Parts whose atoms all find a place in others are gone.
  void dissolve(Run& run);

  Decomposition take() { return {std::move(atoms_), std::move(parts_)}; }

 private:
  struct Link {
    double cost;
    uint32_t a, b;
  };
  class Dissolving;

  Part part_of(std::vector<uint32_t> atoms) const;
  // The hull around points, if it is admitted.
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
  const Input* input_;  // for halving atoms; none: they stay whole
  uint32_t now_ = 0;
};

Atom atom_of(Piece piece);

// Whether the hull has few enough vertices, or one around it does and enters no sphere.
bool can_be_capped(const PartHull& hull, const SphereBins& spheres, const AssemblyOptions& options);

}  // namespace hitbox::internal::parts
