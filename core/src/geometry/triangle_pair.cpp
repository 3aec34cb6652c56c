#include "geometry/triangle_pair.hpp"

#include <algorithm>
#include <span>
#include <tuple>
#include <utility>

#include "base/vec2.hpp"
#include "geometry/predicates.hpp"

namespace hitbox::internal::geometry {

namespace {

// The relation of two closed convex sets: they have no common point, their insides do not meet, or they do.
enum class Contact : uint8_t { none, edge, inside };

// The corners that span a triangle: 3, or the 2 ends of a segment, or 1 point.
struct Simplex {
  std::array<Vec3, 3> corner;
  size_t count = 3;

  std::span<const Vec3> corners() const { return std::span(corner).first(count); }
};

bool is_before(const Vec3& a, const Vec3& b) { return std::tie(a.x, a.y, a.z) < std::tie(b.x, b.y, b.z); }

Simplex simplex_of(const TriangleCorners& t) {
  if (!are_collinear(t[0], t[1], t[2])) return {t, 3};
  const auto [low, high] = std::minmax_element(t.begin(), t.end(), is_before);
  if (*low == *high) return {{*low, *low, *low}, 1};
  return {{*low, *high, *high}, 2};
}

// ---------------------------------------------------------------- In one plane

Vec2 flat(const Vec3& p, int axis) { return {p[(axis + 1) % 3], p[(axis + 2) % 3]}; }

int orient_flat(const Vec3& a, const Vec3& b, const Vec3& c, int axis) {
  return orient2d(flat(a, axis), flat(b, axis), flat(c, axis));
}

// A coordinate axis along which no two points of the common plane coincide; -1 if all points lie on one line.
int axis_of_plane(std::span<const Vec3> a, std::span<const Vec3> b) {
  std::array<Vec3, 6> all;
  size_t count = 0;
  for (const Vec3& p : a) all[count++] = p;
  for (const Vec3& p : b) all[count++] = p;
  for (int axis = 0; axis < 3; ++axis)
    for (size_t i = 0; i < count; ++i)
      for (size_t j = i + 1; j < count; ++j)
        for (size_t k = j + 1; k < count; ++k)
          if (orient_flat(all[i], all[j], all[k], axis) != 0) return axis;
  return -1;
}

Contact contact_on_line(std::span<const Vec3> a, std::span<const Vec3> b) {
  const auto [low_a, high_a] = std::minmax_element(a.begin(), a.end(), is_before);
  const auto [low_b, high_b] = std::minmax_element(b.begin(), b.end(), is_before);
  if (is_before(*high_a, *low_b) || is_before(*high_b, *low_a)) return Contact::none;
  // Two points that are not apart are equal, and a point's inside is itself.
  if (*low_a == *high_a && *low_b == *high_b) return Contact::inside;
  const bool overlap = is_before(*low_a, *high_b) && is_before(*low_b, *high_a);
  return overlap ? Contact::inside : Contact::edge;
}

// Whether a line along an edge of `a` has `b` on its other side: `inside` if none has, `edge` if b touches one.
Contact contact_across_edges(std::span<const Vec3> a, std::span<const Vec3> b, int axis) {
  if (a.size() < 2) return Contact::inside;
  Contact found = Contact::inside;
  const int turn = a.size() == 3 ? orient_flat(a[0], a[1], a[2], axis) : 1;
  for (size_t k = 0; k < a.size(); ++k) {
    const Vec3 &from = a[k], &to = a[(k + 1) % a.size()];  // a segment is traversed in both directions
    int highest = -1;
    for (const Vec3& p : b) highest = std::max(highest, turn * orient_flat(from, to, p, axis));
    if (highest < 0) return Contact::none;
    if (highest == 0) found = Contact::edge;
  }
  return found;
}

// If two convex sets in a plane can be separated, then by a line along an edge of one of them.
Contact contact_in_plane(std::span<const Vec3> a, std::span<const Vec3> b) {
  const int axis = axis_of_plane(a, b);
  if (axis < 0) return contact_on_line(a, b);
  return std::min(contact_across_edges(a, b, axis), contact_across_edges(b, a, axis));
}

// ---------------------------------------------------------------- In space

int side(std::span<const Vec3> t, const Vec3& p) { return orient3d(t[0], t[1], t[2], p); }

Contact contact_with_segment(std::span<const Vec3> t, const Vec3& p, const Vec3& q) {
  const int from = side(t, p), to = side(t, q);
  if (from * to > 0) return Contact::none;
  if (from == 0 && to == 0) return contact_in_plane(t, std::array{p, q});
  if (from == 0 || to == 0) {  // one end in the plane
    const bool meets = contact_in_plane(t, std::array{from == 0 ? p : q}) != Contact::none;
    return meets ? Contact::edge : Contact::none;
  }
  const std::array sides = {orient3d(p, q, t[0], t[1]), orient3d(p, q, t[1], t[2]), orient3d(p, q, t[2], t[0])};
  const auto [low, high] = std::minmax_element(sides.begin(), sides.end());
  if (*low < 0 && *high > 0) return Contact::none;
  return *low == 0 || *high == 0 ? Contact::edge : Contact::inside;
}

// If corners lie on both sides of a plane, brings the corner that is alone on its strict side to the front.
bool put_lone_first(std::array<Vec3, 3>& t, const std::array<int, 3>& sides) {
  const auto before = std::count(sides.begin(), sides.end(), -1), behind = std::count(sides.begin(), sides.end(), 1);
  if (before == 0 || behind == 0) return false;
  const int lone = before == 1 ? -1 : 1;
  std::rotate(t.begin(), t.begin() + (std::find(sides.begin(), sides.end(), lone) - sides.begin()), t.end());
  return true;
}

// Both cross the other's plane, so each has a segment of the line in which the planes meet. With p and r the lone
// corners, orient3d(p, u, r, v) decides which of the ends comes first: that on the edge p u or that on r v (after P.
// Guigue, O. Devillers, "Fast and Robust Triangle-Triangle Overlap Test Using Orientation Predicates", 2003).
Contact contact_along_line(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
  int low = 1, high = -1;
  for (const size_t u : {1, 2})
    for (const size_t v : {1, 2}) {
      const int order = orient3d(a[0], a[u], b[0], b[v]);
      low = std::min(low, order);
      high = std::max(high, order);
    }
  if (low < 0 && high > 0) return Contact::inside;
  return low > 0 || high < 0 ? Contact::none : Contact::edge;
}

bool edges_meet(const std::array<Vec3, 3>& a, const std::array<Vec3, 3>& b) {
  for (size_t k = 0; k < 3; ++k)
    if (contact_with_segment(b, a[k], a[(k + 1) % 3]) != Contact::none) return true;
  return false;
}

struct Found {
  Contact contact;
  bool in_plane;
};

Found contact_of_triangles(std::array<Vec3, 3> a, std::array<Vec3, 3> b) {
  const std::array of_b = {side(a, b[0]), side(a, b[1]), side(a, b[2])};
  const auto [low_b, high_b] = std::minmax_element(of_b.begin(), of_b.end());
  if (*low_b > 0 || *high_b < 0) return {Contact::none, false};
  if (*low_b == 0 && *high_b == 0) return {contact_in_plane(a, b), true};
  const std::array of_a = {side(b, a[0]), side(b, a[1]), side(b, a[2])};
  const auto [low_a, high_a] = std::minmax_element(of_a.begin(), of_a.end());
  if (*low_a > 0 || *high_a < 0) return {Contact::none, false};
  if (put_lone_first(a, of_a) && put_lone_first(b, of_b)) return {contact_along_line(a, b), false};
  return {edges_meet(a, b) || edges_meet(b, a) ? Contact::edge : Contact::none, false};
}

Found contact_of(const Simplex& a, const Simplex& b) {
  if (a.count < b.count) return contact_of(b, a);
  if (a.count == 3 && b.count == 3) return contact_of_triangles(a.corner, b.corner);
  if (a.count == 3 && b.count == 2) {
    const bool in_plane = side(a.corner, b.corner[0]) == 0 && side(a.corner, b.corner[1]) == 0;
    return {contact_with_segment(a.corner, b.corner[0], b.corner[1]), in_plane};
  }
  const bool in_plane = a.count == 3 ? side(a.corner, b.corner[0]) == 0
                                     : orient3d(a.corner[0], a.corner[1], b.corner[0], b.corner[1]) == 0;
  return {in_plane ? contact_in_plane(a.corners(), b.corners()) : Contact::none, true};
}

// Brings the common corners to the front of both.
size_t common_corners(std::array<Vec3, 3>& a, std::array<Vec3, 3>& b) {
  size_t count = 0;
  for (size_t k = count; k < 3; ++k)
    for (size_t m = count; m < 3; ++m)
      if (a[k] == b[m]) {
        std::swap(a[count], a[k]);
        std::swap(b[count], b[m]);
        ++count;
        break;
      }
  return count;
}

}  // namespace

TrianglePair relation(const TriangleCorners& first, const TriangleCorners& second) {
  const Simplex one = simplex_of(first), other = simplex_of(second);
  const Found found = contact_of(one, other);
  if (found.contact == Contact::none) return TrianglePair::apart;
  if (found.contact == Contact::inside) return found.in_plane ? TrianglePair::overlap : TrianglePair::cross;
  if (one.count < 3 || other.count < 3) return TrianglePair::touch;
  std::array<Vec3, 3> a = first, b = second;
  const size_t common = common_corners(a, b);
  // The common points lie on one line, of which each triangle has only an edge.
  if (common == 2) return TrianglePair::share_edge;
  if (common == 0) return TrianglePair::touch;
  // The common segment begins at the common corner. If it is longer, it ends on the opposite edge of one triangle.
  const bool goes_on =
      contact_with_segment(b, a[1], a[2]) != Contact::none || contact_with_segment(a, b[1], b[2]) != Contact::none;
  return goes_on ? TrianglePair::touch : TrianglePair::share_corner;
}

}  // namespace hitbox::internal::geometry
