#include "fit/levels.hpp"

#include <algorithm>
#include <numeric>

namespace hitbox::internal::fit {

namespace {

// The relative precision of the distances. It takes 0.4 to 9 ms per shape, on 13 meshes of 92 to 178k faces. The budget
// limits shapes that do not reach it; it lasts 0.03 to 0.3 s, on one scan 1 s.
FarthestGoal good_enough() {
  FarthestGoal goal;
  goal.relative = 0.1;
  goal.absolute = 1e-4;
  goal.budget = size_t{1} << 15;
  return goal;
}

}  // namespace

Levels::Levels(const FitInput& input, uint32_t finest, Run& run)
    : input_(input), tree_(build_tree(input, finest, run)), nodes_(tree_), finest_merges_(tree_.merges_to(finest)) {
  const size_t node_count = tree_.face_count + tree_.merges.size();
  const auto first_above = static_cast<uint32_t>(tree_.face_count + finest_merges_);
  std::vector<uint8_t> has_parent(node_count);
  for (size_t k = 0; k < finest_merges_; ++k) has_parent[tree_.merges[k].a] = has_parent[tree_.merges[k].b] = 1;
  for (uint32_t node = 0; node < first_above; ++node)
    if (!has_parent[node]) finest_.push_back(node);
  place_.assign(node_count, kUnknown);
  uint32_t next = 0;
  for (const uint32_t node : finest_) place_[node] = next++;
  for (uint32_t node = first_above; node < node_count; ++node) place_[node] = next++;
  judged_.resize(next);
  first_face_.resize(next);
  judge_all(run);
  keep_points(run);
}

void Levels::judge_all(Run& run) {
  run.enter("levels", 0.9, 1);
  std::vector<uint32_t> known;
  for (uint32_t node = 0; node < place_.size(); ++node)
    if (is_known(node)) known.push_back(node);
  std::reverse(known.begin(), known.end());  // large ones first, so that threads end together
  const Judge judge(input_, run);
  run.for_each_block(known.size(), 1, [&](size_t k, size_t, size_t) {
    const std::vector<uint32_t> faces = nodes_.faces(known[k]);
    first_face_[place_[known[k]]] = faces[0];
    judged_[place_[known[k]]] = judge.around(faces, nodes_.medial(known[k]), good_enough(), run);
  });
}

void Levels::keep_points(Run& run) {
  points_.resize(finest_.size());
  run.for_each_block(finest_.size(), 1, [&](size_t k, size_t, size_t) {
    for (const uint32_t v : vertices_of(input_.exact(), nodes_.faces(finest_[k])))
      points_[k].push_back(input_.exact_vertices[v]);
  });
}

std::vector<uint32_t> Levels::by_first_face(std::vector<uint32_t> cut) const {
  std::sort(cut.begin(), cut.end(),
            [&](uint32_t a, uint32_t b) { return first_face_[place_[a]] < first_face_[place_[b]]; });
  return cut;
}

// Space to be kept clear takes precedence over the count: a shape that enters it is replaced by finer ones.
std::vector<uint32_t> Levels::cut_after(size_t merge_count) const {
  std::vector<uint32_t> cut, open(nodes_.roots().begin(), nodes_.roots().end());
  while (!open.empty()) {
    const uint32_t node = open.back();
    open.pop_back();
    const bool is_merged = node < tree_.face_count + merge_count;
    if (is_finest(node) || (is_merged && !judged(node).enters)) {
      cut.push_back(node);
    } else {
      open.push_back(nodes_.children(node).a);
      open.push_back(nodes_.children(node).b);
    }
  }
  return by_first_face(std::move(cut));
}

std::vector<uint32_t> Levels::cut_within(double tolerance) const {
  std::vector<uint32_t> cut, open(nodes_.roots().begin(), nodes_.roots().end());
  while (!open.empty()) {
    const uint32_t node = open.back();
    open.pop_back();
    if (is_finest(node) || (judged(node).strays.high <= tolerance && !judged(node).enters)) {
      cut.push_back(node);
    } else {
      open.push_back(nodes_.children(node).a);
      open.push_back(nodes_.children(node).b);
    }
  }
  return by_first_face(std::move(cut));
}

FitResult Levels::shapes_of(std::span<const uint32_t> cut, Run& run) const {
  std::vector<Shape> shapes;
  std::vector<std::vector<Vec3>> points;
  for (const uint32_t node : cut) {
    shapes.push_back(judged(node).shape);
    points.emplace_back();
    std::vector<uint32_t> open{node};
    while (!open.empty()) {
      const uint32_t at = open.back();
      open.pop_back();
      if (is_finest(at)) {
        const std::vector<Vec3>& own = points_[place_[at]];
        points.back().insert(points.back().end(), own.begin(), own.end());
      } else {
        open.push_back(nodes_.children(at).a);
        open.push_back(nodes_.children(at).b);
      }
    }
  }
  return without_useless_shapes(std::move(shapes), std::move(points), nodes_.partition(cut), input_, run);
}

FitResult Levels::at(uint32_t count, Run& run) const {
  const size_t merge_count = tree_.merges_to(count);
  if (merge_count < finest_merges_) return shapes_after(input_, tree_, merge_count, run);
  return padded(shapes_of(cut_after(merge_count), run), input_);
}

WithinResult Levels::within(double tolerance, Run& run) const {
  const std::vector<uint32_t> cut = cut_within(tolerance);
  WithinResult result{padded(shapes_of(cut, run), input_)};
  for (const uint32_t k : result.fitted.clusters) {
    const double strays = judged(cut[k]).strays.high;
    result.strays = std::max(result.strays, strays);
    result.over += strays > tolerance;
  }
  return result;
}

}  // namespace hitbox::internal::fit
