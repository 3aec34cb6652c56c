// Trimming of a bumpy sheet in clusters with ragged borders, whose boxes overlap.
#include "fit/trim.hpp"

#include "mesh/clusters.hpp"
#include "tests/check.hpp"
#include "tests/random_shapes.hpp"

using namespace hitbox;
using namespace hitbox::internal::fit;

namespace {

constexpr uint32_t kSide = 24, kClusters = 9;

Mesh bumpy_sheet(Random& random) {
  Mesh mesh;
  const double step = 0.7 / kSide;
  for (uint32_t k = 0; k < (kSide + 1) * (kSide + 1); ++k)
    mesh.vertices.push_back({step * (k % (kSide + 1)), step * (k / (kSide + 1)), random.uniform(0, 0.02)});
  for (uint32_t y = 0; y < kSide; ++y) {
    for (uint32_t x = 0; x < kSide; ++x) {
      const uint32_t a = y * (kSide + 1) + x, c = a + kSide + 1;
      for (const uint32_t v : {a, a + 1, c + 1, a, c + 1, c}) mesh.indices.push_back(v);
      for (const uint32_t corners : {3u, 6u})
        mesh.offsets.push_back(static_cast<uint32_t>(mesh.indices.size()) - 6 + corners);
    }
  }
  return mesh;
}

// Three by three clusters, with each face slightly shifted before it is assigned.
Partition ragged(const MeshView& mesh, Random& random) {
  Partition partition{{}, kClusters};
  for (size_t f = 0; f < mesh.face_count(); ++f) {
    const Vec3 p = mesh.vertices[mesh.face(f)[0]] / 0.7 + tests::random_point(random, 0.08);
    const auto cell = [](double t) { return static_cast<uint32_t>(std::clamp(3 * t, 0.0, 2.9)); };
    partition.cluster_of_face.push_back(cell(p.x) + 3 * cell(p.y));
  }
  return partition;
}

struct Sheet {
  explicit Sheet(uint64_t seed)
      : random(seed),
        mesh(bumpy_sheet(random)),
        view(mesh.view()),
        partition(ragged(view, random)),
        field(view, false, {}, 0, run),
        meter(field),
        shaper(model, &meter, clear),
        fitter(model) {
    const ClusterMembers members(view, partition);
    for (uint32_t k = 0; k < kClusters; ++k) shapes.push_back(box_around(members.vertices(k)));
    rules.stays.assign(kClusters, false);
    rules.best = [this](uint32_t, std::span<const uint32_t>, std::span<const uint32_t> vertices) {
      return box_around(vertices);
    };
  }

  Fitted box_around(std::span<const uint32_t> vertices) {
    fitter.points.assign(view.vertices, vertices);
    const Frame frames[] = {Frame{}};
    Fitted box = fitter.smallest_box(frames);
    shaper.price(box);
    return box;
  }

  bool holds_all() const {
    for (size_t f = 0; f < view.face_count(); ++f)
      for (const uint32_t v : view.face(f)) {
        double distance = 0;
        signed_distance(to_shape(shapes[partition.cluster_of_face[f]]), {&view.vertices[v], 1}, {&distance, 1});
        if (distance > 1e-12) return false;
      }
    return true;
  }

  std::vector<bool> trim() { return hitbox::internal::fit::trim(view, partition, shapes, rules, shaper, run); }

  Run run{1};
  Random random;
  Mesh mesh;
  MeshView view;
  Partition partition;
  CostModel model{{true, false, false, false, false, false}, {1, 1, 1, 1, 1, 1}, 0.01, 1e-5};
  DistanceField field;
  DeviationMeter meter;
  ClearSpace clear;
  Shaper shaper;
  Fitter fitter;
  std::vector<Fitted> shapes;
  TrimRules rules;
};

}  // namespace

TEST(trimmed_shapes_cost_less_and_hold_their_faces) {
  double then = 0, now = 0;
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    Sheet sheet(seed);
    CHECK(sheet.holds_all());
    const std::vector<Fitted> before = sheet.shapes;
    const std::vector<bool> changed = sheet.trim();
    CHECK(sheet.holds_all());
    for (uint32_t k = 0; k < kClusters; ++k) {
      CHECK(sheet.shapes[k].cost <= before[k].cost);
      CHECK(changed[k] || sheet.shapes[k].cost == before[k].cost);
      then += before[k].cost;
      now += sheet.shapes[k].cost;
    }
  }
  CHECK(now < 0.9 * then);
}

TEST(trimming_keeps_groups_apart_and_leaves_alone_what_stays) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Sheet sheet(seed);
    const std::vector<uint32_t> group = {0, 0, 0, 1, 1, 1, 0, 0, 0};
    sheet.rules.group = group;
    sheet.rules.stays[4] = true;
    const Partition before = sheet.partition;
    const Fitted middle = sheet.shapes[4];
    CHECK(!sheet.trim()[4]);
    CHECK(sheet.holds_all());
    CHECK(sheet.shapes[4].size == middle.size);
    for (size_t f = 0; f < before.cluster_of_face.size(); ++f) {
      const uint32_t from = before.cluster_of_face[f], to = sheet.partition.cluster_of_face[f];
      CHECK(group[from] == group[to]);
      CHECK((from == 4) == (to == 4));
    }
  }
}

TEST(a_cluster_inside_several_others_gives_all_away) {
  Sheet sheet(1);
  // Every seventh face of the first two clusters.
  const ClusterMembers members(sheet.view, sheet.partition);
  std::vector<uint32_t> inside;
  for (const uint32_t cluster : {0u, 1u})
    for (const uint32_t f : members.faces(cluster)) inside.push_back(f);
  const uint32_t own = kClusters;
  for (size_t k = 0; k < inside.size(); k += 7) sheet.partition.cluster_of_face[inside[k]] = own;
  ++sheet.partition.cluster_count;
  const ClusterMembers now(sheet.view, sheet.partition);
  sheet.shapes.push_back(sheet.box_around(now.vertices(own)));
  sheet.shapes.back().cost *= 10;  // so that it goes first
  sheet.rules.stays.push_back(false);
  CHECK(sheet.trim()[own]);
  CHECK(std::count(sheet.partition.cluster_of_face.begin(), sheet.partition.cluster_of_face.end(), own) == 0);
  CHECK(sheet.holds_all());
}

TEST(fragments_of_one_face_stay_together) {
  for (uint64_t seed = 1; seed <= 10; ++seed) {
    Sheet sheet(seed);
    std::vector<uint32_t> source;  // three fragments per face
    for (uint32_t f = 0; f < sheet.view.face_count(); ++f) source.push_back(f / 3);
    const auto holders = [&](uint32_t face) {
      std::vector<uint32_t> clusters;
      for (uint32_t f = 3 * face; f < std::min<size_t>(3 * face + 3, source.size()); ++f)
        clusters.push_back(sheet.partition.cluster_of_face[f]);
      std::sort(clusters.begin(), clusters.end());
      return std::unique(clusters.begin(), clusters.end()) - clusters.begin();
    };
    std::vector<ptrdiff_t> before;
    for (uint32_t face = 0; face <= source.back(); ++face) before.push_back(holders(face));
    sheet.rules.source_face = source;
    sheet.trim();
    CHECK(sheet.holds_all());
    for (uint32_t face = 0; face <= source.back(); ++face) CHECK(holders(face) <= before[face]);
  }
}
