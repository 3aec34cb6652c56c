#include "parts/assembly.hpp"

#include <algorithm>
#include <numeric>
#include <queue>
#include <tuple>

#include "base/random.hpp"
#include "hulls/capped.hpp"

namespace hitbox::internal::parts {

namespace {

constexpr size_t kFew = 44, kInner = 60;  // a part of more than kFew vertices is first tested with kInner of them

std::vector<Vec3> joined(std::span<const Vec3> a, std::span<const Vec3> b) {
  std::vector<Vec3> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

std::vector<Vec3> inner_of(std::span<const Vec3> points) {
  return points.size() > kFew ? outermost(points, kInner) : std::vector<Vec3>(points.begin(), points.end());
}

double surface(const PartHull& hull) {
  double twice = 0;
  for (const auto& [a, b, c] : hull.mesh.triangles)
    twice += norm(cross(hull.mesh.vertices[b] - hull.mesh.vertices[a], hull.mesh.vertices[c] - hull.mesh.vertices[a]));
  return twice / 2;
}

bool holds_all(const PartHull& hull, std::span<const Vec3> points) {
  return std::all_of(points.begin(), points.end(), [&](const Vec3& p) { return hull.above(p) <= 1e-9; });
}

// Points inside the part's hull count too: the hull may be capped or thickened, and the next hull is made of the
// points.
void add_points(Part& part, std::span<const Vec3> points) {
  part.points = part_hull(joined(part.points, points), 0).mesh.vertices;
  part.inner = inner_of(part.points);
  part.inner_volume = hull_volume(part.inner);
}

}  // namespace

Atom atom_of(Piece piece) {
  Atom atom;
  const PartHull hull = part_hull(piece.all_points(), 0);
  atom.points = hull.mesh.vertices;
  atom.volume = hull.volume;
  atom.piece = std::move(piece);
  return atom;
}

bool can_be_capped(const PartHull& hull, const SphereBins& spheres, const AssemblyOptions& options) {
  if (options.most_vertices == 0 || hull.mesh.vertices.size() <= options.most_vertices) return true;
  auto capped = capped_part_hull(hull, options.most_vertices, options.most_outside);
  return capped && !spheres.entered_by(*capped);
}

Assembly::Assembly(std::vector<Atom> atoms, const SphereBins& spheres, const AssemblyOptions& options,
                   const Input* input)
    : spheres_(spheres), options_(options), input_(input) {
  for (Atom& atom : atoms) add(std::move(atom));
}

void Assembly::add(Atom atom) {
  atoms_.push_back(std::move(atom));
  parts_.push_back(part_of({static_cast<uint32_t>(atoms_.size() - 1)}));
}

void Assembly::take_apart(std::span<const uint8_t> is_taken) {
  std::vector<Part> all;
  for (size_t k = 0; k < parts_.size(); ++k) {
    if (is_taken[k] == 0) {
      all.push_back(std::move(parts_[k]));
    } else {
      for (const uint32_t atom : parts_[k].atoms) all.push_back(part_of({atom}));
    }
  }
  parts_ = std::move(all);
}

Part Assembly::part_of(std::vector<uint32_t> atoms) const {
  Part part;
  for (const uint32_t a : atoms) {
    part.points.insert(part.points.end(), atoms_[a].points.begin(), atoms_[a].points.end());
    part.atom_volume += atoms_[a].volume;
  }
  part.atoms = std::move(atoms);
  part.hull = part_hull(part.points, options_.thickness);
  if (options_.most_vertices != 0 && part.hull.mesh.vertices.size() > options_.most_vertices)
    if (auto capped = capped_part_hull(part.hull, options_.most_vertices, options_.most_outside);
        capped && !spheres_.entered_by(*capped))
      part.hull = std::move(*capped);
  part.inner = inner_of(part.points);
  part.inner_volume = hull_volume(part.inner);
  return part;
}

// If the hull of a few of the points enters the space, so does the whole hull.
std::optional<PartHull> Assembly::admitted(std::span<const Vec3> points) const {
  if (points.size() > kInner + kInner / 2) {
    const PartHull inner = part_hull(outermost(points, kInner), options_.thickness);
    if (spheres_.is_seen_entered_by(inner)) return std::nullopt;
  }
  PartHull hull = part_hull(points, options_.thickness);
  if (spheres_.entered_by(hull)) return std::nullopt;
  if (options_.most_vertices == 0 || hull.mesh.vertices.size() <= options_.most_vertices) return hull;
  auto capped = capped_part_hull(hull, options_.most_vertices, options_.most_outside);
  if (!capped || spheres_.entered_by(*capped)) return std::nullopt;
  return capped;
}

// Eq. 7: the volume of the common hull beyond that of the pieces.
double Assembly::merged_cost(const Part& a, const Part& b) const {
  const double volume = hull_volume(joined(a.inner, b.inner));
  if (options_.noise == 0) return volume - a.atom_volume - b.atom_volume;
  Random random(options_.seed + 0x9e3779b9u * a.atoms[0] + 0x85ebca6bu * b.atoms[0] + 31 * a.atoms.size() +
                b.atoms.size());
  return volume * (1 + options_.noise * random.uniform(-1, 1)) - a.atom_volume - b.atom_volume;
}

Part Assembly::merged(const Part& a, const Part& b, PartHull hull) const {
  Part part;
  part.atoms = a.atoms;
  part.atoms.insert(part.atoms.end(), b.atoms.begin(), b.atoms.end());
  const std::vector<Vec3> points = joined(a.points, b.points);
  part.points = part_hull(points, 0).mesh.vertices;
  part.inner = inner_of(part.points);
  part.inner_volume = hull_volume(part.inner);
  part.atom_volume = a.atom_volume + b.atom_volume;
  part.hull = std::move(hull);
  return part;
}

// Parts inside a merged hull belong to it.
void Assembly::absorb(uint32_t into, std::vector<uint8_t>& is_gone) {
  for (uint32_t k = 0; k < parts_.size(); ++k) {
    if (k == into || is_gone[k] != 0 || distance_sq(parts_[k].hull.box, parts_[into].hull.box) > 0) continue;
    if (!holds_all(parts_[into].hull, parts_[k].points)) continue;
    parts_[into].atoms.insert(parts_[into].atoms.end(), parts_[k].atoms.begin(), parts_[k].atoms.end());
    parts_[into].atom_volume += parts_[k].atom_volume;
    add_points(parts_[into], parts_[k].points);
    is_gone[k] = 1;
  }
}

void Assembly::drop_gone(const std::vector<uint8_t>& is_gone) {
  std::vector<Part> left;
  for (size_t k = 0; k < parts_.size(); ++k)
    if (is_gone[k] == 0) left.push_back(std::move(parts_[k]));
  parts_ = std::move(left);
}

void Assembly::merge(size_t count, Run& run) {
  const auto worse = [](const Link& x, const Link& y) {
    return std::tie(x.cost, x.a, x.b) > std::tie(y.cost, y.a, y.b);
  };
  const double link_sq = options_.link * options_.link;
  std::vector<Link> links;
  for (uint32_t a = 0; a < parts_.size(); ++a)
    for (uint32_t b = a + 1; b < parts_.size(); ++b)
      if (distance_sq(parts_[a].hull.box, parts_[b].hull.box) <= link_sq) links.push_back({0, a, b});
  run.for_each_block(links.size(), 8, [&](size_t first, size_t last, size_t) {
    run.poll();
    for (size_t k = first; k < last; ++k) links[k].cost = merged_cost(parts_[links[k].a], parts_[links[k].b]);
  });
  std::priority_queue<Link, std::vector<Link>, decltype(worse)> queue(worse, std::move(links));
  std::vector<uint8_t> is_gone(parts_.size());
  size_t left = parts_.size();
  while (!queue.empty() && left > count) {
    run.poll();
    const Link link = queue.top();
    queue.pop();
    if (is_gone[link.a] != 0 || is_gone[link.b] != 0) continue;
    auto hull = admitted(joined(parts_[link.a].points, parts_[link.b].points));
    if (!hull) continue;
    if (options_.most_growth < Bounds::kInfinity && link.cost > options_.most_growth * surface(*hull)) continue;
    const auto made = static_cast<uint32_t>(parts_.size());
    parts_.push_back(merged(parts_[link.a], parts_[link.b], std::move(*hull)));
    is_gone.push_back(0);
    is_gone[link.a] = is_gone[link.b] = 1;
    absorb(made, is_gone);
    left = static_cast<size_t>(std::count(is_gone.begin(), is_gone.end(), 0));
    for (uint32_t k = 0; k < made; ++k)
      if (is_gone[k] == 0 && distance_sq(parts_[k].hull.box, parts_[made].hull.box) <= link_sq)
        queue.push({merged_cost(parts_[k], parts_[made]), k, made});
  }
  drop_gone(is_gone);
}

// The dissolution of one part. Nothing changes until all its atoms have found a place.
class Assembly::Dissolving {
 public:
  Dissolving(Assembly& assembly, uint32_t part, const std::vector<uint8_t>& is_gone)
      : assembly_(assembly), part_(part), is_gone_(is_gone) {}

  bool place_all() {
    std::vector<uint32_t> atoms = assembly_.parts_[part_].atoms;
    std::stable_sort(atoms.begin(), atoms.end(),
                     [&](uint32_t a, uint32_t b) { return assembly_.atoms_[a].volume > assembly_.atoms_[b].volume; });
    for (const uint32_t a : atoms)
      if (!place(assembly_.atoms_[a], a, 0)) return false;
    return true;
  }

  void commit() {
    ++assembly_.now_;
    for (Home& home : homes_) {
      for (Atom& half : home.halves) {
        home.atoms.push_back(static_cast<uint32_t>(assembly_.atoms_.size()));
        assembly_.atoms_.push_back(std::move(half));
      }
      Part& part = assembly_.parts_[home.part];
      part = std::move(home.grown);
      for (const uint32_t a : home.atoms) {
        part.atoms.push_back(a);
        part.atom_volume += assembly_.atoms_[a].volume;
      }
      part.changed = assembly_.now_;
    }
  }

 private:
  struct Home {
    uint32_t part;
    Part grown;
    std::vector<uint32_t> atoms;  // new ones
    std::vector<Atom> halves;     // halves of atoms
  };
  struct Offer {
    double growth;
    uint32_t part;
  };
  static constexpr uint32_t kHalf = 0xffffffff;
  static constexpr int kMostHalvings = 2;

  const Part& now(uint32_t part) const {
    for (const Home& home : homes_)
      if (home.part == part) return home.grown;
    return assembly_.parts_[part];
  }

  bool place(const Atom& atom, uint32_t number, int halvings) {
    const Bounds box = bounds_of(atom.points);
    const double link_sq = assembly_.options_.link * assembly_.options_.link;
    std::vector<Offer> offers;
    const std::vector<Vec3> inner = inner_of(atom.points);
    for (uint32_t k = 0; k < assembly_.parts_.size(); ++k) {
      if (k == part_ || is_gone_[k] != 0) continue;
      const Part& part = now(k);
      if (distance_sq(part.hull.box, box) > link_sq) continue;
      if (holds_all(part.hull, atom.points)) {
        take(k, number, atom, std::nullopt);
        return true;
      }
      offers.push_back({hull_volume(joined(part.inner, inner)) - part.inner_volume, k});
    }
    std::sort(offers.begin(), offers.end(),
              [](const Offer& x, const Offer& y) { return std::tie(x.growth, x.part) < std::tie(y.growth, y.part); });
    constexpr size_t kMostTried = 6;
    for (size_t k = 0; k < std::min(kMostTried, offers.size()); ++k) {
      if (auto hull = assembly_.admitted(joined(now(offers[k].part).points, atom.points))) {
        take(offers[k].part, number, atom, std::move(hull));
        return true;
      }
    }
    return halvings < kMostHalvings && assembly_.input_ != nullptr && place_halves(atom, halvings);
  }

  bool place_halves(const Atom& atom, int halvings) {
    const PartHull hull = part_hull(atom.points, assembly_.options_.thickness);
    const Frame axes = own_axes(atom.piece, hull);
    Bounds local;
    for (const Vec3& p : atom.points) local.add(axes.to_local(p));
    const Vec3 size = local.size();
    const int longest = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    const HalfSpace plane{axes.axis[longest], local.center()[longest]};
    for (Piece& piece : cut(atom.piece, plane, *assembly_.input_)) {
      if (piece.polygon_count() == 0) continue;
      if (!place(atom_of(std::move(piece)), kHalf, halvings + 1)) return false;
    }
    return true;
  }

  void take(uint32_t part, uint32_t number, const Atom& atom, std::optional<PartHull> hull) {
    auto home = std::find_if(homes_.begin(), homes_.end(), [&](const Home& h) { return h.part == part; });
    if (home == homes_.end()) {
      homes_.push_back({part, assembly_.parts_[part], {}, {}});
      home = homes_.end() - 1;
    }
    if (number == kHalf) {
      home->halves.push_back(atom);
    } else {
      home->atoms.push_back(number);
    }
    add_points(home->grown, atom.points);
    if (hull) home->grown.hull = std::move(*hull);
  }

  Assembly& assembly_;
  uint32_t part_;
  const std::vector<uint8_t>& is_gone_;
  std::vector<Home> homes_;
};

bool Assembly::dissolve_one(uint32_t part, std::vector<uint8_t>& is_gone) {
  Dissolving dissolving(*this, part, is_gone);
  if (!dissolving.place_all()) return false;
  dissolving.commit();
  is_gone[part] = 1;
  return true;
}

// Takes the smallest part first. A part is tried again after a neighbour has changed.
void Assembly::dissolve(Run& run) {
  std::vector<uint8_t> is_gone(parts_.size());
  constexpr uint32_t kNever = 0xffffffff;
  std::vector<uint32_t> tried(parts_.size(), kNever);
  const double link_sq = options_.link * options_.link;
  ++now_;
  for (Part& part : parts_) part.changed = now_;
  bool went_on = true;
  while (went_on) {
    went_on = false;
    std::vector<uint32_t> order(parts_.size());
    std::iota(order.begin(), order.end(), 0u);
    std::stable_sort(order.begin(), order.end(),
                     [&](uint32_t a, uint32_t b) { return parts_[a].hull.volume < parts_[b].hull.volume; });
    for (const uint32_t k : order) {
      run.poll();
      if (is_gone[k] != 0) continue;
      uint32_t newest = 0;
      for (uint32_t other = 0; other < parts_.size(); ++other)
        if (is_gone[other] == 0 && distance_sq(parts_[other].hull.box, parts_[k].hull.box) <= link_sq)
          newest = std::max(newest, parts_[other].changed);
      if (tried[k] != kNever && tried[k] >= newest) continue;
      tried[k] = now_;
      went_on = dissolve_one(k, is_gone) || went_on;
    }
  }
  drop_gone(is_gone);
}

}  // namespace hitbox::internal::parts
