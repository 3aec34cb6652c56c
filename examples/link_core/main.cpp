// Fits shapes around a mesh with the core alone: link_core [MESH [COUNT]]. Without a mesh: six quads become one box.
#include <cstdio>
#include <cstdlib>
#include <hitbox/hitbox.hpp>

namespace {

hitbox::Mesh box() {
  hitbox::Mesh mesh;
  for (const double x : {-1.0, 1.0})
    for (const double y : {-2.0, 2.0})
      for (const double z : {-3.0, 3.0}) mesh.vertices.push_back({x, y, z});
  mesh.indices = {0, 1, 3, 2, 4, 6, 7, 5, 0, 4, 5, 1, 2, 3, 7, 6, 0, 2, 6, 4, 1, 5, 7, 3};
  mesh.offsets = {0, 4, 8, 12, 16, 20, 24};
  return mesh;
}

int fail(const hitbox::Error& error) {
  std::fprintf(stderr, "link_core: %s\n", error.message.c_str());
  return 2;
}

// An engine makes its own bodies here. The members of each kind are in hitbox/shapes/<kind>.hpp.
void print(const hitbox::Shape& shape) {
  const hitbox::Bounds at = hitbox::bounds(shape);
  std::printf("%s %.6f from %.6f %.6f %.6f to %.6f %.6f %.6f\n", hitbox::kKindNames[shape.index()].data(),
              hitbox::volume(shape), at.low.x, at.low.y, at.low.z, at.high.x, at.high.y, at.high.z);
}

}  // namespace

int main(int count, char** arguments) {
  const hitbox::Result<hitbox::Mesh> mesh = count > 1 ? hitbox::read(arguments[1]) : box();
  if (!mesh) return fail(mesh.error());
  hitbox::FitOptions options;  // without a count: as few shapes as stay within 3 % of the diagonal
  if (count > 2) options.count = static_cast<uint32_t>(std::strtoul(arguments[2], nullptr, 10));
  hitbox::Run run;  // with a thread per processor
  const hitbox::Result<hitbox::FitResult> fitted = hitbox::fit(*mesh, options, run);
  if (!fitted) return fail(fitted.error());
  for (const hitbox::Shape& shape : fitted->shapes) print(shape);
}
