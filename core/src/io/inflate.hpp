// gzip (RFC 1952) and deflate (RFC 1951), for meshes stored as .obj.gz and the like.
//
// Always holds: every member's CRC and size are right, and the output has at most the larger of kFreeBytes and
// kMaxRatio times the input. Otherwise there is an error and no output.
// Cost: linear; about 300 MB/s of output.
#pragma once

#include "io/source.hpp"

namespace hitbox::internal::io {

constexpr size_t kMaxRatio = 200;                // text meshes have ratios of 10 to 30, zeros 1030
constexpr size_t kFreeBytes = size_t{64} << 20;  // below this size any ratio is allowed

bool is_gzip(std::span<const uint8_t> bytes);
Result<Buffer> gunzip(std::span<const uint8_t> bytes, const std::string& name);
uint32_t crc32(std::span<const uint8_t> bytes);

}  // namespace hitbox::internal::io
