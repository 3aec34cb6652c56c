#include "bindings.hpp"

namespace hitbox::bindings {

void bind_shapes(nb::module_&) {}

}  // namespace hitbox::bindings
