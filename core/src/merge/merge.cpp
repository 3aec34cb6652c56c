#include "merge/merge.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "base/random.hpp"
#include "hulls/open_space.hpp"
#include "parts/assembly.hpp"
#include "primitives/candidates.hpp"
#include "shapes/enclosing.hpp"

namespace hitbox::internal::merge {

namespace {

constexpr double kOutsideRound = 0.05;  // fraction of the tolerance by which polytopes stick out of round shapes
constexpr double kMostOutside = 0.3;    // fraction of the tolerance by which capped hulls may stick out

double largest_radius(const Shape& shape) {
  return std::visit(
      [](const auto& s) {
        using S = std::decay_t<decltype(s)>;
        if constexpr (std::is_same_v<S, Sphere> || std::is_same_v<S, Capsule> || std::is_same_v<S, Cylinder>)
          return s.radius;
        else if constexpr (std::is_same_v<S, Frustum>)
          return std::max(s.radius_start, s.radius_end);
        else
          return 0.0;
      },
      shape);
}

// A circle's tangent polygon of n sides sticks out by about r (pi / n)^2 / 2, a dome's polytope by twice that.
int segments_for(const Shape& shape, double most_outside) {
  const double n = kPi * std::sqrt(largest_radius(shape) / most_outside);
  return std::clamp(static_cast<int>(std::ceil(n)), 8, 96);
}

// The fraction of the shape that no larger one contains, by points inside it.
double own_share(const std::vector<Shape>& shapes, uint32_t which, std::span<const uint32_t> larger) {
  constexpr int kTries = 2000, kWanted = 64;
  const Bounds box = bounds(shapes[which]);
  Random random(which);
  int inside = 0, own = 0;
  for (int k = 0; k < kTries && inside < kWanted; ++k) {
    const Vec3 u{random.uniform(), random.uniform(), random.uniform()};
    const Vec3 p = box.low + Vec3{u.x * box.size().x, u.y * box.size().y, u.z * box.size().z};
    const auto is_in = [&](uint32_t shape) {
      double distance = 0;
      signed_distance(shapes[shape], {&p, 1}, {&distance, 1});
      return distance < 0;
    };
    if (!is_in(which)) continue;
    ++inside;
    own += std::none_of(larger.begin(), larger.end(), is_in);
  }
  return inside == 0 ? 1 : static_cast<double>(own) / inside;
}

std::vector<Atom> atoms_of(const std::vector<Shape>& shapes, double most_outside, Run& run) {
  std::vector<uint32_t> by_size(shapes.size());
  std::iota(by_size.begin(), by_size.end(), 0u);
  std::stable_sort(by_size.begin(), by_size.end(),
                   [&](uint32_t a, uint32_t b) { return volume(shapes[a]) > volume(shapes[b]); });
  std::vector<Bounds> boxes;
  for (const Shape& shape : shapes) boxes.push_back(bounds(shape));
  std::vector<size_t> rank(shapes.size());
  for (size_t k = 0; k < by_size.size(); ++k) rank[by_size[k]] = k;
  const BoxBvh tree(boxes, run);
  std::vector<Atom> atoms(shapes.size());
  run.for_each_block(shapes.size(), 1, [&](size_t k, size_t, size_t) {
    run.poll();
    const auto which = static_cast<uint32_t>(k);
    std::vector<uint32_t> larger;
    tree.overlaps(boxes[k], [&](uint32_t other) {
      if (rank[other] < rank[k]) larger.push_back(other);
    });
    std::sort(larger.begin(), larger.end());
    atoms[k].points = to_mesh(shapes[k], segments_for(shapes[k], most_outside)).vertices;
    atoms[k].volume = volume(shapes[k]) * (larger.empty() ? 1 : own_share(shapes, which, larger));
  });
  return atoms;
}

// Frames along the facets of the hull, because the smallest box has a side on one of them.
std::vector<Frame> frames_of(const PartHull& hull) {
  constexpr size_t kMost = 96;
  const size_t stride = hull.mesh.triangles.size() / kMost + 1;
  std::vector<Frame> frames;
  for (size_t t = 0; t < hull.mesh.triangles.size(); t += stride) {
    const auto& [a, b, c] = hull.mesh.triangles[t];
    if (norm_sq(hull.planes[t].normal) > 0)
      frames.push_back(frame_from(hull.planes[t].normal, hull.mesh.vertices[b] - hull.mesh.vertices[a]));
  }
  return frames;
}

class Merger {
 public:
  Merger(std::span<const Shape> shapes, const MergeOptions& options, Run& run)
      : given_(shapes),
        options_(options),
        run_(run),
        unit_(bounds_of_all(shapes)),
        tolerance_(options.tolerance / unit_.side),
        link_(options.distance.value_or(options.tolerance) / unit_.side) {
    const Similarity to_unit = unit_.to_unit();
    for (const Shape& shape : shapes) shapes_.push_back(transformed(shape, to_unit));
    if (options.space)
      for (const Sphere& s : options.space->spheres) spheres_.push_back(transformed(s, to_unit));
  }

  MergeResult merge() {
    run_.enter("shapes", 0, 0.2);
    std::vector<Atom> atoms = atoms_of(shapes_, kOutsideRound * tolerance_, run_);
    run_.enter("merge", 0.2, 0.9);
    Decomposition found = Assembly(std::move(atoms), SphereBins(spheres_), assembly_options(link_), nullptr).take();
    constexpr int kMostRounds = 30;
    for (int round = 0; round < kMostRounds; ++round) {
      found = assembled(std::move(found));
      const std::vector<uint8_t> is_wrong = entering(found.parts);
      if (std::ranges::count(is_wrong, 1) == 0) break;
      const SphereBins bins(spheres_);
      Assembly apart(std::move(found), bins, assembly_options(link_), nullptr);
      apart.take_apart(is_wrong);
      found = apart.take();
    }
    run_.enter("simplify", 0.9, 1);
    return in_input(std::move(found.parts));
  }

 private:
  static Bounds bounds_of_all(std::span<const Shape> shapes) {
    Bounds all;
    for (const Shape& shape : shapes) all.add(bounds(shape));
    return all;
  }

  // Merges as far as the spheres, or else the tolerance, admit.
  Decomposition assembled(Decomposition found) const {
    const SphereBins bins(spheres_);
    Assembly assembly(std::move(found), bins, assembly_options(link_), nullptr);
    assembly.merge(std::max<size_t>(options_.count, 1), run_);
    if (options_.space && options_.count == 0) assembly.dissolve(run_);
    found = assembly.take();
    if (options_.count == 0 || found.parts.size() <= options_.count) return found;
    Assembly wider(std::move(found), bins, assembly_options(Bounds::kInfinity), nullptr);
    wider.merge(options_.count, run_);
    return wider.take();
  }

  // Marks the merged parts that enter the space, and adds spheres where they do.
  std::vector<uint8_t> entering(std::span<const Part> parts) {
    std::vector<uint8_t> is_wrong(parts.size());
    if (!has_proof()) return is_wrong;
    const auto is_known = [&](const Part& part) { return proved_.contains(part.atoms); };
    constexpr size_t kMostAPart = 200;
    std::vector<std::vector<Sphere>> entered(parts.size());
    run_.for_each_block(parts.size(), 1, [&](size_t k, size_t, size_t) {
      run_.poll();
      if (is_known(parts[k]) || original(parts[k])) return;
      const Shape hull = transformed(Shape(hull_of(parts[k])), unit_.from_unit());
      entered[k] = options_.space->proof->entered_balls(hull, kMostAPart);
    });
    for (size_t k = 0; k < parts.size(); ++k) {
      is_wrong[k] = entered[k].empty() ? 0 : 1;
      for (const Sphere& s : entered[k]) spheres_.push_back(transformed(s, unit_.to_unit()));
      if (entered[k].empty()) proved_.insert(parts[k].atoms);
    }
    return is_wrong;
  }

  bool has_proof() const { return options_.space && options_.space->proof; }
  static Hull hull_of(const Part& part) { return {part.hull.mesh.vertices, part.hull.mesh.triangles}; }

  AssemblyOptions assembly_options(double link) const {
    AssemblyOptions options;
    options.link = link;
    options.thickness = 1e-5;
    options.most_vertices = options_.max_vertices;
    // The count is reached in any case, as in carve.
    options.most_outside = options_.count != 0 ? Bounds::kInfinity : kMostOutside * tolerance_;
    if (!options_.space && options_.count == 0) options.most_growth = tolerance_;
    return options;
  }

  MergeResult in_input(std::vector<Part> parts) {
    std::sort(parts.begin(), parts.end(), [](const Part& a, const Part& b) {
      return *std::min_element(a.atoms.begin(), a.atoms.end()) < *std::min_element(b.atoms.begin(), b.atoms.end());
    });
    const Similarity to_input = unit_.from_unit();
    MergeResult merged;
    for (Part& part : parts) {
      run_.poll();
      std::sort(part.atoms.begin(), part.atoms.end());
      if (const auto alone = original(part)) {
        merged.shapes.push_back(given_[*alone]);
      } else {
        std::optional<Shape> simple;
        if (!options_.hulls_only) simple = simplest(part);
        merged.shapes.push_back(transformed(simple ? *simple : Shape(hull_of(part)), to_input));
      }
      merged.from.push_back(std::move(part.atoms));
    }
    return merged;
  }

  // The shape that contains all others of the part. Then nothing was merged, and it stays unchanged.
  std::optional<uint32_t> original(const Part& part) const {
    if (part.atoms.size() == 1) return part.atoms[0];
    for (const uint32_t a : part.atoms)
      if (std::all_of(part.atoms.begin(), part.atoms.end(), [&](uint32_t b) { return holds(shapes_[a], shapes_[b]); }))
        return a;
    return std::nullopt;
  }

  static bool holds(const Shape& outer, const Shape& inner) {
    if (&outer == &inner) return true;
    const std::vector<Vec3> points = to_mesh(inner, 32).vertices;
    std::vector<double> distances(points.size());
    signed_distance(outer, points, distances);
    return *std::max_element(distances.begin(), distances.end()) <= 1e-9;
  }

  // The smallest simple shape around the part that stays within the tolerance of its hull and out of the space.
  std::optional<Shape> simplest(const Part& part) const {
    const CostModel model{{true, true, true, true, false, false}, {1, 1, 1, 1, 1, 1}, 0, 1e-5};
    Fitter fitter(model);
    std::vector<uint32_t> all(part.points.size());
    std::iota(all.begin(), all.end(), 0u);
    fitter.points.assign(part.points, all);
    std::vector<Fitted> fitted = fitter.smallest_of_each_kind(frames_of(part.hull));
    std::stable_sort(fitted.begin(), fitted.end(),
                     [](const Fitted& a, const Fitted& b) { return a.volume < b.volume; });
    for (const Fitted& f : fitted) {
      if (f.cost == Bounds::kInfinity) continue;
      const Shape shape = enclosing(to_shape(f), part.points, Tolerances::of_diagonal(part.hull.box.diagonal()));
      if (is_near(shape, part.hull) && !enters_space(shape)) return shape;
    }
    return std::nullopt;
  }

  bool is_near(const Shape& shape, const PartHull& hull) const {
    const std::vector<Vec3> points = to_mesh(shape, 32).vertices;
    return std::all_of(points.begin(), points.end(), [&](const Vec3& p) { return hull.distance(p) <= tolerance_; });
  }

  bool enters_space(const Shape& shape) const {
    if (has_proof()) return options_.space->proof->entered_by(transformed(shape, unit_.from_unit()));
    return std::any_of(spheres_.begin(), spheres_.end(), [&](const Sphere& s) {
      double distance = 0;
      signed_distance(shape, {&s.center, 1}, {&distance, 1});
      return distance < s.radius - SphereBins::kTouching;
    });
  }

  std::span<const Shape> given_;
  const MergeOptions& options_;
  Run& run_;
  UnitBox unit_;
  double tolerance_, link_;
  std::vector<Shape> shapes_;               // in the unit box
  std::set<std::vector<uint32_t>> proved_;  // the atoms of parts that stay out of the space
  std::vector<Sphere> spheres_;             // of the space, and where the proof found that shapes enter
};

}  // namespace

MergeResult merge_shapes(std::span<const Shape> shapes, const MergeOptions& options, Run& run) {
  return Merger(shapes, options, run).merge();
}

}  // namespace hitbox::internal::merge
