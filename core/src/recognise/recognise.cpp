#include "recognise/recognise.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"
#include "base/tolerances.hpp"
#include "bvh/bvh.hpp"
#include "geometry/eigen3.hpp"
#include "geometry/min_ball.hpp"
#include "hulls/capped_hull.hpp"
#include "mesh/edges.hpp"
#include "mesh/triangulate.hpp"
#include "primitives/moments.hpp"
#include "primitives/operator.hpp"
#include "shapes/enclosing.hpp"
#include "shapes/surface.hpp"

namespace hitbox::internal::recognise {

namespace {

constexpr size_t kWedge = 5;         // faces; no primitive has fewer
constexpr double kFlat = 2e-3;       // fraction of the shape's diagonal: the tolerance of flat sides
constexpr double kBelowArc = 0.05;   // fraction of the radius: allows facets of 10 sides, but not of 8
constexpr double kBelowDome = 0.08;  // the same for doubly curved surfaces
constexpr double kCorner = 4e-3;     // fraction of the radius: the tolerance of corners of a round shape
// tolerance of a convex part: its hull may be larger, and its area smaller, by this
constexpr double kAsLarge = 5e-3;
constexpr uint32_t kFewestOfHull = 4;  // vertices
constexpr double kExact = 5e-4;        // fraction of the diagonal: closer shapes count as equal
constexpr double kPerRank = 0.02;      // a kind must be closer than the previous one by this
constexpr size_t kPollEvery = 1 << 13;
constexpr size_t kGlance = 256;        // vertices of the first test of a large part
constexpr size_t kSamples = 512;       // samples on the shape, if the part is not closed
constexpr size_t kMostCorners = 1024;  // limit for a convex part, because reducing their hull takes 30 ms

constexpr std::array<Kind, kPrimitiveCount> kByPreference = {Kind::sphere,   Kind::box,   Kind::capsule,
                                                             Kind::cylinder, Kind::prism, Kind::frustum};

bool is_flat(Kind kind) { return kind == Kind::box || kind == Kind::prism; }
bool is_dome(Kind kind) { return kind == Kind::sphere || kind == Kind::capsule; }

// The least fraction of a shape's area and volume that a part may have: prisms of 10 sides have 0.935 of a cylinder, a
// ball of 80 triangles 0.87.
double least_share(Kind kind) { return is_flat(kind) ? 0.97 : is_dome(kind) ? 0.8 : 0.93; }

double radius_of(const Fitted& f) {
  return f.kind == Kind::sphere ? f.size[0] : f.kind == Kind::frustum ? std::max(f.size[1], f.size[2]) : f.size[1];
}

// The diagonal of the box around the shape, along its own axes.
double diagonal_of(const Fitted& f) {
  const double r = is_flat(f.kind) ? 0 : radius_of(f);
  switch (f.kind) {
    case Kind::box: return 2 * norm({f.size[0], f.size[1], f.size[2]});
    case Kind::prism: return 2 * norm({f.size[0], f.size[1], std::max(f.size[2], f.size[3])});
    case Kind::sphere: return 2 * norm({r, r, r});
    case Kind::capsule: return 2 * norm({f.size[0] + r, r, r});
    default: return 2 * norm({f.size[0], r, r});
  }
}

// The axis about which a tensor is most nearly symmetric.
Vec3 symmetry_axis(const Sym3& tensor) {
  const Eigen3 eigen = eigen3(tensor);
  return eigen.vectors.axis[eigen.value[1] - eigen.value[0] < eigen.value[2] - eigen.value[1] ? 2 : 0];
}

std::vector<uint32_t> all_of(size_t count) {
  std::vector<uint32_t> numbers(count);
  std::iota(numbers.begin(), numbers.end(), 0u);
  return numbers;
}

class Recogniser {
 public:
  Recogniser(const MeshView& part, const FaceDirections& directions, const CostModel& model, Run& run)
      : part_(part), directions_(directions), model_(model), run_(run), fitter_(model) {}

  std::optional<Fitted> best() {
    for (const Kind kind : kByPreference) {
      if (model_.allows(kind)) try_kind(kind);
      ++rank_;
      if (best_score_ <= kExact * (1 + kPerRank * rank_)) break;
    }
    return best_;
  }

  std::optional<ConvexPart> convex(uint32_t most_vertices) {
    if (!is_closed()) return {};
    const double enclosed = signed_volume(part_);
    const std::vector<Vec3> points = outermost_points(std::abs(enclosed));
    if (points.empty()) return {};
    std::optional<Hull> hull = capped_hull(points, most_vertices, model_.thickness);
    if (!hull) return {};
    hull = std::get<Hull>(enclosing(std::move(*hull), part_.vertices, Tolerances::of_diagonal(1)));
    const double limit = std::max(kFlat * bounds(*hull).diagonal(), 4 * model_.thickness);
    double depth = 0;
    if (is_larger(*hull, std::abs(enclosed)) || directions_.total_area > (1 + kAsLarge) * area(*hull) ||
        !deepest(*hull, part_.vertices, limit, depth) || !deepest(*hull, middles(), limit, depth) ||
        !faces_look_out(hull->vertices, enclosed < 0, limit))
      return {};
    return ConvexPart{*hull, box_of(*hull)};
  }

 private:
  void try_kind(Kind kind);
  void try_flat(Kind kind);
  void try_axes(Kind kind);
  void consider(const Fitted& shape);
  bool is_worth_a_look(const Frame& frame, Kind kind);
  std::optional<Fitted> round_fit(const Frame& frame, Kind kind, size_t step);
  const std::vector<Vec3>& axes();
  const std::vector<Frame>& frames();
  void load(size_t step);
  double sagitta(const Fitted& shape) const;
  bool deepest(const Shape& shape, std::span<const Vec3> points, double limit, double& depth) const;
  template <class Wanted>
  std::vector<uint32_t> corners_among(Wanted&& is_wanted) const;
  bool corners_lie_on(const Shape& shape, double limit) const;
  // Whether the hull is larger than the part's volume by more than half a percent and the required thickness.
  bool is_larger(const Hull& hull, double enclosed) const {
    return volume(hull) > (1 + kAsLarge) * enclosed + directions_.total_area * model_.thickness;
  }
  std::vector<Vec3> outermost_points(double enclosed) const;
  bool faces_look_out(std::span<const Vec3> corners, bool looks_inward, double limit) const;
  Fitted box_of(const Hull& hull);
  bool is_closed();
  bool leaves_nothing_bare(const Fitted& fitted, const Shape& shape, double limit);
  const std::vector<Vec3>& middles();

  const MeshView& part_;
  const FaceDirections& directions_;
  const CostModel& model_;
  Run& run_;
  Fitter fitter_;
  size_t loaded_step_ = 0;  // the fitter has every loaded_step_-th vertex; 0: none yet
  std::vector<Vec3> axes_;
  std::vector<Frame> frames_;
  std::vector<Vec3> middles_;
  std::optional<bool> closed_;
  std::optional<TriangleBvh> surface_;
  int rank_ = 0;
  double best_score_ = Bounds::kInfinity;
  std::optional<Fitted> best_;
};

void Recogniser::load(size_t step) {
  if (loaded_step_ == step) return;
  loaded_step_ = step;
  std::vector<uint32_t> ids;
  for (size_t v = 0; v < part_.vertices.size(); v += step) ids.push_back(static_cast<uint32_t>(v));
  fitter_.points.assign(part_.vertices, ids);
}

// Each tensor fails for cylinders of one height: that of the normals at two radii, that of the moments at 1.6. Neither
// depends on the tessellation. The normals of lids give the axis, too.
const std::vector<Vec3>& Recogniser::axes() {
  if (!axes_.empty()) return axes_;
  Sym3 normals;
  Moments moments{};
  for (size_t f = 0; f < part_.face_count(); ++f) {
    if (f % kPollEvery == 0) run_.poll();
    normals = normals + face_operator(part_.vertices, part_.face(f)).normal;
    const Moments of_face = face_moments(part_.vertices, part_.face(f));
    moments = f == 0 ? of_face : moments + of_face;
  }
  axes_ = {symmetry_axis(normals), symmetry_axis(moments.second)};
  for (const Direction& d : directions_.main)
    if (axes_.size() < 4) axes_.push_back(d.normal);
  return axes_;
}

// Pairs of perpendicular directions: one of them is the frame of a box or a prism.
const std::vector<Frame>& Recogniser::frames() {
  constexpr size_t kMost = 6;
  const std::vector<Direction>& main = directions_.main;
  if (!frames_.empty()) return frames_;
  for (size_t a = 0; a < std::min(main.size(), kMost); ++a)
    for (size_t b = a + 1; b < std::min(main.size(), kMost); ++b)
      if (are_perpendicular(main[a].normal, main[b].normal))
        frames_.push_back(frame_from(main[a].normal, main[b].normal));
  return frames_;
}

void Recogniser::try_kind(Kind kind) {
  if (is_flat(kind)) {
    try_flat(kind);
  } else if (kind == Kind::sphere) {
    const Vec3 size = bounds_of(part_.vertices).size();
    if (min_component(size) < 0.8 * max_component(size)) return;
    const Ball ball = min_ball(part_.vertices);
    Fitted fitted;
    fitted.kind = kind;
    fitted.center = ball.center;
    fitted.size = {std::max(ball.radius, model_.thickness)};
    consider(fitted);
  } else {
    try_axes(kind);
  }
}

void Recogniser::try_flat(Kind kind) {
  constexpr double kMostly = 0.97;
  if (directions_.main_area < kMostly * directions_.total_area) return;
  load(1);
  for (const Frame& frame : frames()) {
    const int turns = kind == Kind::box ? 1 : 3;
    for (int x = 0; x < turns; ++x)
      for (int turn = 1; turn <= (turns == 1 ? 1 : 2); ++turn) {
        Fitted like;
        like.kind = kind;
        like.frame = permuted(frame, x, (x + turn) % 3);
        const Fitted fitted = fitter_.refit(like);
        if (fitted.kind == kind) consider(fitted);
      }
    if (kind == Kind::box) break;  // three perpendicular directions make one frame
  }
}

void Recogniser::try_axes(Kind kind) {
  for (const Vec3& axis : axes()) {
    const Frame frame = frame_from(axis, any_perpendicular(axis));
    if (!is_worth_a_look(frame, kind)) continue;
    if (const auto fitted = round_fit(frame, kind, 1)) consider(*fitted);
  }
}

// Round shapes around the centre of the smallest circle around the points, seen along the axis.
std::optional<Fitted> Recogniser::round_fit(const Frame& frame, Kind kind, size_t step) {
  run_.poll();
  std::vector<Vec2> across;
  for (size_t v = 0; v < part_.vertices.size(); v += step)
    across.push_back({dot(frame.axis[1], part_.vertices[v]), dot(frame.axis[2], part_.vertices[v])});
  const Vec2 center = min_circle(across).center;
  run_.poll();
  load(step);
  for (const Fitted& fitted : fitter_.round_about(frame, frame.to_world({0, center.x, center.y})))
    if (fitted.kind == kind) return fitted;
  return {};
}

// A few vertices are enough to reject most parts.
bool Recogniser::is_worth_a_look(const Frame& frame, Kind kind) {
  const size_t step = part_.vertices.size() / kGlance;
  if (step < 2) return true;
  const auto fitted = round_fit(frame, kind, step);
  if (!fitted) return false;
  std::vector<Vec3> glance;
  for (size_t v = 0; v < part_.vertices.size(); v += step) glance.push_back(part_.vertices[v]);
  double depth = 0;
  return deepest(to_shape(*fitted), glance, 2 * sagitta(*fitted), depth);
}

double Recogniser::sagitta(const Fitted& shape) const {
  const double least = 4 * model_.thickness;
  if (is_flat(shape.kind)) return std::max(kFlat * diagonal_of(shape), least);
  return std::max((is_dome(shape.kind) ? kBelowDome : kBelowArc) * radius_of(shape), least);
}

// False if a point lies deeper than `limit`.
bool Recogniser::deepest(const Shape& shape, std::span<const Vec3> points, double limit, double& depth) const {
  std::array<double, 64> distance;
  for (size_t first = 0; first < points.size(); first += distance.size()) {
    run_.poll();
    const auto piece = points.subspan(first, std::min(distance.size(), points.size() - first));
    signed_distance(shape, piece, std::span(distance).first(piece.size()));
    for (size_t k = 0; k < piece.size(); ++k) depth = std::max(depth, -distance[k]);
    if (depth > limit) return false;
  }
  return true;
}

// Tests the centres of triangles. A centre has at least a third of the depth of any point of its triangle, because the
// depth below a convex surface is a concave function.
const std::vector<Vec3>& Recogniser::middles() {
  if (!middles_.empty()) return middles_;
  middles_.reserve(part_.triangle_count());
  for (const auto& [a, b, c] : triangles_of(part_, run_))
    middles_.push_back((part_.vertices[a] + part_.vertices[b] + part_.vertices[c]) / 3);
  return middles_;
}

// A vertex within a facet, or on an edge between two, only comes from subdivision. A vertex whose normals span all of
// space is a corner.
template <class Wanted>
std::vector<uint32_t> Recogniser::corners_among(Wanted&& is_wanted) const {
  std::vector<Sym3> around;
  for (size_t f = 0; f < part_.face_count(); ++f) {
    if (f % kPollEvery == 0) run_.poll();
    const auto face = part_.face(f);
    if (std::none_of(face.begin(), face.end(), is_wanted)) continue;
    if (around.empty()) around.resize(part_.vertices.size());
    const Vec3 vector = area_vector(part_.vertices, face);
    if (!(norm_sq(vector) > 0)) continue;
    const Sym3 normal = Sym3::outer(normalized(vector), 1);
    for (const uint32_t v : face) around[v] = around[v] + normal;
  }
  constexpr double kSpans = 1e-10;
  std::vector<uint32_t> corners;
  for (uint32_t v = 0; v < around.size(); ++v)
    if (is_wanted(v) && around[v].determinant() > kSpans * std::pow(around[v].trace(), 3)) corners.push_back(v);
  return corners;
}

bool Recogniser::corners_lie_on(const Shape& shape, double limit) const {
  std::vector<double> distance(part_.vertices.size());
  signed_distance(shape, part_.vertices, distance);
  return corners_among([&](uint32_t v) { return distance[v] < -limit; }).empty();
}

// The points that the hull of a convex part must enclose: its corners, and vertices outside their hull, such as a flat
// dome. It does not use all vertices: every second vertex of a subdivided and rotated part is on the hull by rounding,
// and a hull that is larger by so little is as good. Empty if the part is round or not convex.
std::vector<Vec3> Recogniser::outermost_points(double enclosed) const {
  constexpr double kHardly = 1e-4;  // fraction of volume over area, and so of the volume
  std::vector<Vec3> points;
  for (const uint32_t v : corners_among([](uint32_t) { return true; })) points.push_back(part_.vertices[v]);
  if (points.size() > kMostCorners) return {};
  const auto most = std::max(static_cast<uint32_t>(points.size()), kFewestOfHull);
  const std::optional<Hull> hull = capped_hull(points, most, model_.thickness);
  if (!hull || is_larger(*hull, enclosed)) return {};
  std::vector<double> distance(part_.vertices.size());
  signed_distance(*hull, part_.vertices, distance);
  for (size_t v = 0; v < distance.size(); ++v)
    if (distance[v] > kHardly * enclosed / directions_.total_area) points.push_back(part_.vertices[v]);
  return points.size() > kMostCorners ? std::vector<Vec3>{} : points;
}

Fitted Recogniser::box_of(const Hull& hull) {
  fitter_.points.assign(hull.vertices, all_of(hull.vertices.size()));
  std::vector<Frame> turned = frames();
  turned.push_back({});
  Fitted box = fitter_.smallest_box(turned);
  box.volume = box.cost = volume(hull);
  return box;
}

// Whether no corner is further in front of a face than `limit`. The depth test does not find a groove in a thin plate,
// because its caps are near. The normals of slivers are noise.
bool Recogniser::faces_look_out(std::span<const Vec3> corners, bool looks_inward, double limit) const {
  constexpr double kSliver = 0.05;  // height of a sliver, as a fraction of the limit
  for (size_t f = 0; f < part_.face_count(); ++f) {
    if (f % kPollEvery == 0) run_.poll();
    const auto face = part_.face(f);
    const Vec3 vector = area_vector(part_.vertices, face);
    const Vec3 origin = part_.vertices[face[0]];
    double longest_sq = 0;
    for (const uint32_t v : face) longest_sq = std::max(longest_sq, norm_sq(part_.vertices[v] - origin));
    if (2 * norm(vector) <= kSliver * limit * std::sqrt(longest_sq)) continue;
    const Vec3 normal = looks_inward ? -normalized(vector) : normalized(vector);
    for (const Vec3& corner : corners)
      if (dot(normal, corner - origin) > limit) return false;
  }
  return true;
}

bool Recogniser::is_closed() {
  if (closed_) return *closed_;
  closed_ = true;
  for_each_edge(sorted_half_edges(part_, run_), [&](std::span<const HalfEdge> uses) {
    int sum = 0;
    for (const HalfEdge& use : uses) sum += use.goes_up() ? 1 : -1;
    if (sum != 0) closed_ = false;
  });
  return *closed_;
}

// A closed surface that lies on a convex one, and encloses its volume once, covers all of it. Other parts are tested at
// points of the shape, including its corners.
bool Recogniser::leaves_nothing_bare(const Fitted& fitted, const Shape& shape, double limit) {
  const double share = std::abs(signed_volume(part_)) / volume(shape);
  if (is_closed() && share >= least_share(fitted.kind) && share <= 1.01) return true;
  if (!surface_) surface_.emplace(part_, run_);
  uint32_t near = Bvh::kNone;
  const auto is_bare = [&](const Vec3& p) {
    const TriangleBvh::Closest closest = surface_->closest(p, Bounds::kInfinity, near);
    near = closest.triangle;
    return closest.distance_sq > limit * limit;
  };
  if (is_flat(fitted.kind)) {
    const std::vector<Vec3> corners = to_mesh(shape, 3).vertices;
    if (std::any_of(corners.begin(), corners.end(), is_bare)) return false;
  }
  const std::vector<SurfacePatch> patches = surface_patches(shape);
  const double all = area(shape);
  Random random(0);
  for (const SurfacePatch& patch : patches) {
    const auto count = static_cast<size_t>(std::ceil(kSamples * patch.area / all));
    for (size_t k = 0; k < count; ++k)
      if (is_bare(point_on(patch, random.uniform(), random.uniform()).point)) return false;
  }
  return true;
}

void Recogniser::consider(const Fitted& fitted) {
  const Shape shape = to_shape(fitted);
  const bool flat = is_flat(fitted.kind);
  const double covered = directions_.total_area / area(shape);
  if (covered < least_share(fitted.kind) || covered > 1.03) return;
  const double limit = sagitta(fitted), diagonal = diagonal_of(fitted);
  double depth = 0;
  if (!deepest(shape, part_.vertices, limit, depth) || !deepest(shape, middles(), limit, depth)) return;
  const double corner = std::max(kCorner * radius_of(fitted), 4 * model_.thickness);
  if (!flat && depth > corner && !corners_lie_on(shape, corner)) return;
  const double score = std::max(depth / diagonal, kExact) * (1 + kPerRank * rank_);
  if (score >= best_score_ || !leaves_nothing_bare(fitted, shape, limit)) return;
  best_score_ = score;
  best_ = fitted;
  best_->volume = best_->cost = volume(shape);
}

}  // namespace

std::optional<ConvexPart> recognise_convex(const MeshView& part, const FaceDirections& directions,
                                           uint32_t most_vertices, double thickness, Run& run) {
  if (!(directions.total_area > 0)) return {};
  const CostModel model{{true}, {1, 1, 1, 1, 1, 1}, 0, thickness};
  return Recogniser(part, directions, model, run).convex(most_vertices);
}

double signed_volume(const MeshView& part) {
  const Vec3 origin = part.vertices[part.face(0)[0]];
  double six_times = 0;
  for (size_t f = 0; f < part.face_count(); ++f) {
    const auto face = part.face(f);
    six_times += 2 * dot(area_vector(part.vertices, face), part.vertices[face[0]] - origin);
  }
  return six_times / 6;
}

std::optional<Fitted> recognise(const MeshView& part, const FaceDirections& directions,
                                const std::array<bool, kPrimitiveCount>& kinds, double thickness, Run& run) {
  if (part.face_count() < kWedge || !(directions.total_area > 0)) return {};
  const CostModel model{kinds, {1, 1, 1, 1, 1, 1}, 0, thickness};
  return Recogniser(part, directions, model, run).best();
}

}  // namespace hitbox::internal::recognise
