#include "mesh/duplicates.hpp"

#include <algorithm>
#include <set>

#include "base/random.hpp"
#include "tests/check.hpp"

using namespace hitbox;
using namespace hitbox::internal::mesh;

namespace {

using Face = std::vector<uint32_t>;

Face face_of(const Mesh& mesh, size_t f) { return {mesh.view().face(f).begin(), mesh.view().face(f).end()}; }
std::set<uint32_t> set_of(const Face& face) { return {face.begin(), face.end()}; }

bool is_turned(Face a, const Face& b) {  // some rotation of a is b
  for (size_t k = 0; k < a.size(); ++k) {
    if (a == b) return true;
    std::rotate(a.begin(), a.begin() + 1, a.end());
  }
  return false;
}

}  // namespace

TEST(copies_of_faces_are_named_with_their_way_round) {
  Random random(31);
  size_t seen[4] = {0, 0, 0, 0};
  for (int round = 0; round < 100; ++round) {
    Mesh mesh;
    mesh.vertices.resize(5);
    for (size_t f = 0; f < 60; ++f) {
      for (uint64_t k = 3 + random.below(3); k > 0; --k)
        mesh.indices.push_back(static_cast<uint32_t>(random.below(mesh.vertices.size())));
      mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
    }
    const Duplicates found = duplicate_faces(mesh.view());
    size_t copies = 0;
    for (uint32_t f = 0; f < found.first.size(); ++f) {
      const Face face = face_of(mesh, f);
      uint32_t first = 0;
      while (set_of(face_of(mesh, first)) != set_of(face)) ++first;
      CHECK(found.first[f] == first);
      const Face other = face_of(mesh, first), back(face.rbegin(), face.rend());
      const Copy expected = first == f               ? Copy::none
                            : is_turned(face, other) ? Copy::same
                            : is_turned(back, other) ? Copy::opposite
                                                     : Copy::other;
      CHECK(found.copy[f] == expected);
      copies += expected != Copy::none;
      ++seen[static_cast<size_t>(expected)];
    }
    CHECK(found.count == copies);
    CHECK(count_duplicate_faces(mesh.view()) == copies);
  }
  for (const size_t count : seen) CHECK(count > 50);
}
