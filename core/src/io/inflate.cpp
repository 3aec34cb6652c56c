#include "io/inflate.hpp"

#include <algorithm>
#include <array>
#include <optional>

namespace hitbox::internal::io {
namespace {

// Slicing by 8: table[k][b] is the CRC of byte b followed by k zero bytes.
constexpr auto kCrcTable = [] {
  std::array<std::array<uint32_t, 256>, 8> table{};
  for (uint32_t b = 0; b < 256; ++b) {
    uint32_t crc = b;
    for (int k = 0; k < 8; ++k) crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
    table[0][b] = crc;
  }
  for (size_t b = 0; b < 256; ++b) {
    for (size_t k = 1; k < 8; ++k) {
      table[k][b] = table[k - 1][b] >> 8 ^ table[0][table[k - 1][b] & 255];
    }
  }
  return table;
}();

// Bits of the input, lowest first. Past the end the bits are 0, and `count` becomes negative.
class Bits {
 public:
  explicit Bits(std::span<const uint8_t> bytes) : at_(bytes.data()), end_(at_ + bytes.size()) {}

  void refill() {  // ensures at least 56 bits while there is input
    if (end_ - at_ >= 8) {
      bits_ |= load<uint64_t>(at_) << count_;
      at_ += (63 - count_) >> 3;
      count_ |= 56;
      return;
    }
    while (count_ <= 56 && at_ < end_) {
      bits_ |= static_cast<uint64_t>(*at_++) << count_;
      count_ += 8;
    }
  }
  void want(int bits) {
    if (count_ < bits) refill();
  }
  uint32_t peek(int bits) const { return static_cast<uint32_t>(bits_ & ((uint64_t{1} << bits) - 1)); }
  void drop(int bits) {
    bits_ >>= bits;
    count_ -= bits;
  }
  uint32_t take(int bits) {
    const uint32_t value = peek(bits);
    drop(bits);
    return value;
  }
  bool overrun() const { return count_ < 0; }
  // The remaining whole bytes. Drops the rest of the current byte.
  std::span<const uint8_t> rest() {
    drop(count_ & 7);
    at_ -= count_ >> 3;
    bits_ = 0;
    count_ = 0;
    return {at_, end_};
  }
  void skip(size_t bytes) { at_ += bytes; }

 private:
  const uint8_t *at_, *end_;
  uint64_t bits_ = 0;
  int count_ = 0;
};

constexpr int kFastBits = 10, kMaxBits = 15;

// A canonical Huffman code. Short codes use a table, the few long ones are decoded bit by bit.
class Huffman {
 public:
  // False if the lengths need more codes than exist.
  bool build(std::span<const uint8_t> lengths) {
    count_.fill(0);
    for (const uint8_t length : lengths) ++count_[length];
    count_[0] = 0;
    int free = 1;
    for (int length = 1; length <= kMaxBits; ++length) {
      free = free * 2 - count_[static_cast<size_t>(length)];
      if (free < 0) return false;
    }
    std::array<uint16_t, kMaxBits + 2> first{}, code{};
    for (size_t length = 1; length <= kMaxBits; ++length) {
      first[length + 1] = static_cast<uint16_t>(first[length] + count_[length]);
      code[length + 1] = static_cast<uint16_t>((code[length] + count_[length]) << 1);
    }
    fast_.fill(0);
    for (size_t symbol = 0; symbol < lengths.size(); ++symbol) {
      const uint8_t length = lengths[symbol];
      if (length == 0) continue;
      symbols_[first[length]++] = static_cast<uint16_t>(symbol);
      add_fast(code[length]++, length, static_cast<uint16_t>(symbol));
    }
    return true;
  }

  // The next symbol, or -1 for an undefined code. Takes up to 15 bits.
  int decode(Bits& bits) const {
    const uint16_t entry = fast_[bits.peek(kFastBits)];
    if (entry != 0) {
      bits.drop(entry & 15);
      return entry >> 4;
    }
    return decode_long(bits);
  }

 private:
  void add_fast(uint32_t code, int length, uint16_t symbol) {
    if (length > kFastBits) return;
    uint32_t turned = 0;  // codes are stored highest bit first
    for (int k = 0; k < length; ++k) turned |= (code >> k & 1) << (length - 1 - k);
    for (uint32_t k = turned; k < 1u << kFastBits; k += 1u << length) {
      fast_[k] = static_cast<uint16_t>(symbol << 4 | length);
    }
  }
  int decode_long(Bits& bits) const {
    int code = 0, first = 0, index = 0;
    const uint32_t ahead = bits.peek(kMaxBits);
    for (int length = 1; length <= kMaxBits; ++length) {
      const int count = count_[static_cast<size_t>(length)];
      code |= static_cast<int>(ahead >> (length - 1) & 1);
      if (code - count < first) {
        bits.drop(length);
        return symbols_[static_cast<size_t>(index + code - first)];
      }
      index += count;
      first = (first + count) << 1;
      code <<= 1;
    }
    return -1;
  }

  std::array<uint16_t, kMaxBits + 1> count_{};
  std::array<uint16_t, 288> symbols_{};
  std::array<uint16_t, 1 << kFastBits> fast_{};  // symbol * 16 + length, 0: not here
};

constexpr uint16_t kLengthBase[29] = {3,  4,  5,  6,  7,  8,  9,  10, 11,  13,  15,  17,  19,  23, 27,
                                      31, 35, 43, 51, 59, 67, 83, 99, 115, 131, 163, 195, 227, 258};
constexpr uint8_t kLengthBits[29] = {0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2,
                                     2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0};
constexpr uint16_t kDistanceBase[30] = {1,    2,    3,    4,    5,    7,    9,    13,    17,    25,
                                        33,   49,   65,   97,   129,  193,  257,  385,   513,   769,
                                        1025, 1537, 2049, 3073, 4097, 6145, 8193, 12289, 16385, 24577};
constexpr uint8_t kDistanceBits[30] = {0, 0, 0, 0, 1, 1, 2, 2,  3,  3,  4,  4,  5,  5,  6,
                                       6, 7, 7, 8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13};
constexpr uint8_t kLengthOrder[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};

using Complaint = const char*;  // null: no error
constexpr Complaint kTruncated = "ends too early";
constexpr Complaint kDamaged = "is damaged";
constexpr Complaint kTooLarge = "unpacks to more than 200 times its size";

class Inflater {
 public:
  Inflater(std::span<const uint8_t> bytes, Buffer& out, size_t limit)
      : bits_(bytes), out_(out), start_(out.size()), limit_(limit) {}

  Complaint run() {
    for (bool last = false; !last;) {
      bits_.want(3);
      last = bits_.take(1) != 0;
      const uint32_t kind = bits_.take(2);
      if (bits_.overrun()) return kTruncated;
      Complaint complaint = kind == 0 ? stored() : kind == 1 ? fixed() : kind == 2 ? dynamic() : kDamaged;
      if (complaint) return complaint;
    }
    return nullptr;
  }
  std::span<const uint8_t> rest() { return bits_.rest(); }

 private:
  Complaint room_for(size_t more) {
    if (out_.size() + more + kSlack <= out_.capacity()) return nullptr;
    if (out_.size() + more > limit_) return kTooLarge;
    out_.reserve(std::max(out_.size() + more + kSlack, std::min(limit_, out_.capacity() * 2) + kSlack));
    return nullptr;
  }

  Complaint stored() {
    const auto bytes = bits_.rest();
    if (bytes.size() < 4) return kTruncated;
    const size_t length = load<uint16_t>(bytes.data());
    if ((length ^ 0xffff) != load<uint16_t>(bytes.data() + 2)) return kDamaged;
    if (bytes.size() - 4 < length) return kTruncated;
    if (Complaint complaint = room_for(length)) return complaint;
    if (length) std::memcpy(out_.data() + out_.size(), bytes.data() + 4, length);
    out_.set_size(out_.size() + length);
    bits_.skip(4 + length);
    return nullptr;
  }

  Complaint fixed() {
    uint8_t lengths[288];
    for (int k = 0; k < 288; ++k) lengths[k] = k < 144 ? 8 : k < 256 ? 9 : k < 280 ? 7 : 8;
    literals_.build(lengths);
    std::fill(lengths, lengths + 30, uint8_t{5});
    distances_.build({lengths, 30});
    return codes();
  }

  Complaint dynamic() {
    bits_.want(14);
    const size_t literal_count = bits_.take(5) + 257, distance_count = bits_.take(5) + 1;
    const size_t order_count = bits_.take(4) + 4;
    if (literal_count > 286 || distance_count > 30) return kDamaged;
    uint8_t order[19] = {};
    for (size_t k = 0; k < order_count; ++k) {
      bits_.want(3);
      order[kLengthOrder[k]] = static_cast<uint8_t>(bits_.take(3));
    }
    if (!literals_.build(order)) return kDamaged;
    uint8_t lengths[286 + 30] = {};
    const size_t total = literal_count + distance_count;
    for (size_t k = 0; k < total;) {
      bits_.want(22);
      const int symbol = literals_.decode(bits_);
      if (symbol < 0) return kDamaged;
      if (symbol < 16) {
        lengths[k++] = static_cast<uint8_t>(symbol);
        continue;
      }
      if (symbol == 16 && k == 0) return kDamaged;
      const uint8_t value = symbol == 16 ? lengths[k - 1] : uint8_t{0};
      const size_t repeat = symbol == 16 ? 3 + bits_.take(2) : symbol == 17 ? 3 + bits_.take(3) : 11 + bits_.take(7);
      if (k + repeat > total) return kDamaged;
      std::fill_n(lengths + k, repeat, value);
      k += repeat;
    }
    if (bits_.overrun()) return kTruncated;
    if (!literals_.build({lengths, literal_count})) return kDamaged;
    if (!distances_.build({lengths + literal_count, distance_count})) return kDamaged;
    return codes();
  }

  // Decodes literals and matches until the block ends. A symbol with its distance takes at most 48 bits.
  Complaint codes() {
    for (;;) {
      if (Complaint complaint = room_for(258)) return complaint;
      uint8_t* out = out_.data();
      size_t size = out_.size();
      const size_t full = out_.capacity() - 258 - kSlack;
      while (size <= full) {
        bits_.want(48);
        const int symbol = literals_.decode(bits_);
        if (bits_.overrun()) return kTruncated;
        if (symbol < 256) {
          if (symbol < 0) return kDamaged;
          out[size++] = static_cast<uint8_t>(symbol);
          continue;
        }
        if (symbol == 256) {
          out_.set_size(size);
          return nullptr;
        }
        if (Complaint complaint = copy(symbol - 257, out, size)) return complaint;
      }
      out_.set_size(size);
    }
  }

  Complaint copy(int length_code, uint8_t* out, size_t& size) {
    if (length_code > 28) return kDamaged;
    const size_t length = kLengthBase[length_code] + bits_.take(kLengthBits[length_code]);
    const int code = distances_.decode(bits_);
    if (code < 0 || code > 29) return bits_.overrun() ? kTruncated : kDamaged;
    const size_t distance = kDistanceBase[code] + bits_.take(kDistanceBits[code]);
    if (bits_.overrun()) return kTruncated;
    if (distance > size - start_) return kDamaged;
    uint8_t* to = out + size;
    const uint8_t* from = to - distance;
    if (distance >= 8) {  // may write up to 7 bytes too many: kSlack
      for (size_t k = 0; k < length; k += 8) std::memcpy(to + k, from + k, 8);
    } else {
      for (size_t k = 0; k < length; ++k) to[k] = from[k];
    }
    size += length;
    return nullptr;
  }

  static constexpr size_t kSlack = 8;
  Bits bits_;
  Buffer& out_;
  size_t start_, limit_;
  Huffman literals_, distances_;
};

// The size of a member's header, or empty if it is truncated or invalid.
std::optional<size_t> header_size(std::span<const uint8_t> bytes) {
  if (bytes.size() < 10 || !is_gzip(bytes)) return std::nullopt;
  const uint8_t flags = bytes[3];
  size_t size = 10;
  if (flags & 4) {  // extra field
    if (bytes.size() < size + 2) return std::nullopt;
    size += 2 + size_t{load<uint16_t>(bytes.data() + size)};
  }
  for (const int flag : {8, 16}) {  // name, comment
    if (!(flags & flag)) continue;
    while (size < bytes.size() && bytes[size] != 0) ++size;
    ++size;
  }
  if (flags & 2) size += 2;
  return size <= bytes.size() ? std::optional(size) : std::nullopt;
}

// Unpacks the first member of `bytes` and removes it.
Complaint gunzip_member(std::span<const uint8_t>& bytes, Buffer& out, size_t limit) {
  const auto header = header_size(bytes);
  if (!header) return kTruncated;
  const size_t start = out.size();
  Inflater inflater(bytes.subspan(*header), out, limit);
  if (Complaint complaint = inflater.run()) return complaint;
  const auto trailer = inflater.rest();
  if (trailer.size() < 8) return kTruncated;
  const auto member = out.view().subspan(start);
  if (load<uint32_t>(trailer.data()) != crc32(member) ||
      load<uint32_t>(trailer.data() + 4) != static_cast<uint32_t>(member.size())) {
    return "has a wrong checksum";
  }
  bytes = trailer.subspan(8);
  return nullptr;
}

}  // namespace

uint32_t crc32(std::span<const uint8_t> bytes) {
  const auto& table = kCrcTable;
  uint32_t crc = ~0u;
  const uint8_t *at = bytes.data(), *end = at + bytes.size();
  for (; end - at >= 8; at += 8) {
    const uint32_t low = load<uint32_t>(at) ^ crc, high = load<uint32_t>(at + 4);
    crc = table[7][low & 255] ^ table[6][low >> 8 & 255] ^ table[5][low >> 16 & 255] ^ table[4][low >> 24] ^
          table[3][high & 255] ^ table[2][high >> 8 & 255] ^ table[1][high >> 16 & 255] ^ table[0][high >> 24];
  }
  for (; at < end; ++at) crc = crc >> 8 ^ table[0][(crc ^ *at) & 255];
  return ~crc;
}

bool is_gzip(std::span<const uint8_t> bytes) {
  return bytes.size() >= 3 && bytes[0] == 0x1f && bytes[1] == 0x8b && bytes[2] == 8;
}

Result<Buffer> gunzip(std::span<const uint8_t> bytes, const std::string& name) {
  const size_t packed = bytes.size();
  const size_t limit = std::max(kFreeBytes, packed * kMaxRatio);
  Buffer out;
  // The last four bytes are the size of the last member modulo 2^32, which is only a hint.
  const size_t hint = packed >= 4 ? load<uint32_t>(bytes.data() + packed - 4) : 0;
  out.reserve(std::min(hint, packed * 20) + 1024);
  const auto is_zero = [](uint8_t byte) { return byte == 0; };
  do {
    if (Complaint complaint = gunzip_member(bytes, out, limit)) {
      return Error{
          format("%s: its gzip data %s (after %zu unpacked bytes). %s", name.c_str(), complaint, out.size(),
                 complaint == kTooLarge ? "Unpack it yourself if you trust it." : "Copy or download the file again.")};
    }
  } while (!std::all_of(bytes.begin(), bytes.end(), is_zero));  // tapes are padded with zeros
  return out;
}

}  // namespace hitbox::internal::io
