#include "mesh/edges.hpp"

#include <array>
#include <bit>
#include <utility>

#include "base/assert.hpp"

namespace hitbox::internal::mesh {
namespace {

constexpr int kDigitBits = 11;
constexpr uint32_t kDigits = 1u << kDigitBits;

// One stable pass of the sort over one digit of one field.
void sort_by_digit(std::vector<HalfEdge>& from, std::vector<HalfEdge>& to, uint32_t HalfEdge::*field, int shift) {
  std::array<size_t, kDigits> start{};
  for (const HalfEdge& edge : from) ++start[edge.*field >> shift & (kDigits - 1)];
  size_t sum = 0;
  for (size_t& count : start) sum += std::exchange(count, sum);
  for (const HalfEdge& edge : from) to[start[edge.*field >> shift & (kDigits - 1)]++] = edge;
  from.swap(to);
}

}  // namespace

std::vector<HalfEdge> sorted_half_edges(const MeshView& mesh, Run& run) {
  HITBOX_ASSERT(mesh.face_count() < 0x80000000u);
  std::vector<HalfEdge> edges;
  edges.reserve(mesh.indices.size());
  for (size_t f = 0; f < mesh.face_count(); ++f) {
    const auto corners = mesh.face(f);
    uint32_t previous = corners.back();
    for (const uint32_t corner : corners) {
      const bool up = previous < corner;
      if (previous != corner) {
        edges.push_back({up ? previous : corner, up ? corner : previous, static_cast<uint32_t>(2 * f + (up ? 1 : 0))});
      }
      previous = corner;
    }
  }
  // The uses are made in the order of faces. Stable passes over `high`, then over `low`, keep it.
  const auto bits = static_cast<int>(std::bit_width(mesh.vertices.size()));
  std::vector<HalfEdge> scratch(edges.size());
  for (uint32_t HalfEdge::*field : {&HalfEdge::high, &HalfEdge::low}) {
    for (int shift = 0; shift < bits && shift < 32; shift += kDigitBits) {
      run.poll();
      sort_by_digit(edges, scratch, field, shift);
    }
  }
  return edges;
}

}  // namespace hitbox::internal::mesh
