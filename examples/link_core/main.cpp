// Fits shapes around a mesh with the core alone: six quads in, one box out.
#include <cstdio>
#include <hitbox/fit/fit.hpp>
#include <hitbox/mesh/clean.hpp>

namespace fit = hitbox::internal::fit;

int main() {
  hitbox::Mesh mesh;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-2.0, 2.0})
      for (const double z : {-3.0, 3.0}) mesh.vertices.push_back({x, y, z});
  mesh.indices = {0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3};
  mesh.offsets = {0, 4, 8, 12, 16, 20, 24};
  if (const auto checked = hitbox::internal::mesh::check_mesh(mesh.view(), "box"); !checked) {
    std::fprintf(stderr, "%s\n", checked.error().message.c_str());
    return 2;
  }

  constexpr uint32_t kCount = 4;  // an upper bound: merges that add nothing go on below it
  hitbox::Run run(1);
  const fit::FitInput input(mesh.view(), mesh.view(), fit::FitOptions{}, run);
  const auto tree = fit::build_tree(input, kCount, run);
  const auto fitted = fit::shapes_after(input, tree, tree.merges_to(kCount), run);
  for (const hitbox::Shape& shape : fitted.shapes)
    std::printf("%s %.6f\n", hitbox::kKindNames[shape.index()].data(), hitbox::volume(shape));
}
