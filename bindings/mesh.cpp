#include "bindings.hpp"

namespace hitbox::bindings {

void bind_mesh(nb::module_&) {}

}  // namespace hitbox::bindings
