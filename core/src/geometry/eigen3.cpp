#include "geometry/eigen3.hpp"

#include <utility>

namespace hitbox::internal::geometry {

namespace {

struct Work {
  double m[3][3];
  double v[3][3];  // columns: the current eigenvectors
};

// Zeroes m[p][q] by a rotation in the plane of p and q; r is the third index.
void rotate(Work& w, int p, int q, int r) {
  if (w.m[p][q] == 0) return;
  const double theta = (w.m[q][q] - w.m[p][p]) / (2 * w.m[p][q]);
  const double t = (theta >= 0 ? 1 : -1) / (std::abs(theta) + std::sqrt(theta * theta + 1));
  const double c = 1 / std::sqrt(t * t + 1), s = t * c;
  w.m[p][p] -= t * w.m[p][q];
  w.m[q][q] += t * w.m[p][q];
  w.m[p][q] = w.m[q][p] = 0;
  const double rp = w.m[r][p], rq = w.m[r][q];
  w.m[r][p] = w.m[p][r] = c * rp - s * rq;
  w.m[r][q] = w.m[q][r] = s * rp + c * rq;
  for (int k = 0; k < 3; ++k) {
    const double vp = w.v[k][p], vq = w.v[k][q];
    w.v[k][p] = c * vp - s * vq;
    w.v[k][q] = s * vp + c * vq;
  }
}

}  // namespace

Eigen3 eigen3(const Sym3& a) {
  Work w{{{a.xx, a.xy, a.xz}, {a.xy, a.yy, a.yz}, {a.xz, a.yz, a.zz}}, {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
  const double scale = std::abs(a.xx) + std::abs(a.yy) + std::abs(a.zz);
  for (int sweep = 0; sweep < 16; ++sweep) {
    const double off = std::abs(w.m[0][1]) + std::abs(w.m[0][2]) + std::abs(w.m[1][2]);
    if (off <= 1e-18 * scale) break;
    rotate(w, 0, 1, 2);
    rotate(w, 0, 2, 1);
    rotate(w, 1, 2, 0);
  }
  int order[3] = {0, 1, 2};
  const auto sort_pair = [&](int i, int j) {
    if (w.m[order[j]][order[j]] < w.m[order[i]][order[i]]) std::swap(order[i], order[j]);
  };
  sort_pair(0, 1);
  sort_pair(1, 2);
  sort_pair(0, 1);
  Eigen3 result;
  for (int k = 0; k < 3; ++k) {
    const int c = order[k];
    result.value[k] = w.m[c][c];
    result.vectors.axis[k] = {w.v[0][c], w.v[1][c], w.v[2][c]};
  }
  result.vectors.axis[2] = cross(result.vectors.axis[0], result.vectors.axis[1]);
  return result;
}

}  // namespace hitbox::internal::geometry
