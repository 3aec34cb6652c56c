#include "measure/moments.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "measure/mesh_moments.hpp"
#include "measure/shape_moments.hpp"
#include "measure/union_moments.hpp"
#include "tests/check.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::measure;
using hitbox::internal::base::Random;

namespace {

Mesh mesh_of(const TriangleMesh& from) {
  Mesh mesh;
  mesh.vertices = from.vertices;
  for (const Triangle& t : from.triangles) {
    mesh.indices.insert(mesh.indices.end(), t.begin(), t.end());
    mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()));
  }
  return mesh;
}

// Volume, centre and moments agree, each compared with the solid's size.
bool agree(const Moments& a, const Moments& b, double within) {
  const double size = std::sqrt(b.about.trace() / b.volume), most = b.about.trace();
  const Sym3 difference = a.about + b.about * -1;
  double worst = 0;
  for (const double entry : {difference.xx, difference.xy, difference.xz, difference.yy, difference.yz, difference.zz})
    worst = std::max(worst, std::abs(entry));
  return std::abs(a.volume - b.volume) <= within * b.volume && norm(a.center - b.center) <= within * size &&
         worst <= within * most;
}

Box box(const Vec3& center, const Vec3& half) { return {center, {}, half}; }

Moments of_box(const Vec3& center, const Vec3& half) {
  const double volume = 8 * half.x * half.y * half.z, third = volume / 3;
  return {volume, center, {third * half.x * half.x, 0, 0, third * half.y * half.y, 0, third * half.z * half.z}};
}

Mesh together(const std::vector<Mesh>& meshes) {
  Mesh all;
  for (const Mesh& mesh : meshes) {
    const auto first = static_cast<uint32_t>(all.vertices.size());
    all.vertices.insert(all.vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
    for (const uint32_t v : mesh.indices) all.indices.push_back(first + v);
    const uint32_t corners = all.offsets.back();
    for (size_t f = 1; f < mesh.offsets.size(); ++f) all.offsets.push_back(corners + mesh.offsets[f]);
  }
  return all;
}

Mesh inside_out(Mesh mesh) {
  for (size_t f = 0; f + 1 < mesh.offsets.size(); ++f)
    std::reverse(mesh.indices.begin() + mesh.offsets[f], mesh.indices.begin() + mesh.offsets[f + 1]);
  return mesh;
}

}  // namespace

TEST(flat_sided_shapes_have_the_moments_of_their_meshes) {
  Random random(71);
  Run run(1);
  for (const Kind kind : {Kind::box, Kind::prism, Kind::hull})
    for (int round = 0; round < 50; ++round) {
      const Shape shape = tests::random_shape(random, kind);
      const Mesh mesh = mesh_of(to_mesh(shape, 4));
      CHECK(volume_fault(mesh.view(), run) == VolumeFault::none);
      CHECK(agree(shape_moments(shape), mesh_moments(mesh.view(), run), 1e-9));
    }
}

TEST(round_shapes_have_the_moments_of_fine_meshes) {
  Random random(72);
  Run run(1);
  for (const Kind kind : {Kind::sphere, Kind::capsule, Kind::cylinder, Kind::frustum})
    for (int round = 0; round < 8; ++round) {
      const Shape shape = tests::random_shape(random, kind);
      CHECK(agree(shape_moments(shape), mesh_moments(mesh_of(to_mesh(shape, 256)).view(), run), 2e-3));
    }
  const Moments ball = shape_moments(Sphere{{1, 2, 3}, 2});
  const double fifth = 4 / 3.0 * kPi * 8 * 4 / 5;
  CHECK(agree(ball, {4 / 3.0 * kPi * 8, {1, 2, 3}, {fifth, 0, 0, fifth, 0, fifth}}, 1e-12));
}

TEST(inner_points_are_inside_and_match_the_shape) {
  Random random(73);
  for (int kind = 0; kind < kKindCount; ++kind)
    for (int round = 0; round < 10; ++round) {
      const Shape shape = tests::random_shape(random, static_cast<Kind>(kind));
      const InnerPoints inner = inner_points(shape, 500, static_cast<size_t>(round), {1, -1, 2});
      std::vector<double> distances(500);
      signed_distance(shape, inner.points, distances);
      CHECK(*std::max_element(distances.begin(), distances.end()) < 1e-9);
      std::vector<MomentsPart> parts;
      for (size_t k = 0; k < 500; ++k) parts.push_back({inner.weights[k], {}, {}, inner.matched[k]});
      CHECK(agree(joined(parts, {1, -1, 2}), shape_moments(shape), 1e-9));
    }
}

TEST(what_overlaps_counts_once_in_a_union) {
  Random random(74);
  for (int round = 0; round < 20; ++round) {
    const Vec3 half{0.5, 0.7, 0.2};
    const auto part = [&](double most) { return random.uniform(-most, most); };
    const Vec3 shift{part(1), part(1.4), part(0.4)};
    const Vec3 shared = (half * 2 - abs(shift)) / 2;
    const Moments one = of_box({}, half), other = of_box(shift, half), both = of_box(shift / 2, shared);
    std::vector<MomentsPart> parts;
    for (const auto& [moments, sign] : {std::pair(one, 1.0), std::pair(other, 1.0), std::pair(both, -1.0)})
      parts.push_back({sign * moments.volume, {}, moments.about * sign, moments.center});
    const std::vector<Shape> shapes{box({}, half), box(shift, half)};
    Run alone(1), three(3);
    const Moments found = *union_moments(shapes, alone);
    CHECK(agree(found, joined(parts, {}), 3e-3));
    const Moments again = *union_moments(shapes, three);
    CHECK(found.volume == again.volume && found.center == again.center && found.about.xy == again.about.xy);
    const std::vector<Shape> equal{shapes[0], shapes[0], shapes[0]};
    CHECK(agree(*union_moments(equal, alone), one, 1e-9));
  }
}

TEST(shapes_apart_have_their_exact_moments_together) {
  Run run(2);
  const std::vector<Shape> apart{box({-1e6, 0, 0}, {1, 1, 1}), box({1e6, 0, 0}, {1, 1, 1})};
  const Moments found = *union_moments(apart, run);
  CHECK(found.volume == 16 && norm(found.center) < 1e-9);
  CHECK_NEAR(found.about.yy, 16 / 3.0, 1e-9);
  CHECK_NEAR(found.about.xx, 16e12 + 16 / 3.0, 0.1);
  const std::vector<Shape> flat{Hull{{{0, 0, 0}, {1, 0, 0}, {0, 1, 0}}, {{0, 1, 2}, {2, 1, 0}}}};
  CHECK(!union_moments(flat, run));
}

TEST(shells_are_material_and_cavity_in_turn) {
  Run run(1);
  const auto cube = [](double half, const Vec3& at) { return mesh_of(to_mesh(box(at, {half, half, half}), 4)); };
  const Mesh hollow = together({cube(2, {}), inside_out(cube(1, {0.5, 0, 0}))});
  CHECK(volume_fault(hollow.view(), run) == VolumeFault::none);
  CHECK_NEAR(mesh_moments(hollow.view(), run).volume, 56, 1e-9);
  CHECK_NEAR(mesh_moments(hollow.view(), run).center.x, -4 / 56.0, 1e-9);
  for (const Mesh& wrong : {together({cube(2, {}), cube(1, {})}), together({cube(2, {}), cube(2, {1, 1, 1})}),
                            together({cube(2, {}), inside_out(cube(1, {1.5, 0, 0}))})})
    CHECK(volume_fault(wrong.view(), run) == VolumeFault::overlapping);
  Mesh open = cube(1, {});
  open.indices.resize(open.indices.size() - 3);
  open.offsets.pop_back();
  CHECK(volume_fault(open.view(), run) == VolumeFault::open);
}
