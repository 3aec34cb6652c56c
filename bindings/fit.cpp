#include "bindings.hpp"

namespace hitbox::bindings {

void bind_fit(nb::module_&) {}

}  // namespace hitbox::bindings
