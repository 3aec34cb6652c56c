// The last steps: from clusters of faces to the final shapes.
//
// Each cluster gets its best shape in unit coordinates. Clusters whose shapes enter space to be kept clear are halved.
// Faces inside other clusters' shapes are given away (trim.hpp). A hull may replace a primitive. Each shape is then
// grown in the coordinates of the input until nothing sticks out.
#pragma once

#include <memory>

#include "fit/input.hpp"
#include "fit/tools.hpp"
#include "fit/tree/tree.hpp"

namespace hitbox::internal::fit {

// Clusters of faces, with known shapes.
struct Clusters {
  Partition partition;
  std::vector<Fitted> shapes = {};   // approximately around each cluster; empty: unknown
  std::vector<Moments> medial = {};  // of the centres behind each cluster; empty: unknown
  bool ended_early = false;          // refining ended early because the time budget was used up
};

// `Trimming::on`: faces may move from one cluster to another at the end.
enum class Trimming : uint8_t { off, on };
FitResult shapes_around(const FitInput& input, Clusters clusters, Trimming trimming, const Tools& tools, Run& run);

// Fits the final shape of any cluster. Safe to call from several threads.
class FinalShaper {
 public:
  explicit FinalShaper(const FitInput& input);
  // `medial` has the moments of the centres behind the faces; without area there are none.
  Shape around(std::span<const uint32_t> faces, std::span<const uint32_t> vertices, const Moments& medial,
               Run& run) const;
  std::vector<Vec3> points(std::span<const uint32_t> vertices) const;  // in the coordinates of the input

 private:
  const SimplePart* simple_part(std::span<const uint32_t> faces) const;

  const FitInput& input_;
  std::unique_ptr<const Tools> tools_;
  std::vector<std::pair<uint32_t, const SimplePart*>> part_of_face_;  // sorted by the part's first face
};

// Removes superfluous shapes, then thin ones if the options want that. The faces of a superfluous shape go to the shape
// that contains them. `points[k]` has the points that shape k, that of cluster k, must enclose.
FitResult without_useless_shapes(std::vector<Shape> shapes, std::vector<std::vector<Vec3>> points,
                                 const Partition& partition, const FitInput& input, Run& run);

// The very last step: pads the shapes as the options say.
FitResult padded(FitResult result, const FitInput& input);

}  // namespace hitbox::internal::fit
