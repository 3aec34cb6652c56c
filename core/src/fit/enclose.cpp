#include "fit/enclose.hpp"

#include <algorithm>

#include "fit/shaping/kernel.hpp"
#include "fit/shaping/medial.hpp"
#include "fit/tree/leaves.hpp"
#include "geometry/eigen3.hpp"
#include "mesh/directions.hpp"

namespace hitbox::internal::fit {

namespace {

// With more vertices, only the extreme ones choose kind and frame.
constexpr size_t kChooseOnAll = 512;

// Frames along faces: the largest face's normal with the normal that spans most with it, and vice versa. A cube's
// operator is isotropic, so only its faces determine its rotation.
std::array<Frame, 2> face_frames(const MeshView& mesh, std::span<const uint32_t> faces) {
  std::vector<Vec3> normals;  // scaled by the area
  normals.reserve(faces.size());
  for (const uint32_t f : faces) normals.push_back(area_vector(mesh.vertices, mesh.face(f)));
  const Vec3 first = *std::max_element(normals.begin(), normals.end(),
                                       [](const Vec3& a, const Vec3& b) { return norm_sq(a) < norm_sq(b); });
  const auto spans_less = [&](const Vec3& a, const Vec3& b) {
    return norm_sq(cross(first, a)) < norm_sq(cross(first, b));
  };
  const Vec3 second = *std::max_element(normals.begin(), normals.end(), spans_less);
  return {frame_from(first, second), frame_from(second, first)};
}

}  // namespace

Fitted fit_cluster(const MeshView& mesh, const FaceOperator& op, const Moments& medial, std::span<const uint32_t> faces,
                   std::span<const uint32_t> vertices, Tangent tangent, const Shaper& shaper, int polish_rounds,
                   Fitter& fitter, Run& run) {
  const bool choose_on_all = vertices.size() <= kChooseOnAll;
  std::vector<uint32_t> extreme;
  if (!choose_on_all) extreme = extreme_vertices(mesh.vertices, vertices);
  const std::span<const uint32_t> chosen_on = choose_on_all ? vertices : extreme;
  fitter.points.assign(mesh.vertices, chosen_on);

  run.poll();
  std::vector<Frame> frames;
  if (tangent != Tangent::off) frames.push_back(eigen3(combined(op, true)).vectors);
  if (tangent != Tangent::on) frames.push_back(eigen3(combined(op, false)).vectors);
  frames.push_back(principal_frame(mesh.vertices, chosen_on));
  frames.push_back(Frame{});
  for (const Frame& frame : face_frames(mesh, faces)) frames.push_back(frame);
  frames.push_back(edge_frame(mesh, faces));
  if (medial.area > 0) frames.push_back(medial_frame(medial));
  const Fitted chosen = shaper.polished(fitter, shaper.thorough(fitter, frames, medial), polish_rounds);
  if (choose_on_all) return chosen;
  run.poll();
  fitter.points.assign(mesh.vertices, vertices);
  Fitted whole = fitter.refit(chosen);
  shaper.price(whole);
  // The shape around all vertices may enter space that the shape around the extreme ones did not.
  if (whole.refused && !chosen.refused) whole = shaper.thorough(fitter, frames, medial);
  return whole;
}

}  // namespace hitbox::internal::fit
