#include "geometry/ears.hpp"

#include <algorithm>
#include <numeric>

#include "base/assert.hpp"
#include "geometry/predicates.hpp"

namespace hitbox::internal::geometry {

namespace {

class Clipper {
 public:
  explicit Clipper(std::span<const Vec2> points) : points_(points), left_(points.size()) {
    std::iota(left_.begin(), left_.end(), 0u);
    ears_.reserve(points.size() - 2);
  }

  std::vector<Triangle> clip() {
    for (size_t at = 0, failed = 0; left_.size() > 3 && failed < left_.size();) {
      const size_t count = left_.size();
      const uint32_t a = left_[at % count], b = left_[(at + 1) % count], c = left_[(at + 2) % count];
      if (is_ear(a, b, c)) {
        ears_.push_back({a, b, c});
        left_.erase(left_.begin() + static_cast<ptrdiff_t>((at + 1) % count));
        at %= left_.size();
        failed = 0;
      } else {
        at = (at + 1) % count;
        ++failed;
      }
    }
    // A polygon that crosses itself, or has no area left, ends as a fan.
    for (size_t k = 2; k < left_.size(); ++k) ears_.push_back({left_[0], left_[k - 1], left_[k]});
    return std::move(ears_);
  }

 private:
  // Whether no remaining corner lies in the triangle or on its sides, except at its corners.
  bool is_ear(uint32_t a, uint32_t b, uint32_t c) const {
    const Vec2 &p = points_[a], &q = points_[b], &r = points_[c];
    if (orient2d(p, q, r) <= 0) return false;
    const double low_x = std::min({p.x, q.x, r.x}), high_x = std::max({p.x, q.x, r.x});
    const double low_y = std::min({p.y, q.y, r.y}), high_y = std::max({p.y, q.y, r.y});
    return std::none_of(left_.begin(), left_.end(), [&](uint32_t other) {
      const Vec2& s = points_[other];
      if (s.x < low_x || s.x > high_x || s.y < low_y || s.y > high_y || s == p || s == q || s == r) return false;
      return orient2d(p, q, s) >= 0 && orient2d(q, r, s) >= 0 && orient2d(r, p, s) >= 0;
    });
  }

  std::span<const Vec2> points_;
  std::vector<uint32_t> left_;
  std::vector<Triangle> ears_;
};

}  // namespace

std::vector<Triangle> ears_of(std::span<const Vec2> polygon) {
  HITBOX_ASSERT(polygon.size() >= 3);
  return Clipper(polygon).clip();
}

}  // namespace hitbox::internal::geometry
