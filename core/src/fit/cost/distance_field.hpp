// Fast approximate distances of points from a mesh. fit uses them millions of times per run to measure deviation.
// (Guarantees and reports use the exact tree in bvh/.)
//
// Each node of a grid stores its nearest triangle. A query starts at the triangle of the nearest node and walks over
// edges while that leads closer, so the grid may be much coarser than the triangles. The distance is exact for some
// triangle near the point, so it is never below the true one.
//
// Distances inside a solid count a twentieth, because nothing can touch that space.
// Numbers are floats, so a query reads one cache line per triangle. Coordinates are those of a unit-diagonal mesh.
// Cost: 0.1 s to build for 100k faces, about 15 ns per query, four at a time.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/lanes.hpp"
#include "hitbox/mesh.hpp"
#include "hitbox/run.hpp"
#include "hitbox/triangle_mesh.hpp"

namespace hitbox::internal::fit {

class DistanceField {
 public:
  // `solid`: the mesh is closed, and its inside hardly counts. `importance` is empty, or has a factor per face for
  // distances from it. `shapes` is about the number of shapes to measure; 0: unknown.
  DistanceField(const MeshView& mesh, bool solid, std::span<const double> importance, uint32_t shapes, Run& run);

  void at(std::span<const Vec3> points, std::span<double> distances) const;  // one per point
  // Continues where the walk ends at a corner of the mesh. This takes longer.
  double carefully_at(const Vec3& point) const;
  double to_surface(const Vec3& p) const;  // the plain distance, also inside
  bool is_solid() const { return solid_; }

 private:
  template <class F>
  struct PointOf {
    F x, y, z;
  };
  using Point = PointOf<float>;
  static Point to_float(const Vec3& p);
  static PointOf<Float4> together(const std::array<Point, 4>& p);
  struct alignas(64) Facet {
    Point a, ab, ac, normal;         // a corner, two edges, the unit normal
    float inverse;                   // one over the determinant of the Gram matrix of the edges; 0: a sliver
    std::array<uint32_t, 3> across;  // the facet across a-b, b-c, c-a; kNone: none or several
  };
  static_assert(sizeof(Facet) == 64);
  static constexpr float kNoEdge = -1;
  template <class F>
  struct NearOf {
    F distance_sq, side;  // side: positive outside
    F edge;               // 0, 1 or 2: the edge of the nearest point, or kNoEdge
  };
  using Near = NearOf<float>;

  void add_facets(std::span<const Vec3> vertices, std::span<const Triangle> triangles, Run& run);
  void find_neighbours(std::span<const Vec3> vertices, std::span<const Triangle> triangles, Run& run);
  void lay_grid(const MeshView& mesh, uint32_t shapes);
  void seed(uint32_t facet);
  void spread(Run& run);
  void offer(const std::array<size_t, 4>& nodes, uint32_t facet);
  Point node_point(size_t node) const;
  size_t nearest_node(const Point& q) const;
  template <class F>
  static NearOf<F> nearest_of(const PointOf<F>& a, const PointOf<F>& ab, const PointOf<F>& ac, const PointOf<F>& normal,
                              F inverse, const PointOf<F>& p);
  NearOf<Float4> nearest(const std::array<uint32_t, 4>& facets, const PointOf<Float4>& p) const;
  Near nearest(uint32_t facet, const Point& p) const;
  struct Found {
    float distance_sq;
    uint32_t facet;
    bool inside;
  };
  void measure(std::span<const Vec3> points, std::span<double> distances) const;
  void measure_with_avx2(std::span<const Vec3> points, std::span<double> distances) const;
  std::array<Found, 4> find(const std::array<Point, 4>& points) const;
  Found find_carefully(const Point& q) const;
  double distance_of(const Found& found) const;
  bool step_aside(const Point& q, uint32_t& facet, Near& near) const;

  bool solid_;
  std::vector<Facet> facets_;      // along a Morton curve, so that neighbours are usually in the cache
  std::vector<float> importance_;  // per facet; empty: all 1
  std::array<int, 3> size_{};
  Point origin_{};
  float spacing_ = 1, inverse_spacing_ = 1;
  std::vector<uint32_t> facet_of_node_;
  // Only used while building. The high bits are those of the facet's squared distance, which is not negative, the low
  // bits its number. So the minimum is the nearest facet, and the first of equally near ones.
  std::vector<uint64_t> nearest_of_node_;
};

}  // namespace hitbox::internal::fit
