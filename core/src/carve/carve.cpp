#include "carve/carve.hpp"

#include <algorithm>
#include <numeric>
#include <set>
#include <tuple>

#include "base/tolerances.hpp"
#include "carve/input.hpp"
#include "carve/search.hpp"
#include "hulls/open_space.hpp"
#include "recognise/recognise.hpp"

namespace hitbox::internal::carve {

namespace {

// fraction of the tolerance that flat parts get on both sides along one to three axes
constexpr double kThickness = 0.005;
constexpr double kMostOutside = 0.3;  // fraction of the tolerance by which capped hulls may stick out

// Proved hulls by their vertices, so that an unchanged hull is not proved again.
struct ByVertices {
  bool operator()(const std::vector<Vec3>& a, const std::vector<Vec3>& b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(), [](const Vec3& p, const Vec3& q) {
      return std::tie(p.x, p.y, p.z) < std::tie(q.x, q.y, q.z);
    });
  }
};

class Carver {
 public:
  Carver(std::shared_ptr<const OpenSpace> space, const CarveOptions& options, Run& run)
      : options_(options),
        run_(run),
        space_(std::move(space)),
        tolerance_(space_->query().tolerance),
        input_(carve_input(space_->mesh(), space_->surface(), kThickness * tolerance_.least(), run)),
        spheres_(space_->spheres().begin(), space_->spheres().end()) {}

  CarveResult carve() {
    if (!options_.hulls_only)
      if (auto simple = as_simple_shape()) return std::move(*simple);
    Decomposition found = decompose(input_, spheres_, search_options(), run_);
    run_.enter("prove", 0.9, 1);
    bool is_proved = false;
    found = prove(std::move(found), is_proved);
    if (options_.count != 0 && found.parts.size() > options_.count) {
      found = forced(std::move(found), options_.count);
      is_proved = wrong_parts(found.parts, {}).empty();
    }
    is_proved = is_proved && !enters_room_of_user(found.parts);
    CarveResult carved = in_input(found);
    carved.is_proved = is_proved;
    if (!is_proved) carved.depths = depths_of(found);
    return carved;
  }

 private:
  SearchOptions search_options() const {
    SearchOptions search;
    search.cut.concave_edges = static_cast<int>(options_.concave_edges);
    search.cut.least_extent = tolerance_.least() / 2;
    search.assembly.link = tolerance_.all;
    search.assembly.thickness = input_.thickness;
    search.assembly.most_vertices = options_.max_vertices;
    search.assembly.most_outside = kMostOutside * tolerance_.least();
    search.effort = options_.effort;
    search.seed = options_.seed;
    return search;
  }

  // The parts that come too close to a centre, with a sphere around it. Parts known to be clear are skipped.
  using Hulls = std::set<std::vector<Vec3>, ByVertices>;
  std::vector<Violation> wrong_parts(std::vector<Part>& parts, const Hulls& known) {
    constexpr size_t kMostAHull = 200;
    std::vector<const PartHull*> hulls;
    std::vector<uint32_t> part_of;
    for (uint32_t k = 0; k < parts.size(); ++k) {
      if (known.contains(parts[k].hull.mesh.vertices)) continue;
      parts[k].hull.plant();
      hulls.push_back(&parts[k].hull);
      part_of.push_back(k);
    }
    std::vector<Violation> wrong = space_->violations(hulls, kMostAHull, run_);
    for (Violation& v : wrong) v.hull = part_of[v.hull];
    return wrong;
  }

  // Spheres around the user's points are tested here, because the proof covers only centres that balls reach.
  bool enters_room_of_user(std::vector<Part>& parts) const {
    const std::span<const Sphere> given = space_->spheres_of_user();
    const SphereBins room({given.begin(), given.end()});
    return std::any_of(parts.begin(), parts.end(), [&](Part& part) { return room.entered_by(part.hull); });
  }

  // Repeats until no centre is too close to a hull. Violating centres are added to the spheres.
  Decomposition prove(Decomposition found, bool& is_proved) {
    constexpr int kMostRounds = 30;
    Hulls clear;
    for (int round = 0; round < kMostRounds; ++round) {
      const std::vector<Violation> wrong = wrong_parts(found.parts, clear);
      is_proved = wrong.empty();
      if (is_proved) break;
      std::vector<uint8_t> is_bad(found.parts.size());
      for (const Violation& v : wrong) {
        is_bad[v.hull] = 1;
        spheres_.push_back(v.sphere);
      }
      for (size_t k = 0; k < found.parts.size(); ++k)
        if (is_bad[k] == 0) clear.insert(found.parts[k].hull.mesh.vertices);
      found = redone(std::move(found), is_bad, input_, spheres_, search_options(), run_);
    }
    if (!is_proved) is_proved = wrong_parts(found.parts, clear).empty();  // the last round changed the parts
    return found;
  }

  // Merges down to a count, cheapest first, even if hulls then enter the space.
  Decomposition forced(Decomposition found, size_t count) {
    const SphereBins none({});
    AssemblyOptions options = search_options().assembly;
    options.link = Bounds::kInfinity;
    options.most_outside = Bounds::kInfinity;
    Assembly assembly(std::move(found), none, options, &input_);
    assembly.merge(count, run_);
    return assembly.take();
  }

  // The whole input as one simple shape, if it is one. The proof uses a polytope around that shape.
  std::optional<CarveResult> as_simple_shape() {
    if (input_.component_count != 1) return std::nullopt;
    constexpr std::array<bool, kPrimitiveCount> kKinds = {true, true, true, true, false, false};
    constexpr int kSegments = 64;
    const MeshView mesh = input_.view();
    const Tolerances tolerances = Tolerances::of_diagonal(referenced_bounds(mesh).diagonal());
    const auto fitted = recognise::recognise(mesh, face_directions(mesh, run_), kKinds, tolerances.thickness, run_);
    if (!fitted) return std::nullopt;
    const Shape shape = grown(to_shape(*fitted), tolerances.slack);
    PartHull around = part_hull(to_mesh(shape, kSegments).vertices, 0);
    if (SphereBins(spheres_).entered_by(around)) return std::nullopt;
    const PartHull* hulls[] = {&around};
    if (!space_->violations(hulls, 1, run_).empty()) return std::nullopt;
    CarveResult carved;
    carved.shapes.push_back(transformed(shape, space_->unit().from_unit()));
    carved.faces.emplace_back(space_->mesh().face_count());
    std::iota(carved.faces[0].begin(), carved.faces[0].end(), 0u);
    carved.is_proved = true;
    return carved;
  }

  CarveResult in_input(const Decomposition& found) const {
    CarveResult carved;
    const Similarity to_input = space_->unit().from_unit();
    for (const Part& part : found.parts) {
      const size_t vertices = part.hull.mesh.vertices.size();
      carved.is_capped = carved.is_capped && (options_.max_vertices == 0 || vertices <= options_.max_vertices);
      carved.shapes.push_back(transformed(Shape(Hull{part.hull.mesh.vertices, part.hull.mesh.triangles}), to_input));
      std::vector<uint32_t> faces;
      for (const uint32_t a : part.atoms)
        for (const uint32_t t : found.atoms[a].piece.triangles) faces.push_back(input_.face_of[t]);
      std::sort(faces.begin(), faces.end());
      faces.erase(std::unique(faces.begin(), faces.end()), faces.end());
      carved.faces.push_back(std::move(faces));
    }
    return carved;
  }

  std::vector<double> depths_of(const Decomposition& found) const {
    std::vector<double> depths;
    for (const Part& part : found.parts) {
      double& deepest = depths.emplace_back(0);
      size_t last = 0;
      for (const Sphere& s : spheres_)
        if (part.hull.is_within(s.center, s.radius - SphereBins::kTouching, last))
          deepest = std::max(deepest, 1 - part.hull.distance(s.center) / s.radius);
    }
    return depths;
  }

  const CarveOptions& options_;
  Run& run_;
  std::shared_ptr<const OpenSpace> space_;
  const Tolerance& tolerance_;
  Input input_;
  std::vector<Sphere> spheres_;  // the spheres of the space, and those from the proof
};

}  // namespace

Result<CarveResult> carve(const MeshView& mesh, const CarveOptions& options, Run& run) {
  std::shared_ptr<const OpenSpace> space;
  {
    const Run::Stretch stretch(run, 0, 0.35);
    auto found = OpenSpace::around(mesh, options.space, run);
    if (!found) return found.error();
    space = std::move(found.value());
  }
  CarveResult carved = Carver(space, options, run).carve();
  carved.space = OpenSpace::described(std::move(space));
  return carved;
}

}  // namespace hitbox::internal::carve
