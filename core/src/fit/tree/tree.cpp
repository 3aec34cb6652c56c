#include "fit/tree/tree.hpp"

#include <algorithm>
#include <numeric>

#include "hitbox/bounds.hpp"

namespace hitbox::internal::fit {

size_t MergeTree::merges_to(uint32_t count) const {
  constexpr double kNothing = 1e-12;
  const size_t wanted = face_count > count ? face_count - count : 0;
  size_t applied = std::min(wanted, merges.size());
  // Below the count, a merge that adds volume is a debt, which is paid off if its cluster ends up filling nothing.
  const size_t first = applied;
  std::vector<bool> owes(merges.size() - first);
  const auto debt_of = [&](uint32_t node) { return node >= face_count + first && owes[node - face_count - first]; };
  int debts = 0;
  for (size_t k = first; k < merges.size(); ++k) {
    const auto& [a, b, added, fills_nothing] = merges[k];
    if (added == Bounds::kInfinity) break;
    debts -= debt_of(a) + debt_of(b);
    owes[k - first] = !fills_nothing && (added > kNothing || debt_of(a) || debt_of(b));
    debts += owes[k - first];
    if (debts == 0) applied = k + 1;
  }
  return applied;
}

uint32_t MergeTree::first_face(uint32_t node) const {
  while (node >= face_count) node = merges[node - face_count].a;
  return node;
}

Partition MergeTree::partition_after(size_t merge_count) const {
  // Assigns to each node its topmost ancestor below the cut, parents before children.
  std::vector<uint32_t> top(face_count + merge_count);
  std::iota(top.begin(), top.end(), 0u);
  for (size_t k = merge_count; k-- > 0;) {
    const uint32_t root = top[face_count + k];
    top[merges[k].a] = top[merges[k].b] = root;
  }
  Partition partition;
  partition.cluster_of_face.resize(face_count);
  constexpr uint32_t kUnnumbered = UINT32_MAX;
  std::vector<uint32_t> number(top.size(), kUnnumbered);
  for (uint32_t face = 0; face < face_count; ++face) {
    uint32_t& n = number[top[face]];
    if (n == kUnnumbered) n = partition.cluster_count++;
    partition.cluster_of_face[face] = n;
  }
  return partition;
}

void MergeTree::merge_parts(std::span<const SimplePart> parts) {
  for (const SimplePart& part : parts) {
    uint32_t node = part.faces[0];
    for (size_t k = 1; k < part.faces.size(); ++k) {
      merges.push_back({node, part.faces[k], 0, false});
      node = face_count + static_cast<uint32_t>(merges.size()) - 1;
    }
    simple.push_back({node, part.faces[0], part.shape});
  }
}

Partition MergeTree::in_input_faces(Partition partition) const {
  if (input_face.empty()) return partition;
  std::vector<uint32_t> of_input(1 + *std::max_element(input_face.begin(), input_face.end()));
  for (size_t k = face_count; k-- > 0;) of_input[input_face[k]] = partition.cluster_of_face[k];
  partition.cluster_of_face = std::move(of_input);
  return partition;
}

}  // namespace hitbox::internal::fit
