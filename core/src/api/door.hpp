// What every public call does first: it checks the mesh and the options, so that the rooms behind can trust them.
#pragma once

#include <optional>
#include <string>

#include "hitbox/shapes.hpp"
#include "hitbox/space.hpp"
#include "mesh/clean.hpp"

namespace hitbox::api {

constexpr uint32_t kMostShapes = 1'000'000;

// The mesh without unused vertices and with equal ones welded, or what is wrong with it. Faces keep their numbers.
Result<internal::mesh::CleanedMesh> checked_and_welded(const MeshView& mesh, Run& run);

// Checks arguments one by one and keeps the first error. Its text has the place, the allowed values and the given one.
class Checks {
 public:
  explicit Checks(std::string verb) : verb_(std::move(verb)) {}

  Checks& whole(const char* name, uint64_t value, uint64_t least, uint64_t most);
  Checks& finite(const char* name, double value);
  Checks& not_negative(const char* name, double value);
  Checks& positive(const char* name, double value);
  Checks& weights(const char* name, std::span<const double> values);
  Checks& one_per_face(const char* name, size_t given, size_t faces);  // or none
  Checks& points(const char* name, std::span<const Vec3> points);
  Checks& spheres(const char* name, std::span<const Sphere> spheres);
  Checks& spaces(const char* name, std::span<const NavigableSpace> spaces);
  Checks& shapes(std::span<const Shape> shapes);  // at least one
  Checks& pad(double pad, double diagonal);
  Checks& require(bool condition, const char* message);

  const std::optional<Error>& error() const { return error_; }

 private:
  void fail(const std::string& what);

  std::string verb_;
  std::optional<Error> error_;
};

// Groups of faces, numbered from 0 in the order of their numbers.
struct Groups {
  std::vector<uint32_t> of_face;  // empty: one group
  uint32_t count = 1;

  static Groups of(std::span<const uint32_t> group_of_face);
};

}  // namespace hitbox::api
