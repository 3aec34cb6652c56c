#include "recognise/simplify.hpp"

#include <algorithm>
#include <numeric>

#include "base/tolerances.hpp"
#include "bvh/bvh.hpp"
#include "mesh/clusters.hpp"
#include "mesh/components.hpp"
#include "recognise/orthogonal.hpp"
#include "recognise/recognise.hpp"
#include "recognise/two_sided.hpp"

namespace hitbox::internal::recognise {

namespace {

constexpr uint32_t kNone = UINT32_MAX;
constexpr size_t kTetrahedron = 4;  // faces; no closed part has fewer

// The result for a component: one shape, several boxes, or not simple.
struct Finding {
  std::vector<Fitted> shapes;
  std::optional<Hull> hull;       // the shape, if it is not a primitive
  std::optional<BoxCover> cover;  // if there are several boxes
  bool looks_inward = false;

  bool is_simple() const { return !shapes.empty(); }
};

// A component that is not simple as a whole, but consists of touching solids of which some are.
struct TakenApart {
  Components solids;  // the solids of its faces
  std::vector<Finding> findings;
};

// Extracts faces of a mesh with the vertices that they use, both ascending. `local` has one entry per vertex of the
// mesh.
Mesh copy_of(const MeshView& mesh, std::span<const uint32_t> faces, std::span<const uint32_t> vertices,
             std::vector<uint32_t>& local) {
  Mesh part;
  for (const uint32_t v : vertices) {
    local[v] = static_cast<uint32_t>(part.vertices.size());
    part.vertices.push_back(mesh.vertices[v]);
  }
  for (const uint32_t f : faces) {
    for (const uint32_t v : mesh.face(f)) part.indices.push_back(local[v]);
    part.offsets.push_back(static_cast<uint32_t>(part.indices.size()));
  }
  return part;
}

// Also if two sides of a face meet in the cut, so that no vertex is new.
bool is_cut(const Finding& finding, size_t face_count) { return finding.cover->fragments.size() > face_count; }

ClusterMembers members_of(const MeshView& mesh, const Components& components) {
  return {mesh, {components.of_face, static_cast<uint32_t>(components.count)}};
}

class Simplifier {
 public:
  Simplifier(const MeshView& mesh, const FitOptions& options, bool may_cut, Run& run)
      : mesh_(mesh),
        options_(options),
        may_cut_(may_cut),
        run_(run),
        thickness_(Tolerances::of_diagonal(1).thickness),
        pieces_(components_of(mesh)),
        members_(members_of(mesh, pieces_)),
        findings_(pieces_.count) {}

  Simplified simplify() {
    look_at_components();
    number_shapes();
    if (piece_of_shape_.empty()) return {};
    find_what_lies_inside();
    return collect();
  }

 private:
  void look_at_components();
  void use(std::span<TakenApart> of_component);
  Finding finding_of(const MeshView& copy, Run& alone) const;
  TakenApart taken_apart(const MeshView& component, std::span<const uint32_t> faces, Run& alone) const;
  void look_for_hull(const MeshView& part, const FaceDirections& directions, Finding& finding, Run& alone) const;
  template <class FaceNumber>
  bool are_in_one_group(std::span<const uint32_t> faces, FaceNumber&& in_mesh) const;
  bool is_in_one_group(uint32_t piece) const {
    return are_in_one_group(members_.faces(piece), [](uint32_t f) { return f; });
  }
  Fitted as_fitted(const Frame& frame, const Bounds& box) const;
  void number_shapes();
  void find_what_lies_inside();
  bool holds(const Shape& shape, uint32_t piece) const;
  Simplified collect();
  Shape shape_of(uint32_t shape) const {
    const std::optional<Hull>& hull = findings_[piece_of_shape_[shape]].hull;
    return hull ? Shape(*hull) : to_shape(fitted(shape));
  }
  const Fitted& fitted(uint32_t shape) const {
    return findings_[piece_of_shape_[shape]].shapes[shape - first_shape_[piece_of_shape_[shape]]];
  }

  const MeshView& mesh_;
  const FitOptions& options_;
  bool may_cut_;
  Run& run_;
  double thickness_;
  Components pieces_;  // components, or the solids of a component
  ClusterMembers members_;
  std::vector<Finding> findings_;      // per piece
  std::vector<uint32_t> first_shape_;  // per piece
  std::vector<uint32_t> piece_of_shape_;
  std::vector<uint32_t> inside_of_;  // per piece: the shape of another piece that contains it
};

template <class FaceNumber>
bool Simplifier::are_in_one_group(std::span<const uint32_t> faces, FaceNumber&& in_mesh) const {
  if (options_.group_of_face.empty()) return true;
  const auto group = [&](uint32_t f) { return options_.group_of_face[in_mesh(f)]; };
  return std::all_of(faces.begin(), faces.end(), [&](uint32_t f) { return group(f) == group(faces[0]); });
}

Fitted Simplifier::as_fitted(const Frame& frame, const Bounds& box) const {
  const Vec3 half = max(box.size() * 0.5, Vec3{thickness_, thickness_, thickness_});
  Fitted fitted;
  fitted.frame = frame;
  fitted.center = frame.to_world(box.center());
  fitted.size = {half.x, half.y, half.z};
  fitted.volume = fitted.cost = 8 * half.x * half.y * half.z;
  return fitted;
}

// The cover of a part with duplicate faces: copies are cut like the faces.
static BoxCover with_copies(BoxCover cover, std::span<const uint32_t> number_of_face) {
  const std::vector<BoxFragment> once = std::move(cover.fragments);
  const auto before = [](const BoxFragment& fragment, uint32_t face) { return fragment.face < face; };
  cover.fragments.clear();
  for (uint32_t f = 0; f < number_of_face.size(); ++f) {
    const uint32_t number = number_of_face[f];
    for (auto at = std::lower_bound(once.begin(), once.end(), number, before); at != once.end() && at->face == number;
         ++at)
      cover.fragments.push_back({f, at->box, at->corners});
  }
  return cover;
}

void Simplifier::look_for_hull(const MeshView& part, const FaceDirections& directions, Finding& finding,
                               Run& alone) const {
  const auto convex = recognise_convex(part, directions, options_.max_vertices, thickness_, alone);
  if (!convex) return;
  finding.shapes = {convex->box};
  finding.hull = convex->hull;
}

Finding Simplifier::finding_of(const MeshView& copy, Run& alone) const {
  const std::optional<OneSided> once = one_sided(copy, alone);
  const MeshView part = once ? once->mesh.view() : copy;
  const FaceDirections directions = face_directions(part, alone);
  Finding finding;
  if (const auto shape = recognise(part, directions, options_.kinds, thickness_, alone)) {
    finding.shapes = {*shape};
  } else if (options_.kinds[static_cast<size_t>(Kind::box)]) {
    finding.cover = cover_by_boxes(part, directions, alone);
    if (finding.cover && once) finding.cover = with_copies(std::move(*finding.cover), once->number);
    if (finding.cover && is_cut(finding, copy.face_count()) && !may_cut_) finding.cover.reset();
    if (finding.cover)
      for (const Bounds& box : finding.cover->boxes) finding.shapes.push_back(as_fitted(finding.cover->frame, box));
  }
  if (!finding.is_simple() && options_.max_vertices > 0) look_for_hull(part, directions, finding, alone);
  if (finding.is_simple()) finding.looks_inward = !once && signed_volume(part) < 0;
  return finding;
}

// Solids that share vertices, such as the sections of a tower. Empty if none of them is simple.
TakenApart Simplifier::taken_apart(const MeshView& component, std::span<const uint32_t> faces, Run& alone) const {
  TakenApart result{solids_of(component, alone), {}};
  if (result.solids.count < 2) return {};
  const ClusterMembers members = members_of(component, result.solids);
  std::vector<uint32_t> local(component.vertices.size());
  result.findings.resize(members.size());
  bool any = false;
  for (size_t k = 0; k < members.size(); ++k) {
    alone.poll();
    const auto own = members.faces(k);
    if (own.size() < kTetrahedron || !are_in_one_group(own, [&](uint32_t f) { return faces[f]; })) continue;
    result.findings[k] = finding_of(copy_of(component, own, members.vertices(k), local).view(), alone);
    any = any || result.findings[k].is_simple();
  }
  return any ? std::move(result) : TakenApart{};
}

void Simplifier::look_at_components() {
  // Components share no vertices, so all of them can write into one array of new numbers.
  std::vector<uint32_t> local(mesh_.vertices.size());
  std::vector<TakenApart> apart(pieces_.count);
  run_.for_each_block(pieces_.count, 16, [&](size_t first, size_t last, size_t) {
    Run alone(1, [&](const char*, double) {  // components are processed in parallel, but one may be large
      run_.poll();
      return true;
    });
    for (auto c = static_cast<uint32_t>(first); c < last; ++c) {
      const auto faces = members_.faces(c);
      if (faces.size() < kTetrahedron) continue;
      const Mesh copy = copy_of(mesh_, faces, members_.vertices(c), local);
      if (is_in_one_group(c)) findings_[c] = finding_of(copy.view(), alone);
      if (!findings_[c].is_simple()) apart[c] = taken_apart(copy.view(), faces, alone);
    }
  });
  use(apart);
}

// Replaces separated components by their solids.
void Simplifier::use(std::span<TakenApart> of_component) {
  if (std::all_of(of_component.begin(), of_component.end(), [](const TakenApart& a) { return a.findings.empty(); }))
    return;
  std::vector<uint32_t> first_piece;
  std::vector<Finding> findings;
  for (size_t c = 0; c < of_component.size(); ++c) {
    first_piece.push_back(static_cast<uint32_t>(findings.size()));
    if (of_component[c].findings.empty()) findings.push_back(std::move(findings_[c]));
    for (Finding& finding : of_component[c].findings) findings.push_back(std::move(finding));
  }
  std::vector<uint32_t> next_face(of_component.size(), 0);
  for (uint32_t& piece : pieces_.of_face) {
    const uint32_t c = piece, own = next_face[c]++;
    piece = first_piece[c] + (of_component[c].findings.empty() ? 0 : of_component[c].solids.of_face[own]);
  }
  pieces_.count = findings.size();
  members_ = members_of(mesh_, pieces_);
  findings_ = std::move(findings);
}

void Simplifier::number_shapes() {
  first_shape_.assign(pieces_.count, 0);
  inside_of_.assign(pieces_.count, kNone);
  for (uint32_t c = 0; c < pieces_.count; ++c) {
    first_shape_[c] = static_cast<uint32_t>(piece_of_shape_.size());
    piece_of_shape_.resize(piece_of_shape_.size() + findings_[c].shapes.size(), c);
  }
}

bool Simplifier::holds(const Shape& shape, uint32_t piece) const {
  constexpr double kTouching = 1e-12;
  std::array<Vec3, 64> points;
  std::array<double, 64> distance;
  const auto vertices = members_.vertices(piece);
  for (size_t first = 0; first < vertices.size(); first += points.size()) {
    const size_t count = std::min(points.size(), vertices.size() - first);
    for (size_t k = 0; k < count; ++k) points[k] = mesh_.vertices[vertices[first + k]];
    signed_distance(shape, std::span(points).first(count), std::span(distance).first(count));
    for (size_t k = 0; k < count; ++k)
      if (distance[k] > kTouching) return false;
  }
  return true;
}

// The largest shape that contains a piece absorbs it. A room, whose walls face inward, does not: with contents it is
// not a simple part.
void Simplifier::find_what_lies_inside() {
  const auto shape_count = static_cast<uint32_t>(piece_of_shape_.size());
  std::vector<Shape> shapes;
  std::vector<Bounds> boxes;
  for (uint32_t s = 0; s < shape_count; ++s) {
    shapes.push_back(shape_of(s));
    boxes.push_back(bounds(shapes.back()));
    boxes.back().grow(1e-12);
  }
  const auto is_larger = [&](uint32_t a, uint32_t b) {
    return fitted(a).volume != fitted(b).volume ? fitted(a).volume > fitted(b).volume : a < b;
  };
  const auto is_larger_than_all_of = [&](uint32_t shape, uint32_t piece) {
    for (uint32_t k = 0; k < findings_[piece].shapes.size(); ++k)
      if (!is_larger(shape, first_shape_[piece] + k)) return false;
    return true;
  };
  const BoxBvh tree(boxes, run_);
  std::vector<std::vector<uint32_t>> holders(pieces_.count);
  run_.for_each_block(pieces_.count, 256, [&](size_t first, size_t last, size_t) {
    for (auto c = static_cast<uint32_t>(first); c < last; ++c) {
      if (!is_in_one_group(c)) continue;
      Bounds box;
      for (const uint32_t v : members_.vertices(c)) box.add(mesh_.vertices[v]);
      tree.overlaps(box, [&](uint32_t s) {
        const uint32_t other = piece_of_shape_[s];
        const bool same_group = options_.group_of_face.empty() || options_.group_of_face[members_.faces(c)[0]] ==
                                                                      options_.group_of_face[members_.faces(other)[0]];
        if (other == c || !same_group || !boxes[s].contains(box.low) || !boxes[s].contains(box.high)) return;
        if (is_larger_than_all_of(s, c) && holds(shapes[s], c)) holders[c].push_back(s);
      });
    }
  });
  std::vector<bool> is_room(pieces_.count);
  for (const auto& of_piece : holders)
    for (const uint32_t s : of_piece)
      if (findings_[piece_of_shape_[s]].looks_inward) is_room[piece_of_shape_[s]] = true;
  for (uint32_t c = 0; c < pieces_.count; ++c) {
    std::erase_if(holders[c], [&](uint32_t s) { return is_room[piece_of_shape_[s]]; });
    if (!holders[c].empty()) inside_of_[c] = *std::min_element(holders[c].begin(), holders[c].end(), is_larger);
  }
  for (uint32_t c = 0; c < pieces_.count; ++c)
    if (is_room[c]) findings_[c] = {};
}

// Assigns each face, or its fragments, to its shape.
Simplified Simplifier::collect() {
  // Follows the chain of containing shapes, which ends because they become larger.
  const auto outermost = [&](uint32_t shape) {
    while (inside_of_[piece_of_shape_[shape]] != kNone) shape = inside_of_[piece_of_shape_[shape]];
    return shape;
  };
  std::vector<uint32_t> base_of_new(pieces_.count);  // start of each piece's new vertices
  Simplified result;
  bool any_cut = false;
  for (uint32_t c = 0; c < pieces_.count; ++c) {
    const Finding& finding = findings_[c];
    if (!finding.cover || inside_of_[c] != kNone) continue;
    base_of_new[c] = static_cast<uint32_t>(mesh_.vertices.size() + result.cut.new_vertices.size());
    const auto& added = finding.cover->new_vertices;
    result.cut.new_vertices.insert(result.cut.new_vertices.end(), added.begin(), added.end());
    any_cut = any_cut || is_cut(finding, members_.faces(c).size());
  }
  std::vector<std::vector<uint32_t>> faces_of_shape(piece_of_shape_.size());
  std::vector<uint32_t> next_fragment(pieces_.count, 0), next_face(pieces_.count, 0);
  CutFaces& cut = result.cut;
  cut.offsets.push_back(0);
  uint32_t emitted = 0;
  const auto emit = [&](uint32_t source, uint32_t shape, auto&& corners) {
    if (shape != kNone) faces_of_shape[shape].push_back(emitted);
    ++emitted;
    if (!any_cut) return;
    cut.source.push_back(source);
    corners();
    cut.offsets.push_back(static_cast<uint32_t>(cut.indices.size()));
  };
  for (uint32_t f = 0; f < mesh_.face_count(); ++f) {
    const uint32_t c = pieces_.of_face[f];
    const Finding& finding = findings_[c];
    const auto whole = [&] {
      for (const uint32_t v : mesh_.face(f)) cut.indices.push_back(v);
    };
    if (inside_of_[c] != kNone) {
      emit(f, outermost(inside_of_[c]), whole);
    } else if (!finding.cover) {
      emit(f, finding.shapes.empty() ? kNone : first_shape_[c], whole);
    } else {
      const uint32_t own = next_face[c]++;
      const auto vertices = members_.vertices(c);
      const std::vector<BoxFragment>& fragments = finding.cover->fragments;
      for (uint32_t& k = next_fragment[c]; k < fragments.size() && fragments[k].face == own; ++k)
        emit(f, first_shape_[c] + fragments[k].box, [&] {
          for (const uint32_t v : fragments[k].corners)
            cut.indices.push_back(v < vertices.size() ? vertices[v]
                                                      : base_of_new[c] + static_cast<uint32_t>(v - vertices.size()));
        });
    }
  }
  if (!any_cut) cut = {};
  for (uint32_t s = 0; s < faces_of_shape.size(); ++s)
    if (!faces_of_shape[s].empty())
      result.parts.push_back({std::move(faces_of_shape[s]), fitted(s), findings_[piece_of_shape_[s]].hull});
  return result;
}

}  // namespace

Simplified simplify(const MeshView& unit_mesh, const FitOptions& options, bool may_cut, Run& run) {
  return Simplifier(unit_mesh, options, may_cut, run).simplify();
}

}  // namespace hitbox::internal::recognise
