#include "carve/search.hpp"

#include <algorithm>

#include "base/random.hpp"

namespace hitbox::internal::carve {

namespace {

std::vector<Atom> atoms_of(std::vector<Cutting> cuttings) {
  std::vector<Atom> atoms;
  for (Cutting& cutting : cuttings) atoms.push_back(atom_of(std::move(cutting.piece)));
  return atoms;
}

// Also cuts until all hulls are within the cap on vertices.
std::vector<Atom> cut_into_atoms(std::vector<Cutting> cuttings, const Input& input, const CutSettings& settings,
                                 const AssemblyOptions& assembly, const SphereBins& bins, Run& run) {
  std::vector<Cutting> done;
  while (!cuttings.empty()) {
    std::vector<Cutting> open;
    for (Cutting& cutting : cut_until_clear(std::move(cuttings), input, settings, run)) {
      const bool was_tried = cutting.must_be_cut;  // it was too small to be cut
      cutting.must_be_cut = !can_be_capped(cutting.hull, bins, assembly);
      (cutting.must_be_cut && !was_tried ? open : done).push_back(std::move(cutting));
    }
    cuttings = std::move(open);
  }
  return atoms_of(std::move(done));
}

Decomposition assembled(Assembly assembly, Run& run) {
  assembly.merge(1, run);
  assembly.dissolve(run);
  return assembly.take();
}

double volume_of(std::span<const Part> parts) {
  double sum = 0;
  for (const Part& part : parts) sum += part.hull.volume;
  return sum;
}

void keep_better(Decomposition& best, Decomposition other) {
  if (other.parts.size() < best.parts.size()) best = std::move(other);
}

// The first setting halves the number of pieces, which is better on some meshes and worse on others.
std::vector<CutSettings> other_settings(const CutSettings& base) {
  std::vector<CutSettings> found(4, base);
  found[0].sphere_weight = 0.2;
  found[1].axes = Frame{};
  found[2].sphere_weight = 0.2;
  found[2].offsets = 3;
  found[2].concave_edges = 2 * base.concave_edges;
  found[3].sphere_weight = 0.2;
  found[3].concave_edges = 3 * base.concave_edges;
  return found;
}

Frame random_axes(Random& random) {
  const auto direction = [&] { return Vec3{random.uniform(-1, 1), random.uniform(-1, 1), random.uniform(-1, 1)}; };
  return frame_from(direction(), direction());
}

// Repeatedly rebuilds a part with its neighbours.
class LocalSearch {
 public:
  LocalSearch(Decomposition found, const Input& input, const SphereBins& bins, const SearchOptions& options)
      : found_(std::move(found)), input_(input), bins_(bins), options_(options), random_(options.seed) {}

  void step(Run& run) {
    if (found_.parts.size() < 2) return;
    const std::vector<uint32_t> group = some_neighbours();
    size_t polygons = 0;
    for (const uint32_t k : group)
      for (const uint32_t a : found_.parts[k].atoms) polygons += found_.atoms[a].piece.polygon_count();
    constexpr size_t kMostCutAnew = 20000;  // polygons; more would take too long
    const bool cuts = random_.uniform() < 0.5 && polygons <= kMostCutAnew;
    AssemblyOptions assembly = options_.assembly;
    assembly.noise = random_.uniform(0, 0.5);
    assembly.seed = random_.next();
    std::vector<Atom> atoms = cuts ? cut_anew(group, run) : atoms_of_group(group);
    Decomposition other = assembled(Assembly(std::move(atoms), bins_, assembly, &input_), run);
    if (is_better(other.parts, group)) replace(group, std::move(other));
  }

  Decomposition take() { return std::move(found_); }
  size_t part_count() const { return found_.parts.size(); }

 private:
  // A part, and two to seven of its nearest parts.
  std::vector<uint32_t> some_neighbours() {
    const auto first = static_cast<uint32_t>(random_.below(found_.parts.size()));
    std::vector<std::pair<double, uint32_t>> near;
    const Bounds& box = found_.parts[first].hull.box;
    for (uint32_t k = 0; k < found_.parts.size(); ++k) {
      const double apart = distance_sq(found_.parts[k].hull.box, box);
      if (k != first && apart <= options_.assembly.link * options_.assembly.link)
        near.emplace_back(norm(found_.parts[k].hull.box.center() - box.center()) * random_.uniform(0.5, 1.5), k);
    }
    std::sort(near.begin(), near.end());
    std::vector<uint32_t> group{first};
    const size_t count = 2 + random_.below(6);
    for (size_t k = 0; k < std::min(count, near.size()); ++k) group.push_back(near[k].second);
    std::sort(group.begin(), group.end());
    return group;
  }

  std::vector<Atom> atoms_of_group(std::span<const uint32_t> group) const {
    std::vector<Atom> atoms;
    for (const uint32_t k : group)
      for (const uint32_t a : found_.parts[k].atoms) atoms.push_back(found_.atoms[a]);
    return atoms;
  }

  // Cuts all polygons of the group, as one piece of several cells, along random axes.
  std::vector<Atom> cut_anew(std::span<const uint32_t> group, Run& run) {
    Piece piece;
    for (const uint32_t k : group)
      for (const uint32_t a : found_.parts[k].atoms) add(found_.atoms[a].piece, piece);
    CutSettings settings = options_.cut;
    settings.sphere_weight = random_.uniform() < 0.5 ? 0.2 : 0;
    settings.offsets = random_.uniform() < 0.5 ? 1 : 3;
    if (random_.uniform() < 0.5) settings.axes = random_axes(random_);
    std::vector<Cutting> start;
    start.push_back(cutting_of(std::move(piece), bins_.spheres(), input_));
    return cut_into_atoms(std::move(start), input_, settings, options_.assembly, bins_, run);
  }

  static void add(const Piece& piece, Piece& all) {
    const auto first_point = static_cast<uint32_t>(all.points.size());
    const auto first_corner = static_cast<uint32_t>(all.corners.size());
    all.points.insert(all.points.end(), piece.points.begin(), piece.points.end());
    for (const uint32_t corner : piece.corners) all.corners.push_back(corner + first_point);
    for (size_t k = 1; k < piece.offsets.size(); ++k) all.offsets.push_back(piece.offsets[k] + first_corner);
    all.triangles.insert(all.triangles.end(), piece.triangles.begin(), piece.triangles.end());
    all.concave_edges.insert(all.concave_edges.end(), piece.concave_edges.begin(), piece.concave_edges.end());
    all.cells.insert(all.cells.end(), piece.cells.begin(), piece.cells.end());
    all.inside.insert(all.inside.end(), piece.inside.begin(), piece.inside.end());
  }

  bool is_better(std::span<const Part> parts, std::span<const uint32_t> group) const {
    if (parts.size() != group.size()) return parts.size() < group.size();
    double before = 0;
    for (const uint32_t k : group) before += found_.parts[k].hull.volume;
    return volume_of(parts) < 1.02 * before;
  }

  void replace(std::span<const uint32_t> group, Decomposition other) {
    const auto first = static_cast<uint32_t>(found_.atoms.size());
    for (Part& part : other.parts)
      for (uint32_t& a : part.atoms) a += first;
    for (Atom& atom : other.atoms) found_.atoms.push_back(std::move(atom));
    for (size_t k = group.size(); k-- > 0;) {
      for (const uint32_t a : found_.parts[group[k]].atoms) found_.atoms[a] = {};
      found_.parts.erase(found_.parts.begin() + group[k]);
    }
    for (Part& part : other.parts) found_.parts.push_back(std::move(part));
  }

  Decomposition found_;
  const Input& input_;
  const SphereBins& bins_;
  const SearchOptions& options_;
  Random random_;
};

}  // namespace

Decomposition decompose(const Input& input, std::span<const Sphere> spheres, const SearchOptions& options, Run& run) {
  const SphereBins bins({spheres.begin(), spheres.end()});
  const Cutting start = cutting_of(whole(input), spheres, input);
  const auto from = [&](std::vector<Cutting> cuttings, const CutSettings& settings) {
    std::vector<Atom> atoms = cut_into_atoms(std::move(cuttings), input, settings, options.assembly, bins, run);
    return assembled(Assembly(std::move(atoms), bins, options.assembly, &input), run);
  };
  const auto with = [&](const CutSettings& settings) { return from({start}, settings); };
  run.enter("cut", 0.35, options.effort > 0 ? 0.45 : 0.9);
  Decomposition best = with(options.cut);
  // Planes separate the walls of an open box from each other only by chance.
  constexpr size_t kMostSides = 256;
  if (!input.is_solid && input.flat_side_count <= std::min(kMostSides, 4 * best.parts.size())) {
    std::vector<Cutting> sides;
    for (Piece& side : by_flat_side(input)) sides.push_back(cutting_of(std::move(side), spheres, input));
    keep_better(best, from(std::move(sides), options.cut));
  }
  // With few pieces, other ways of cutting take little time, and each saved part counts for more.
  constexpr size_t kFew = 48;
  const std::vector<CutSettings> others = other_settings(options.cut);
  if (options.effort <= 0) {
    for (const size_t k : {0, 3, 1, 2})
      if (best.atoms.size() <= kFew && best.parts.size() > 2) keep_better(best, with(others[k]));
    return best;
  }
  run.enter("search", 0.45, 0.9);
  for (const CutSettings& settings : others) keep_better(best, with(settings));
  LocalSearch search(std::move(best), input, bins, options);
  const auto steps = static_cast<size_t>(options.effort * static_cast<double>(search.part_count()));
  for (size_t k = 0; k < steps; ++k) {
    run.advance(static_cast<double>(k) / static_cast<double>(steps));
    search.step(run);
  }
  return assembled(Assembly(search.take(), bins, options.assembly, &input), run);
}

Decomposition redone(Decomposition found, std::span<const uint8_t> is_bad, const Input& input,
                     std::span<const Sphere> spheres, const SearchOptions& options, Run& run) {
  std::vector<Cutting> again;
  for (size_t k = found.parts.size(); k-- > 0;) {
    if (is_bad[k] == 0) continue;
    for (const uint32_t a : found.parts[k].atoms)
      again.push_back(cutting_of(std::move(found.atoms[a].piece), spheres, input));
    found.parts.erase(found.parts.begin() + static_cast<std::ptrdiff_t>(k));
  }
  const SphereBins bins({spheres.begin(), spheres.end()});
  Assembly assembly(std::move(found), bins, options.assembly, &input);
  for (Atom& atom : cut_into_atoms(std::move(again), input, options.cut, options.assembly, bins, run))
    assembly.add(std::move(atom));
  return assembled(std::move(assembly), run);
}

}  // namespace hitbox::internal::carve
