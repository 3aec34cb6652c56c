// The last steps: from clusters of faces to the shapes that are handed out.
//
// Each cluster gets the best shape in unit coordinates, those that enter space to be kept clear are halved, what
// lies in others' shapes is given away (trim.hpp), a hull may take a primitive's place, and in the coordinates of
// the input each shape is grown until nothing sticks out.
#pragma once

#include <memory>

#include "fit/input.hpp"
#include "fit/tools.hpp"
#include "fit/tree/tree.hpp"

namespace hitbox::internal::fit {

// Clusters of faces, and shapes found on the way to them.
struct Clusters {
  Partition partition;
  std::vector<Fitted> shapes = {};   // nearly around each cluster; none: not known
  std::vector<Moments> medial = {};  // of the centres behind each; none: not known
  bool ended_early = false;          // finding them, because the time budget was used up
};

// `Trimming::on`: faces may go from one cluster to another at the end.
enum class Trimming : uint8_t { off, on };
FitResult shapes_around(const FitInput& input, Clusters clusters, Trimming trimming, const Tools& tools, Run& run);

// The final shape around any cluster. May be asked from several threads.
class FinalShaper {
 public:
  explicit FinalShaper(const FitInput& input);
  // `medial`: of the centres behind the faces; no area: none.
  Shape around(std::span<const uint32_t> faces, std::span<const uint32_t> vertices, const Moments& medial,
               Run& run) const;
  std::vector<Vec3> points(std::span<const uint32_t> vertices) const;  // as the input has them

 private:
  const SimplePart* simple_part(std::span<const uint32_t> faces) const;

  const FitInput& input_;
  std::unique_ptr<const Tools> tools_;
  std::vector<std::pair<uint32_t, const SimplePart*>> part_of_face_;  // by the part's first face, ascending
};

// Takes superfluous shapes out, then thin ones if asked to; the faces of a superfluous shape go to
// the one that holds them. `points[k]`: what shape k, that of cluster k, is there to enclose.
FitResult without_useless_shapes(std::vector<Shape> shapes, std::vector<std::vector<Vec3>> points,
                                 const Partition& partition, const FitInput& input, Run& run);

// The very last step: shapes as the options want them padded.
FitResult padded(FitResult result, const FitInput& input);

}  // namespace hitbox::internal::fit
