#include "recognise/orthogonal.hpp"

#include <algorithm>
#include <array>
#include <numeric>
#include <utility>

namespace hitbox::internal::recognise {

namespace {

constexpr uint32_t kMostBoxes = 64;
constexpr size_t kMostPlanes = 128;  // along one axis
constexpr size_t kMostCandidates = 50'000;
constexpr size_t kMostSteps = 2'000'000;  // limit of steps for listing boxes
constexpr uint32_t kPollEvery = 1 << 10;
constexpr double kSame = 1e-4;   // fraction of the diagonal: closer planes are merged
constexpr double kStray = 1e-6;  // fraction of the area that may face in other directions
constexpr double kBare = 1e-3;   // fraction of the area that may be missing

// The frame of all directions.
std::optional<Frame> common_frame(const FaceDirections& directions) {
  const std::vector<Direction>& main = directions.main;
  if (main.empty() || directions.main_area < (1 - kBare) * directions.total_area) return {};
  const auto second = std::find_if(main.begin(), main.end(),
                                   [&](const Direction& d) { return are_perpendicular(main[0].normal, d.normal); });
  if (second == main.end()) return {};
  const Frame frame = frame_from(main[0].normal, second->normal);
  for (const Direction& d : main)
    if (d.area > kBare * directions.total_area &&
        std::none_of(frame.axis, frame.axis + 3, [&](const Vec3& a) { return are_parallel(a, d.normal); }))
      return {};
  return frame;
}

struct Cell {
  std::array<uint32_t, 3> low, high;  // as indices of planes
};

class Orthogonal {
 public:
  Orthogonal(const MeshView& part, const Frame& frame, Run& run) : part_(part), frame_(frame), run_(run) {}

  std::optional<BoxCover> cover(double total_area) {
    localise();
    run_.poll();
    if (!sort_faces(total_area) || !find_planes() || !fill() || !is_covered()) return {};
    if (!list_candidates() || !choose_boxes()) return {};
    BoxCover result;
    result.frame = frame_;
    if (!cut_faces(result)) return {};
    return result;
  }

 private:
  struct AlignedFace {
    uint32_t face;
    uint32_t plane = 0;
    double at, area;
  };

  size_t planes(int axis) const { return planes_[axis].size(); }
  size_t cells(int axis) const { return planes_[axis].size() - 1; }
  size_t cell(size_t x, size_t y, size_t z) const { return (z * cells(1) + y) * cells(0) + x; }
  size_t cell(const std::array<size_t, 3>& at) const { return cell(at[0], at[1], at[2]); }
  double width(int axis, size_t k) const { return planes_[axis][k + 1] - planes_[axis][k]; }

  void localise();
  bool sort_faces(double total_area);
  bool find_planes();
  bool fill();
  std::vector<char> filled_along(int axis) const;
  bool contains(const AlignedFace& face, int axis, double u, double v) const;
  bool is_covered() const;
  bool list_candidates();
  bool choose_boxes();
  double uncovered_in(const Cell& box) const;
  void sum_up(const std::vector<char>& covered);
  double volume_of(const Cell& box) const;
  bool cut_faces(BoxCover& result) const;

  const MeshView& part_;
  Frame frame_;
  Run& run_;
  std::vector<Vec3> local_;
  double same_ = 0;
  std::array<std::vector<AlignedFace>, 3> faces_;  // per axis
  std::array<std::vector<double>, 3> planes_;
  std::vector<char> filled_;
  std::vector<Cell> candidates_;
  std::vector<double> uncovered_;  // cumulative volume below each corner of the grid
  std::vector<Bounds> boxes_;
};

void Orthogonal::localise() {
  local_.reserve(part_.vertices.size());
  for (const Vec3& v : part_.vertices) local_.push_back(frame_.to_local(v));
  same_ = kSame * bounds_of(local_).diagonal();
}

// Assigns each face to the axis along which it faces. Faces without area have no direction and are not needed.
bool Orthogonal::sort_faces(double total_area) {
  double stray = 0;
  for (uint32_t f = 0; f < part_.face_count(); ++f) {
    const auto face = part_.face(f);
    const Vec3 vector = area_vector(local_, face), size = abs(vector);
    const int axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    Bounds box;
    for (const uint32_t v : face) box.add(local_[v]);
    if (box.size()[axis] <= same_) {
      faces_[static_cast<size_t>(axis)].push_back({f, 0, box.center()[axis], size[axis]});
    } else {
      stray += norm(vector);
    }
  }
  return stray <= kStray * total_area;
}

bool Orthogonal::find_planes() {
  for (size_t axis = 0; axis < 3; ++axis) {
    run_.poll();
    std::vector<AlignedFace>& faces = faces_[axis];
    std::stable_sort(faces.begin(), faces.end(),
                     [](const AlignedFace& a, const AlignedFace& b) { return a.at < b.at; });
    double start = -Bounds::kInfinity, area = 0, moment = 0;
    for (AlignedFace& face : faces) {
      if (face.at - start > same_) {
        if (planes_[axis].size() == kMostPlanes) return false;
        planes_[axis].push_back(face.at);
        start = face.at;
        area = moment = 0;
      }
      face.plane = static_cast<uint32_t>(planes_[axis].size() - 1);
      area += face.area;
      moment += face.area * face.at;
      if (area > 0) planes_[axis].back() = moment / area;
    }
    if (planes_[axis].size() < 2) return false;
  }
  return true;
}

// The even-odd rule, so that any simple polygon is allowed.
bool Orthogonal::contains(const AlignedFace& aligned, int axis, double u, double v) const {
  const auto face = part_.face(aligned.face);
  const int au = (axis + 1) % 3, av = (axis + 2) % 3;
  bool inside = false;
  for (size_t k = 0, before = face.size() - 1; k < face.size(); before = k++) {
    const Vec3 &a = local_[face[before]], &b = local_[face[k]];
    if ((a[av] > v) == (b[av] > v)) continue;
    if (u < a[au] + (b[au] - a[au]) * (v - a[av]) / (b[av] - a[av])) inside = !inside;
  }
  return inside;
}

// A cell is inside if a line along the axis crosses an odd number of faces before it. The result is empty if such a
// line ends inside.
std::vector<char> Orthogonal::filled_along(int axis) const {
  const int au = (axis + 1) % 3, av = (axis + 2) % 3;
  const auto sample = [&](int a, size_t k) {  // not in the middle, because diagonals pass there
    return planes_[a][k] + (a == au ? 0.3819 : 0.5877) * width(a, k);
  };
  std::vector<char> filled(cells(0) * cells(1) * cells(2));
  std::vector<char> crossed(planes(axis) * cells(au) * cells(av));
  const auto crossing = [&](size_t plane, size_t u, size_t v) -> char& {
    return crossed[(plane * cells(av) + v) * cells(au) + u];
  };
  for (const AlignedFace& face : faces_[static_cast<size_t>(axis)]) {
    if (face.face % kPollEvery == 0) run_.poll();
    Bounds box;
    for (const uint32_t v : part_.face(face.face)) box.add(local_[v]);
    const auto first = [&](int a) {
      const auto at = std::upper_bound(planes_[a].begin(), planes_[a].end(), box.low[a]);
      return static_cast<size_t>(std::max<ptrdiff_t>(at - planes_[a].begin() - 1, 0));
    };
    for (size_t v = first(av); v < cells(av) && sample(av, v) <= box.high[av]; ++v)
      for (size_t u = first(au); u < cells(au) && sample(au, u) <= box.high[au]; ++u)
        if (contains(face, axis, sample(au, u), sample(av, v))) crossing(face.plane, u, v) ^= 1;
  }
  std::array<size_t, 3> at;
  for (at[av] = 0; at[av] < cells(av); ++at[av])
    for (at[au] = 0; at[au] < cells(au); ++at[au]) {
      char inside = 0;
      for (at[axis] = 0; at[axis] < cells(axis); ++at[axis]) {
        inside ^= crossing(at[axis], at[au], at[av]);
        filled[cell(at)] = inside;
      }
      if (inside != crossing(cells(axis), at[au], at[av])) return {};
    }
  return filled;
}

bool Orthogonal::fill() {
  if (cells(0) * cells(1) * cells(2) > kMostSteps) return false;
  filled_ = filled_along(0);
  return !filled_.empty() && filled_along(1) == filled_ && filled_along(2) == filled_;
}

// The faces have at least the area of the sides of the filled cells, so there are no holes between the sample lines.
bool Orthogonal::is_covered() const {
  double all = 0, bare = 0;
  for (int axis = 0; axis < 3; ++axis) {
    const int au = (axis + 1) % 3, av = (axis + 2) % 3;
    std::vector<double> missing(planes(axis));
    std::array<size_t, 3> at;
    for (at[2] = 0; at[2] < cells(2); ++at[2])
      for (at[1] = 0; at[1] < cells(1); ++at[1])
        for (at[0] = 0; at[0] < cells(0); ++at[0]) {
          if (!filled_[cell(at)]) continue;
          const double side = width(au, at[au]) * width(av, at[av]);
          std::array<size_t, 3> below = at, above = at;
          --below[axis];
          ++above[axis];
          if (at[axis] == 0 || !filled_[cell(below)]) missing[at[axis]] += side;
          if (above[axis] == cells(axis) || !filled_[cell(above)]) missing[above[axis]] += side;
        }
    all = std::accumulate(missing.begin(), missing.end(), all);
    for (const AlignedFace& face : faces_[static_cast<size_t>(axis)]) missing[face.plane] -= face.area;
    for (const double area : missing) bare += std::max(area, 0.0);
  }
  return bare <= kBare * all;
}

// Lists all boxes of filled cells.
bool Orthogonal::list_candidates() {
  size_t steps = 0;
  // For each column of cells, the number of filled cells that follow along z.
  std::vector<uint32_t> run(filled_.size());
  for (size_t z = cells(2); z-- > 0;)
    for (size_t y = 0; y < cells(1); ++y)
      for (size_t x = 0; x < cells(0); ++x)
        if (filled_[cell(x, y, z)]) run[cell(x, y, z)] = 1 + (z + 1 < cells(2) ? run[cell(x, y, z + 1)] : 0);
  std::vector<uint32_t> lowest;  // over x0 .. x, per y
  for (uint32_t z = 0; z < cells(2); ++z)
    for (uint32_t x0 = 0; x0 < cells(0); ++x0) {
      lowest.assign(cells(1), UINT32_MAX);
      for (uint32_t x = x0; x < cells(0); ++x) {
        for (size_t y = 0; y < cells(1); ++y) lowest[y] = std::min(lowest[y], run[cell(x, y, z)]);
        for (uint32_t y0 = 0; y0 < cells(1); ++y0) {
          uint32_t reach = UINT32_MAX;
          for (uint32_t y = y0; y < cells(1); ++y) {
            if (++steps > kMostSteps) return false;
            reach = std::min(reach, lowest[y]);
            if (reach == 0) break;
            for (uint32_t k = 1; k <= reach; ++k) candidates_.push_back({{x0, y0, z}, {x + 1, y + 1, z + k}});
            if (candidates_.size() > kMostCandidates) return false;
          }
        }
      }
    }
  return true;
}

double Orthogonal::volume_of(const Cell& box) const {
  double product = 1;
  for (size_t axis = 0; axis < 3; ++axis) product *= planes_[axis][box.high[axis]] - planes_[axis][box.low[axis]];
  return product;
}

void Orthogonal::sum_up(const std::vector<char>& covered) {
  const size_t nx = planes(0), ny = planes(1);
  uncovered_.assign(nx * ny * planes(2), 0);
  const auto sum = [&](size_t x, size_t y, size_t z) -> double& { return uncovered_[(z * ny + y) * nx + x]; };
  for (size_t z = 1; z < planes(2); ++z)
    for (size_t y = 1; y < ny; ++y)
      for (size_t x = 1; x < nx; ++x) {
        const size_t c = cell(x - 1, y - 1, z - 1);
        const double own = filled_[c] && !covered[c] ? width(0, x - 1) * width(1, y - 1) * width(2, z - 1) : 0;
        sum(x, y, z) = own + sum(x - 1, y, z) + sum(x, y - 1, z) + sum(x, y, z - 1) - sum(x - 1, y - 1, z) -
                       sum(x - 1, y, z - 1) - sum(x, y - 1, z - 1) + sum(x - 1, y - 1, z - 1);
      }
}

double Orthogonal::uncovered_in(const Cell& box) const {
  const size_t nx = planes(0), ny = planes(1);
  const auto sum = [&](size_t x, size_t y, size_t z) { return uncovered_[(z * ny + y) * nx + x]; };
  const auto& [x0, y0, z0] = box.low;
  const auto& [x1, y1, z1] = box.high;
  return sum(x1, y1, z1) - sum(x0, y1, z1) - sum(x1, y0, z1) - sum(x1, y1, z0) + sum(x0, y0, z1) + sum(x0, y1, z0) +
         sum(x1, y0, z0) - sum(x0, y0, z0);
}

bool Orthogonal::choose_boxes() {
  constexpr double kEqual = 1e-9;  // fraction of the volume
  std::vector<char> covered(filled_.size());
  size_t left = static_cast<size_t>(std::count(filled_.begin(), filled_.end(), 1));
  double all = 0;
  while (left > 0) {
    if (boxes_.size() == kMostBoxes) return false;
    run_.poll();
    sum_up(covered);
    if (boxes_.empty()) all = uncovered_.back();
    const Cell* best = nullptr;
    double most = 0, smallest = 0;
    for (const Cell& box : candidates_) {
      const double gain = uncovered_in(box);
      if (gain < most - kEqual * all) continue;
      const double size = volume_of(box);
      if (best != nullptr && gain <= most + kEqual * all && size >= smallest) continue;
      best = &box;
      most = gain;
      smallest = size;
    }
    Bounds box;
    for (int axis = 0; axis < 3; ++axis) {
      box.low[axis] = planes_[axis][best->low[static_cast<size_t>(axis)]];
      box.high[axis] = planes_[axis][best->high[static_cast<size_t>(axis)]];
    }
    boxes_.push_back(box);
    const size_t before = left;
    for (size_t z = best->low[2]; z < best->high[2]; ++z)
      for (size_t y = best->low[1]; y < best->high[1]; ++y)
        for (size_t x = best->low[0]; x < best->high[0]; ++x)
          if (!std::exchange(covered[cell(x, y, z)], 1)) --left;
    if (left == before) return false;  // the rest is too thin to count
  }
  return true;
}

// Splits a face along the sides of boxes until each fragment lies in one box. Splitting loses nothing, while clipping
// would at nearly equal planes.
class FaceCutter {
 public:
  FaceCutter(std::span<const Bounds> boxes, double same, std::span<const Vec3> local, const Frame& frame,
             BoxCover& result)
      : boxes_(boxes), same_(same), local_(local), frame_(frame), result_(result) {}

  bool cut(uint32_t face, std::span<const uint32_t> corners) {
    facing_ = area_vector(local_, corners);
    return cut_piece(face, {corners.begin(), corners.end()});
  }

 private:
  bool cut_piece(uint32_t face, std::vector<uint32_t> corners) {
    Bounds extent;
    for (const uint32_t v : corners) extent.add(at(v));
    for (uint32_t b = 0; b < boxes_.size(); ++b) {
      Bounds roomy = boxes_[b];
      roomy.grow(same_);
      if (!roomy.contains(extent.low) || !roomy.contains(extent.high)) continue;
      result_.fragments.push_back({face, b, std::move(corners)});
      return true;
    }
    for (const Bounds& box : boxes_) {
      if (!reaches_into(box, extent)) continue;
      for (int axis = 0; axis < 3; ++axis)
        for (const double plane : {box.low[axis], box.high[axis]})
          if (extent.low[axis] < plane - same_ && extent.high[axis] > plane + same_) {
            auto [below, above] = split(corners, axis, plane);
            return cut_piece(face, std::move(below)) && cut_piece(face, std::move(above));
          }
    }
    return false;
  }

  Vec3 at(uint32_t v) const { return v < local_.size() ? local_[v] : added_[v - local_.size()]; }

  bool reaches_into(const Bounds& box, const Bounds& extent) const {
    for (int axis = 0; axis < 3; ++axis)
      if (extent.high[axis] < box.low[axis] - same_ || extent.low[axis] > box.high[axis] + same_) return false;
    return true;
  }

  // A vertex in the plane goes to the side of its edge, or to the side of the face along an edge in the plane. Always
  // using both sides would be simpler, but leaves spikes on polygons that are not convex.
  std::pair<std::vector<uint32_t>, std::vector<uint32_t>> split(const std::vector<uint32_t>& corners, int axis,
                                                                double plane) {
    std::pair<std::vector<uint32_t>, std::vector<uint32_t>> sides;
    const size_t count = corners.size();
    const auto side_of = [&](uint32_t v) {
      const double off = at(v)[axis] - plane;
      return off > same_ ? 1 : off < -same_ ? -1 : 0;
    };
    const auto edge_is_on = [&](int side, uint32_t a, uint32_t b) {
      if (side_of(a) != 0 || side_of(b) != 0) return side_of(a) == side || side_of(b) == side;
      return cross(facing_, at(b) - at(a))[axis] * side >= 0;
    };
    const auto is_on = [&](int side, size_t k) {
      const uint32_t v = corners[k];
      return side_of(v) != 0 ? side_of(v) == side
                             : edge_is_on(side, corners[(k + count - 1) % count], v) ||
                                   edge_is_on(side, v, corners[(k + 1) % count]);
    };
    for (size_t k = 0; k < count; ++k) {
      const uint32_t a = corners[k], b = corners[(k + 1) % count];
      if (is_on(-1, k)) sides.first.push_back(a);
      if (is_on(1, k)) sides.second.push_back(a);
      if (side_of(a) * side_of(b) >= 0) continue;
      const double t = (plane - at(a)[axis]) / (at(b)[axis] - at(a)[axis]);
      const uint32_t middle = add(at(a) + (at(b) - at(a)) * t);
      sides.first.push_back(middle);
      sides.second.push_back(middle);
    }
    return sides;
  }

  uint32_t add(const Vec3& local) {
    added_.push_back(local);
    result_.new_vertices.push_back(frame_.to_world(local));
    return static_cast<uint32_t>(local_.size() + added_.size() - 1);
  }

  std::span<const Bounds> boxes_;
  double same_;
  std::span<const Vec3> local_;
  const Frame& frame_;
  BoxCover& result_;
  Vec3 facing_;
  std::vector<Vec3> added_;
};

bool Orthogonal::cut_faces(BoxCover& result) const {
  FaceCutter cutter(boxes_, same_, local_, frame_, result);
  for (uint32_t f = 0; f < part_.face_count(); ++f) {
    if (f % kPollEvery == 0) run_.poll();
    if (!cutter.cut(f, part_.face(f))) return false;
  }
  result.boxes = boxes_;
  return true;
}

}  // namespace

std::optional<BoxCover> cover_by_boxes(const MeshView& part, const FaceDirections& directions, Run& run) {
  const std::optional<Frame> frame = common_frame(directions);
  if (!frame) return {};
  return Orthogonal(part, *frame, run).cover(directions.total_area);
}

}  // namespace hitbox::internal::recognise
