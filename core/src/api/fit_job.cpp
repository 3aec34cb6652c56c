#include "api/fit_job.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace hitbox::api {

using internal::base::format;

namespace {

std::optional<Error> wrong_options(const char* verb, const FitOptions& options, size_t faces, double diagonal) {
  Checks checks(verb);
  if (options.count) checks.whole("count", *options.count, 1, kMostShapes);
  if (options.tolerance) checks.positive("tolerance", *options.tolerance);
  checks.require(std::ranges::find(options.kinds, true) != options.kinds.end(), "kinds: no kind is left. Allow one.")
      .weights("weights", options.weights)
      .whole("overlap_samples", options.overlap_samples, 1, 1'000'000)
      .finite("max_excess", options.max_excess)
      .not_negative("drop_thin", options.drop_thin)
      .one_per_face("group_of_face", options.group_of_face.size(), faces)
      .one_per_face("importance", options.importance.size(), faces)
      .weights("importance", options.importance)
      .spheres("keep_clear", options.keep_clear)
      .spaces("spaces", options.spaces)
      .pad(options.pad, diagonal)
      .whole("expected_shapes", options.expected_shapes, 0, kMostShapes)
      .finite("time_budget", options.time_budget);
  if (options.max_vertices != 0) checks.whole("max_vertices", options.max_vertices, 4, 256);
  return checks.error();
}

}  // namespace

std::optional<Error> FitJob::wrong_count(const char* name, uint32_t count) const {
  if (const auto error = Checks("fit").whole(name, count, 1, kMostShapes).error()) return error;
  if (count >= group_count) return std::nullopt;
  return Error{format("fit: %s: %u shapes cannot keep %u groups of faces separate. Give %u or more.", name, count,
                      group_count, group_count)};
}

Result<FitResult> FitJob::result(FitResult fitted) const {
  if (!fitted.shapes.empty()) return fitted;
  return Error{format("fit: drop_thin: all %u shapes are thinner than %g. Give a smaller length.", fitted.dropped_count,
                      drop_thin)};
}

Result<FitResult> FitJob::result(internal::fit::WithinResult found) const {
  found.fitted.strays = found.strays * diagonal;
  found.fitted.over = found.over;
  found.fitted.capped = found.capped;
  return result(std::move(found.fitted));
}

Result<FitJob> fit_job(const char* verb, const MeshView& mesh, FitOptions options, uint32_t expected, Run& run) {
  const auto cleaned = checked_and_welded(mesh, run);
  if (!cleaned) return cleaned.error();
  const MeshView welded{cleaned->vertices, cleaned->indices, mesh.offsets};
  const double diagonal = referenced_bounds(welded).diagonal();
  if (const auto error = wrong_options(verb, options, mesh.face_count(), diagonal)) return *error;
  Groups groups = Groups::of(options.group_of_face);
  options.group_of_face = std::move(groups.of_face);
  if (options.expected_shapes == 0) options.expected_shapes = expected;
  const double drop_thin = options.drop_thin;
  FitJob job{nullptr, diagonal, drop_thin, groups.count};
  if (options.count) {
    if (const auto error = job.wrong_count("count", *options.count)) return *error;
  }
  job.input = std::make_unique<const internal::fit::FitInput>(welded, welded, std::move(options), run);
  return job;
}

}  // namespace hitbox::api
