#include "hitbox/shapes/box.hpp"

namespace hitbox {

double volume(const Box& box) { return 8 * box.half_extents.x * box.half_extents.y * box.half_extents.z; }

double area(const Box& box) {
  const Vec3& h = box.half_extents;
  return 8 * (h.x * h.y + h.y * h.z + h.z * h.x);
}

double mean_curvature(const Box& box) {
  return 2 * kPi * (box.half_extents.x + box.half_extents.y + box.half_extents.z);
}

Bounds bounds(const Box& box) {
  const Frame frame = to_frame(box.rotation);
  Vec3 size;
  for (int k = 0; k < 3; ++k) size += abs(frame.axis[k]) * box.half_extents[k];
  return {box.center - size, box.center + size};
}

void signed_distance(const Box& box, std::span<const Vec3> points, std::span<double> out) {
  const Frame frame = to_frame(box.rotation);
  for (size_t k = 0; k < points.size(); ++k) {
    const Vec3 beyond = abs(frame.to_local(points[k] - box.center)) - box.half_extents;
    out[k] = norm(max(beyond, Vec3{0, 0, 0})) + std::min(max_component(beyond), 0.0);
  }
}

void support(const Box& box, std::span<const Vec3> directions, std::span<Vec3> out) {
  const Frame frame = to_frame(box.rotation);
  for (size_t k = 0; k < directions.size(); ++k) {
    const Vec3 d = frame.to_local(directions[k]), &h = box.half_extents;
    const Vec3 corner{d.x < 0 ? -h.x : h.x, d.y < 0 ? -h.y : h.y, d.z < 0 ? -h.z : h.z};
    out[k] = box.center + frame.to_world(corner);
  }
}

Vec3 nearest(const Box& box, const Vec3& p) {
  const Frame frame = to_frame(box.rotation);
  const Vec3 local = frame.to_local(p - box.center), inside = min(max(local, -box.half_extents), box.half_extents);
  return inside == local ? p : box.center + frame.to_world(inside);
}

TriangleMesh to_mesh(const Box& box, int) {
  const Frame frame = to_frame(box.rotation);
  const Vec3& h = box.half_extents;
  TriangleMesh mesh;
  for (int k = 0; k < 8; ++k)
    mesh.vertices.push_back(box.center + frame.to_world({k & 1 ? h.x : -h.x, k & 2 ? h.y : -h.y, k & 4 ? h.z : -h.z}));
  mesh.triangles = {{0, 2, 3}, {0, 3, 1}, {4, 5, 7}, {4, 7, 6}, {0, 1, 5}, {0, 5, 4},
                    {2, 6, 7}, {2, 7, 3}, {0, 4, 6}, {0, 6, 2}, {1, 3, 7}, {1, 7, 5}};
  return mesh;
}

Box grown(const Box& box, double by) { return {box.center, box.rotation, box.half_extents + Vec3{by, by, by}}; }

Box shrunk(const Box& box, double by, double least) {
  const Vec3& h = box.half_extents;
  return {box.center,
          box.rotation,
          {shrunk_size(h.x, by, least), shrunk_size(h.y, by, least), shrunk_size(h.z, by, least)}};
}

Box transformed(const Box& box, const Similarity& similarity) {
  return {similarity.apply(box.center), similarity.rotation * box.rotation, box.half_extents * similarity.scale};
}

}  // namespace hitbox
