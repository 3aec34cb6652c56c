// The six kinds fitted around a set of points in a given frame (paper 1, 3.2), one function a
// kind. Frustum and prism are the exact optimum for their frame: one-dimensional convex problems
// instead of the paper's Alg. 2 and 3, whose answer depends on the order of the points.
#pragma once

#include <array>
#include <span>
#include <vector>

#include "base/rooms.hpp"
#include "hitbox/fit.hpp"
#include "hitbox/shapes.hpp"

namespace hitbox::internal::primitives {

// What a shape costs: its weight x its volume grown by `clearance` on all sides (Steiner).
struct CostModel {
  std::array<bool, kPrimitiveCount> kinds;
  std::array<double, kPrimitiveCount> weights;
  double clearance;              // 0: the plain volume of Eq. 4
  double thickness;              // smallest half extent or radius
  uint32_t overlap_samples = 0;  // a pair; 0: what two shapes share counts twice (Eq. 4)

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

// A shape in the frame it was fitted in.
struct Fitted {
  Kind kind = Kind::box;
  Frame frame;                   // axis[0]: the axis of a capsule, cylinder or frustum
  Vec3 center;                   // in world coordinates
  std::array<double, 4> size{};  // box: half extents; sphere: radius; capsule, cylinder: half
                                 // length, radius; frustum: half length, radius at -axis, at
                                 // +axis; prism: half_x, half_y, half_top, half_bottom
  double reach = 0;              // how far its surface is from the mesh at most, where measured
  bool refused = false;          // it enters space that is to be kept clear
  bool about_center = false;     // its centre or axis was given, not found: refitting keeps it
  double weight = 1;             // of the kind
  double volume = 0;             // plain, times the weight
  double cost = Bounds::kInfinity;
};

// Points as three arrays: what the fits run over.
struct PointArrays {
  std::vector<double> x, y, z;

  size_t size() const { return x.size(); }
  void assign(std::span<const Vec3> vertices, std::span<const uint32_t> ids);
  void append(std::span<const Vec3> vertices, std::span<const uint32_t> ids);
};

// Scratch of one thread.
class Fitter {
 public:
  explicit Fitter(const CostModel& model) : model_(model) {}

  PointArrays points;

  // The box in the frame that has the smallest one.
  Fitted smallest_box(std::span<const Frame> frames);
  // The cheapest allowed kind in the frame that has the smallest box.
  Fitted cheapest(std::span<const Frame> frames);
  // The cheapest allowed kind over all frames.
  Fitted cheapest_of_all(std::span<const Frame> frames);
  // The smallest of each allowed kind over all frames, in order of Kind.
  std::vector<Fitted> smallest_of_each_kind(std::span<const Frame> frames);
  // The round kinds that are allowed, about this centre (a sphere) or about the line through it along
  // the frame's first axis. They need not be the smallest: what lies inside a solid costs little.
  std::vector<Fitted> round_about(const Frame& frame, const Vec3& center);
  // The same about the line that the points bend around, seen along the frame's first axis: that of the circle
  // nearest to them. None where they are straight.
  std::vector<Fitted> round_like_points(const Frame& frame);
  // Fits this kind and frame (as they came out of a call above) again, on other points.
  Fitted refit(const Fitted& like);

 private:
  double project(const Frame& frame);  // the grown volume of the box
  void project_to_smallest(std::span<const Frame> frames);
  // Where the best of each kind goes: all into one, or each kind into its own.
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
  std::vector<double> rho_sq_;    // squared distances from the axis measured last
  Vec3 mid_, half_;
};

Shape to_shape(const Fitted& fitted);

}  // namespace hitbox::internal::primitives
