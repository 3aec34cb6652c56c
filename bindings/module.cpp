#include "bindings.hpp"

namespace hitbox::bindings {

// binders.inc has a line BIND(name) for each file here; CMake writes it.
#define BIND(name) void bind_##name(nb::module_&);
#include "binders.inc"
#undef BIND

PyRun::PyRun(unsigned threads, nb::object report)
    : report_(std::move(report)),
      run_(threads, [this](const char* stage, double fraction) { return ask(stage, fraction); }) {}

bool PyRun::ask(const char* stage, double fraction) {
  nb::gil_scoped_acquire held;
  try {
    if (PyErr_CheckSignals() != 0) throw nb::python_error();
    return report_.is_none() || nb::cast<bool>(report_(stage, fraction));
  } catch (...) {
    error_ = std::current_exception();
    return false;
  }
}

void PyRun::raise() {
  if (error_) std::rethrow_exception(error_);
  PyErr_SetString(PyExc_InterruptedError, "cancelled");
  throw nb::python_error();
}

}  // namespace hitbox::bindings

NB_MODULE(_core, m) {
  using namespace hitbox::bindings;
  m.doc() = "The C++ core of hitbox. Private: the public surface is the package hitbox.";
  nb::class_<PyRun>(m, "Run").def(nb::init<unsigned, nb::object>(), "threads"_a, "report"_a.none());
#define BIND(name) bind_##name(m);
#include "binders.inc"
#undef BIND
}
