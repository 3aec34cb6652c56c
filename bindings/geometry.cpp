#include "bindings.hpp"

namespace hitbox::bindings {

void bind_geometry(nb::module_&) {}

}  // namespace hitbox::bindings
