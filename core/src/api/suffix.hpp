// How a file's name tells its format.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "io/read.hpp"

namespace hitbox::api {

// Lower case, with its dot, and without a last ".gz". A name may be the suffix alone.
std::string suffix_of(std::string_view name);
// The error of a suffix that no reader has.
std::optional<Error> unknown_format(const std::string& suffix, const std::string& name);

}  // namespace hitbox::api
