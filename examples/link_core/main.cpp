// Fits shapes around a mesh with the core alone: six quads become one box.
#include <cstdio>
#include <hitbox/hitbox.hpp>

int main() {
  hitbox::Mesh mesh;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-2.0, 2.0})
      for (const double z : {-3.0, 3.0}) mesh.vertices.push_back({x, y, z});
  mesh.indices = {0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3};
  mesh.offsets = {0, 4, 8, 12, 16, 20, 24};

  hitbox::Run run;
  const auto fitted = hitbox::fit(mesh.view(), {.count = 4}, run);
  if (!fitted) {
    std::fprintf(stderr, "%s\n", fitted.error().message.c_str());
    return 2;
  }
  for (const hitbox::Shape& shape : fitted.value().shapes)
    std::printf("%s %.6f\n", hitbox::kKindNames[shape.index()].data(), hitbox::volume(shape));
}
