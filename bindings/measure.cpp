#include "bindings.hpp"

namespace hitbox::bindings {

void bind_measure(nb::module_&) {}

}  // namespace hitbox::bindings
