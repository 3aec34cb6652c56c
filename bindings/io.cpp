#include "bindings.hpp"

namespace hitbox::bindings {

void bind_io(nb::module_&) {}

}  // namespace hitbox::bindings
