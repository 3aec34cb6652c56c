// Fits the six kinds around a set of points in a given frame (paper 1, 3.2), with one function per kind. Frustum and
// prism are the exact optimum for their frame, by one-dimensional convex problems instead of the paper's Alg. 2 and 3,
// whose result depends on the order of the points.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/fit.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox::internal::primitives {

// The cost of a shape: its weight times its volume after growing by `clearance` on all sides (Steiner).
struct CostModel {
  std::array<bool, kPrimitiveCount> kinds;
  std::array<double, kPrimitiveCount> weights;
  double clearance;              // 0: the plain volume of Eq. 4
  double thickness;              // least half extent or radius
  uint32_t overlap_samples = 0;  // per pair; 0: shared volume counts twice (Eq. 4)

  bool allows(Kind kind) const { return kinds[static_cast<size_t>(kind)]; }
  double weight(Kind kind) const { return weights[static_cast<size_t>(kind)]; }
  template <class S>
  double cost(const S& shape) const {
    constexpr double kBall = 4.0 / 3 * kPi;
    const double c = clearance;
    const double rim = c > 0 ? c * (area(shape) + c * (mean_curvature(shape) + c * kBall)) : 0;
    return weight(S::kKind) * (hitbox::volume(shape) + rim);
  }
  double cost(const Shape& shape) const {
    return std::visit(
        [this](const auto& s) {
          if constexpr (std::is_same_v<std::decay_t<decltype(s)>, Hull>)
            return Bounds::kInfinity;
          else
            return cost(s);
        },
        shape);
  }
};

// A shape in the frame of its fit.
struct Fitted {
  Kind kind = Kind::box;
  Frame frame;                   // axis[0]: the axis of a capsule, cylinder or frustum
  Vec3 center;                   // in world coordinates
  std::array<double, 4> size{};  // box: half extents; sphere: radius; capsule, cylinder: half
                                 // length, radius; frustum: half length, radius at -axis, at
                                 // +axis; prism: half_x, half_y, half_top, half_bottom
  double reach = 0;              // largest distance of its surface from the mesh, if measured
  bool refused = false;          // it enters space to be kept clear
  bool about_center = false;     // its centre or axis was given, so refitting keeps it
  double weight = 1;             // of its kind
  double volume = 0;             // plain volume times the weight
  double cost = Bounds::kInfinity;
};

// Points as three arrays, the input of the fits.
struct PointArrays {
  std::vector<double> x, y, z;

  size_t size() const { return x.size(); }
  void assign(std::span<const Vec3> vertices, std::span<const uint32_t> ids);
  void append(std::span<const Vec3> vertices, std::span<const uint32_t> ids);
};

// Scratch memory of one thread.
class Fitter {
 public:
  explicit Fitter(const CostModel& model) : model_(model) {}

  PointArrays points;

  // The smallest box over all frames.
  Fitted smallest_box(std::span<const Frame> frames);
  // The cheapest allowed kind in the frame of the smallest box.
  Fitted cheapest(std::span<const Frame> frames);
  // The cheapest allowed kind over all frames.
  Fitted cheapest_of_all(std::span<const Frame> frames);
  // The smallest shape of each allowed kind over all frames, in the order of Kind.
  std::vector<Fitted> smallest_of_each_kind(std::span<const Frame> frames);
  // The allowed round kinds around this centre (a sphere), or around the line through it along the frame's first axis.
  // They need not be the smallest, because surface inside a solid costs little.
  std::vector<Fitted> round_about(const Frame& frame, const Vec3& center);
  // The same around the line that the points bend around, seen along the frame's first axis: the centre of the closest
  // circle. None if the points are straight.
  std::vector<Fitted> round_like_points(const Frame& frame);
  // Fits this kind and frame, the result of a call above, to other points.
  Fitted refit(const Fitted& like);

 private:
  double project(const Frame& frame);  // returns the grown volume of the box
  void project_to_smallest(std::span<const Frame> frames);
  // The destination of the best shapes: one for all kinds, or one per kind.
  struct Slots {
    std::array<Fitted*, kPrimitiveCount> of_kind;
    Fitted& operator[](Kind kind) const { return *of_kind[static_cast<size_t>(kind)]; }
  };
  static Slots all_into(Fitted& best);
  void try_kinds(const Slots& best);
  void try_box(Fitted& best);
  void try_sphere(Fitted& best);
  void try_round(const Slots& best);
  double measure_radius(int axis);
  void try_cylinder(int axis, double radius, Fitted& best);
  void try_capsule(int axis, double radius, Fitted& best);
  double least_frustum_cost(double h, double mid_radius) const;
  void try_frustum(int axis, double radius, Fitted& best);
  void try_prisms(Fitted& best);
  struct WidthLine {
    double width, slope;  // at lean 0, and per lean
  };
  struct Crossing {
    double lean, width;
  };
  struct WidthBound;
  static Crossing crossing(const WidthLine& a, const WidthLine& b);
  WidthBound bound_width(int y, int z, double enough) const;
  double hopeless_width(int x, int y, double cost) const;
  void try_prism(int x, int y, int z, double enough, Fitted& best);
  template <class S>
  void offer(Fitted& best, const S& shape, const Frame& frame, const Vec3& local_center,
             std::array<double, 4> size) const;

  const CostModel& model_;
  Frame frame_;
  std::vector<double> local_[3];  // coordinates in the frame, relative to mid_
  std::vector<double> rho_sq_;    // squared distances from the last axis
  Vec3 mid_, half_;
};

Shape to_shape(const Fitted& fitted);

}  // namespace hitbox::internal::primitives
