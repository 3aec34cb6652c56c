// The rooms of the core, one per folder: each has a namespace of its own and sees the names of the rooms it may use,
// and theirs. Two rooms may therefore use the same name for different things. What is public is in `hitbox`.
#pragma once

namespace hitbox::internal {

namespace base {}
namespace geometry {
using namespace base;
}
namespace mesh {
using namespace geometry;
}
namespace bvh {
using namespace mesh;
}
namespace shapes {
using namespace geometry;
}
namespace measure {
using namespace bvh;
using namespace shapes;
}  // namespace measure
namespace space {}
namespace hulls {
using namespace measure;
using namespace space;
}  // namespace hulls
namespace space {
using namespace measure;
using namespace hulls;
}  // namespace space
namespace fit {}
namespace recognise {
using namespace measure;
using namespace fit;
}  // namespace recognise
namespace fit {
using namespace recognise;
}
namespace spheres {
using namespace fit;
}
namespace carve {
using namespace hulls;
using namespace recognise;
}  // namespace carve
namespace merge {
using namespace carve;
using namespace fit;
}  // namespace merge
namespace io {
using namespace mesh;
}

}  // namespace hitbox::internal
