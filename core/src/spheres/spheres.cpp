#include "spheres/spheres.hpp"

#include <algorithm>
#include <numeric>

#include "base/tolerances.hpp"
#include "measure/collider_measure.hpp"
#include "measure/distance.hpp"
#include "measure/inside.hpp"
#include "mesh/canonical.hpp"
#include "mesh/triangulate.hpp"
#include "spheres/sphere_clear.hpp"
#include "spheres/sphere_sharing.hpp"

namespace hitbox::internal::spheres {

namespace {

constexpr size_t kLeastPoints = 8192, kPointsEach = 48;  // points on the surface: at least, and per sphere
constexpr int kRefills = 2;
constexpr size_t kFewGone = 24;    // one superfluous ball in this many is accepted
constexpr double kTrim = 0.06;     // balanced: the share of its points that a ball may leave out
constexpr double kCovered = 0.96;  // balanced: share of the sampled surface; 0.95 is guaranteed
constexpr double kFinest = 1e-3;   // fraction of the diagonal: smaller fragments are not cut
constexpr size_t kMostPieces = 1'000'000;
constexpr size_t kMeasured = 16384;  // samples on the spheres, and on the mesh

void grow(std::vector<DeepBall>& balls, double by) {
  for (DeepBall& ball : balls) ball.radius = std::max(ball.radius + by, 0.0);
}

double area_of(const MeshView& mesh, std::span<const Triangle> triangles) {
  double sum = 0;
  for (const auto& [a, b, c] : triangles)
    sum += norm(cross(mesh.vertices[b] - mesh.vertices[a], mesh.vertices[c] - mesh.vertices[a])) / 2;
  return sum;
}

// As small as the limit of fragments allows if the whole surface had to be cut.
double finest_piece(const MeshView& mesh, std::span<const Triangle> triangles) {
  const auto pieces = [&](double finest) {
    double sum = 0;
    for (const auto& [a, b, c] : triangles) {
      const Vec3 ab = mesh.vertices[b] - mesh.vertices[a], ac = mesh.vertices[c] - mesh.vertices[a];
      const double longest = std::max({norm(ab), norm(ac), norm(ac - ab)});
      sum += std::max(longest / finest, 2 * norm(cross(ab, ac)) / (finest * finest));
    }
    return sum;
  };
  double finest = kFinest;
  while (pieces(finest) > static_cast<double>(kMostPieces + triangles.size())) finest *= 1.5;
  return finest;
}

// The mesh that the spheres must contain, of unit diagonal.
struct Ground {
  MeshView mesh;
  std::span<const uint32_t> group_of_face;  // empty, or one per face
  double finest;                            // smaller fragments are not cut
};

Covered covering(const Ground& ground, std::vector<DeepBall> balls, const BallFitter& fitter, Run& run) {
  std::vector<FaceFragment> pieces = cut_to_balls(ground.mesh, ground.group_of_face, balls, ground.finest, run);
  cover(pieces, balls, fitter, run);
  return {std::move(balls), std::move(pieces)};
}

double waste_of(std::span<const DeepBall> balls, const BallFitter& fitter) {
  double sum = 0;
  std::vector<DeepBall> others;
  for (size_t k = 0; k < balls.size(); ++k) {
    others.assign(balls.begin(), balls.end());
    others.erase(others.begin() + static_cast<ptrdiff_t>(k));
    sum += fitter.waste(balls[k], others);
  }
  return sum;
}

// Points all over the surface, with at least one per group.
SharedPoints shared_points(const Ground& ground, std::span<const Triangle> triangles, size_t count) {
  const MeshView& mesh = ground.mesh;
  SurfaceSamples samples = sample_surface(mesh.vertices, triangles, count, 0);
  SharedPoints shared{std::move(samples.points), {}, 1, area_of(mesh, triangles)};
  if (ground.group_of_face.empty()) return shared;
  std::vector<uint32_t> group_of_triangle;
  for (size_t f = 0; f < mesh.face_count(); ++f)
    group_of_triangle.insert(group_of_triangle.end(), mesh.face(f).size() - 2, ground.group_of_face[f]);
  for (const uint32_t triangle : samples.triangles) shared.group.push_back(group_of_triangle[triangle]);
  shared.group_count = 1 + *std::ranges::max_element(ground.group_of_face);
  std::vector<bool> has_point(shared.group_count, false);
  for (const uint32_t group : shared.group) has_point[group] = true;
  for (size_t f = 0; f < mesh.face_count(); ++f) {
    const uint32_t group = ground.group_of_face[f];
    if (has_point[group]) continue;
    has_point[group] = true;
    shared.points.push_back(mesh.vertices[mesh.face(f)[0]]);
    shared.group.push_back(group);
  }
  return shared;
}

// If balls are superfluous, others are split instead, as long as that helps.
Covered covering_all(const Ground& ground, const SharedPoints& points, size_t count, const BallFitter& fitter,
                     Run& run) {
  Covered best;
  for (int round = 0; round <= kRefills; ++round) {
    const double from = 1.0 * round / (kRefills + 1), to = 1.0 * (round + 1) / (kRefills + 1);
    run.enter("split", from, (from + to) / 2);
    std::vector<DeepBall> balls = share_out(points, count, best.balls, fitter, 0, run);
    run.enter("cover", (from + to) / 2, to);
    Covered found = covering(ground, std::move(balls), fitter, run);
    if (round > 0 && !(waste_of(found.balls, fitter) < waste_of(best.balls, fitter))) break;
    best = std::move(found);
    if (best.balls.size() * kFewGone >= count * (kFewGone - 1)) break;
  }
  return best;
}

// Changes all radii by one length, so that exactly the wanted share of the surface is covered.
Covered covering_most(const Ground& ground, std::vector<DeepBall> balls, std::span<const Vec3> points, Run& run) {
  run.enter("cover", 0.6, 1);
  std::vector<double> out(points.size(), Bounds::kInfinity);
  run.for_each_block(points.size(), 1024, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k)
      for (const DeepBall& ball : balls) out[k] = std::min(out[k], ball.distance(points[k]));
  });
  const auto wanted = out.begin() + static_cast<ptrdiff_t>(kCovered * static_cast<double>(out.size()));
  std::nth_element(out.begin(), wanted, out.end());
  grow(balls, *wanted + kLeftOut);
  std::vector<FaceFragment> pieces = cut_to_balls(ground.mesh, ground.group_of_face, balls, ground.finest, run);
  grow_to_hold(pieces, balls, run);
  grow(balls, -kLeftOut);
  return {std::move(balls), std::move(pieces)};
}

// A mesh that is one ball, up to its facets: its corners lie on the ball, and its sides near it.
std::vector<DeepBall> one_ball(const Ground& ground, const SharedPoints& shared, const BallFitter& fitter) {
  constexpr double kOnIt = 2e-3, kNearIt = 0.025;  // fractions of the diagonal
  if (shared.group_count > 1) return {};
  const MeshView& mesh = ground.mesh;
  std::vector<Vec3> corners;
  for (const uint32_t v : mesh.indices) corners.push_back(mesh.vertices[v]);
  const Ball ball = min_ball(corners);
  const auto on_it = [&](const Vec3& p) { return norm(p - ball.center) > ball.radius - kOnIt; };
  const auto near_it = [&](const Vec3& p) { return norm(p - ball.center) > ball.radius - kNearIt; };
  if (!std::ranges::all_of(corners, on_it) || !std::ranges::all_of(shared.points, near_it)) return {};
  const double depth = fitter.depth(ball.center);
  return depth > ball.radius - kNearIt ? std::vector<DeepBall>{{ball.center, ball.radius, depth}}
                                       : std::vector<DeepBall>{};
}

const FaceFragment& nearest_piece(std::span<const FaceFragment> pieces, const DeepBall& ball) {
  return *std::ranges::min_element(pieces, {}, [&](const FaceFragment& piece) {
    return norm_sq((piece.corners[0] + piece.corners[1] + piece.corners[2]) / 3 - ball.center);
  });
}

// `input_face` has for each face its number in the input.
FitResult listed(std::span<const FaceFragment> pieces, std::span<const DeepBall> balls, const Similarity& to_input,
                 std::span<const uint32_t> input_face, const Vec3& farthest, double pad, Run& run) {
  const std::vector<uint32_t> owner = best_balls(pieces, balls, run);
  std::vector<std::vector<uint32_t>> faces(balls.size());
  for (size_t k = 0; k < pieces.size(); ++k) faces[owner[k]].push_back(input_face[pieces[k].face]);
  FitResult result;
  result.face_offsets.push_back(0);
  const Tolerances tolerances = Tolerances::of_diagonal(to_input.scale);
  // The transformation to the input's units rounds the last digits of its coordinates.
  const double slack = tolerances.slack + 0x1p-49 * max_component(farthest);
  for (size_t b = 0; b < balls.size(); ++b) {
    if (faces[b].empty()) faces[b].push_back(input_face[nearest_piece(pieces, balls[b]).face]);
    std::sort(faces[b].begin(), faces[b].end());
    faces[b].erase(std::unique(faces[b].begin(), faces[b].end()), faces[b].end());
    const Sphere sphere = transformed(Sphere{balls[b].center, balls[b].radius}, to_input);
    const Sphere holding{sphere.center, std::max(sphere.radius + slack, tolerances.thickness)};
    result.shapes.push_back(padded(holding, pad, tolerances.thickness));
    result.faces.insert(result.faces.end(), faces[b].begin(), faces[b].end());
    result.face_offsets.push_back(static_cast<uint32_t>(result.faces.size()));
  }
  return result;
}

double volume_of(const TriangleBvh& surface) {
  double sum = 0;
  for (uint32_t t = 0; t < surface.size(); ++t) {
    const auto& [a, b, c] = surface.corners(t);
    sum += dot(a, cross(b, c));
  }
  return sum / 6;
}

SphereMeasure measured(const MeshView& mesh, std::span<const Triangle> triangles, const TriangleBvh& surface,
                       std::span<const DeepBall> balls, Run& run) {
  constexpr double kOffset = 1e-3, kOutside = 1e-5;  // as in hitbox.evaluate
  std::vector<Shape> shapes;
  for (const DeepBall& ball : balls) shapes.push_back(Sphere{ball.center, ball.radius});
  const ShapeUnion all(std::move(shapes), run);
  const bool closed = is_closed_solid(mesh, run);
  const Solid solid(surface);
  const ColliderSamples samples = sample_surfaces(all, kMeasured, 1, run);
  const std::vector<uint8_t> hidden = hidden_samples(all, samples, kOffset, run);
  std::vector<double> distance(kMeasured, -1);  // negative: cannot be touched
  run.for_each_block(kMeasured, 256, [&](size_t first, size_t last, size_t) {
    for (size_t k = first; k < last; ++k)
      if (!hidden[k] && !(closed && solid.contains(samples.points[k])))
        distance[k] = std::sqrt(surface.closest(samples.points[k]).distance_sq);
  });
  SphereMeasure found;
  std::erase_if(distance, [](double d) { return d < 0; });
  if (!distance.empty()) {
    found.mean = std::accumulate(distance.begin(), distance.end(), 0.0) / static_cast<double>(distance.size());
    found.largest = *std::ranges::max_element(distance);
  }
  const SurfaceSamples on_mesh = sample_surface(mesh.vertices, triangles, kMeasured, 1);
  std::vector<double> outside = distances_outside(all, on_mesh.points, run);
  const auto covered = std::ranges::count_if(outside, [&](double d) { return d <= kOutside; });
  found.coverage = static_cast<double>(covered) / static_cast<double>(kMeasured);
  found.left_out = *std::ranges::max_element(outside);
  if (found.left_out <= Tolerances::of_diagonal(1).enclose) found.left_out = 0;
  if (closed) found.volume_ratio = union_volume(all, kMeasured, 1, run).value / volume_of(surface);
  return found;
}

Covered covering(const Ground& ground, std::span<const Triangle> triangles, uint32_t count, SphereMode mode,
                 const BallFitter& fitter, Run& run) {
  const SharedPoints points = shared_points(ground, triangles, std::max(kLeastPoints, kPointsEach * count));
  if (std::vector<DeepBall> one = one_ball(ground, points, fitter); !one.empty())
    return covering(ground, std::move(one), fitter, run);
  if (mode == SphereMode::conservative) return covering_all(ground, points, count, fitter, run);
  run.enter("split", 0, 0.6);
  std::vector<DeepBall> balls = share_out(points, count, {}, fitter, kTrim, run);
  // Other points than those used for fitting.
  const SurfaceSamples others = sample_surface(ground.mesh.vertices, triangles, kMeasured, 2);
  return covering_most(ground, std::move(balls), others.points, run);
}

// If balls must be replaced because of clear space, starting with twice as many may give fewer in the end.
Covered covering_clear(const Ground& ground, std::span<const Triangle> triangles, uint32_t count, SphereMode mode,
                       const ToKeepClear& clear, const BallFitter& fitter, Run& run) {
  Covered best;
  double done = 0;
  for (uint32_t tried = count;; tried *= 2) {
    const double next = clear.empty() ? 1 : 0.5 * (done + 1);
    const Run::Stretch stretch(run, done, next);
    done = next;
    Covered found = covering(ground, triangles, tried, mode, fitter, run);
    const size_t before = found.balls.size();
    found = kept_clear(std::move(found), clear, fitter, run);
    const bool is_clear = found.balls.size() == before;
    if (best.balls.empty() || found.balls.size() < best.balls.size()) best = std::move(found);
    if (is_clear || 2 * tried >= std::min<size_t>(best.balls.size(), kMostSpheres)) return best;
  }
}

}  // namespace

SphereFit fit_spheres(const MeshView& mesh, uint32_t count, SphereMode mode, FitOptions options, Run& run) {
  run.enter("prepare", 0, 0.1);
  const Bounds box = referenced_bounds(mesh);
  const Similarity to_input{{}, box.center(), box.diagonal()};
  const std::vector<uint32_t> places = places_of(mesh.vertices);
  const CanonicalOrder order = canonical_order(mesh, places, {options.group_of_face, options.importance});
  const OrderedVertices ordered = ordered_vertices(mesh, places, order);
  options.group_of_face = groups_in_order(options.group_of_face, order);
  // of unit diagonal, centred at the origin
  std::vector<Vec3> vertices = in_order<Vec3>(mesh.vertices, ordered.vertices);
  for (Vec3& v : vertices) v = (v - to_input.translation) / to_input.scale;
  const MeshView unit{vertices, ordered.indices, order.offsets};
  const std::vector<Triangle> triangles = triangles_of(unit, run);
  const TriangleBvh surface(vertices, triangles, run);
  const Winding winding(surface);
  const DepthGrid grid(surface, winding, referenced_bounds(unit), run);
  const BallFitter fitter(surface, winding, grid);
  const Ground ground{unit, options.group_of_face, finest_piece(unit, triangles)};
  const ClearSpace spheres = kept_space(options.keep_clear, options.spaces, options.pad, to_input, run);
  const ToKeepClear clear{spheres, options.spaces, to_input, options.pad};
  Covered covered;
  {
    const Run::Stretch stretch(run, 0.1, 0.9);
    covered = covering_clear(ground, triangles, std::min(count, kMostSpheres), mode, clear, fitter, run);
  }
  run.enter("measure", 0.9, 1);
  SphereFit result;
  const Vec3 farthest = max(abs(box.low), abs(box.high));
  result.fitted = listed(covered.pieces, covered.balls, to_input, order.faces, farthest, options.pad, run);
  result.measure = measured(unit, triangles, surface, covered.balls, run);
  return result;
}

}  // namespace hitbox::internal::spheres
