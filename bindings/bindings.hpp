// The bindings take and return arrays, release the GIL, and contain no logic. Each folder of the core has one file.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
#include <nanobind/stl/array.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/unique_ptr.h>
#include <nanobind/stl/vector.h>

#include <span>
#include <vector>

#include "hitbox/mesh.hpp"
#include "hitbox/result.hpp"
#include "hitbox/run.hpp"
#include "hitbox/vec3.hpp"

namespace nb = nanobind;
using namespace nb::literals;

namespace hitbox::bindings {

using Points = nb::ndarray<const double, nb::numpy, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Triangles = nb::ndarray<const uint32_t, nb::numpy, nb::shape<-1, 3>, nb::c_contig, nb::device::cpu>;
using Indices = nb::ndarray<const uint32_t, nb::numpy, nb::shape<-1>, nb::c_contig, nb::device::cpu>;

using Values = nb::ndarray<const double, nb::numpy, nb::shape<-1>, nb::c_contig, nb::device::cpu>;
template <class T>
std::vector<T> copied(const nb::ndarray<const T, nb::numpy, nb::shape<-1>, nb::c_contig, nb::device::cpu>& values) {
  return {values.data(), values.data() + values.shape(0)};
}

static_assert(sizeof(Vec3) == 3 * sizeof(double));
inline std::span<const Vec3> view(const Points& points) {
  return {reinterpret_cast<const Vec3*>(points.data()), points.shape(0)};
}
inline std::span<const uint32_t> view(const Indices& indices) { return {indices.data(), indices.shape(0)}; }
// (low, high), diagonal
inline std::pair<std::array<std::array<double, 3>, 2>, double> to_python(const Bounds& bounds) {
  const auto& [low, high] = bounds;
  return {{{{low.x, low.y, low.z}, {high.x, high.y, high.z}}}, bounds.diagonal()};
}
inline MeshView view(const Points& vertices, const Indices& indices, const Indices& offsets) {
  return {view(vertices), view(indices), view(offsets)};
}

// Moves a vector to numpy without copying it.
template <class T>
nb::ndarray<nb::numpy, T, nb::ndim<1>> to_numpy(std::vector<T>&& values) {
  auto* kept = new std::vector<T>(std::move(values));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<T>*>(p); });
  return {kept->data(), {kept->size()}, owner};
}
template <class Row, class T = double, size_t columns = sizeof(Row) / sizeof(T)>
nb::ndarray<nb::numpy, T, nb::ndim<2>> rows_to_numpy(std::vector<Row>&& rows) {
  auto* kept = new std::vector<Row>(std::move(rows));
  nb::capsule owner(kept, [](void* p) noexcept { delete static_cast<std::vector<Row>*>(p); });
  return {reinterpret_cast<T*>(kept->data()), {kept->size(), columns}, owner};
}

// Returns the value, or throws a ValueError with the core's sentence, which hitbox turns into an InputError.
template <class T>
T value_or_raise(Result<T>&& result) {
  if (!result.ok()) throw nb::value_error(result.error().message.c_str());
  return std::move(result.value());
}

// Asks Python every 50 ms whether to continue. Ctrl-C, an exception in the callback, or False from it stops the run.
// `report` is a callable (stage, fraction) -> bool, or None.
class PyRun {
 public:
  PyRun(unsigned threads, nb::object report);
  // Runs `body(run)` without the GIL. Throws the exception that stopped it.
  template <class Body>
  auto operator()(Body&& body) {
    try {
      nb::gil_scoped_release quiet;
      return body(run_);
    } catch (const Cancelled&) {
      raise();
      throw;
    }
  }

 private:
  bool ask(const char* stage, double fraction);
  [[noreturn]] void raise();

  nb::object report_;
  Run run_;
  std::exception_ptr error_;
};

}  // namespace hitbox::bindings
