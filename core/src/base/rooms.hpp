// The rooms of the core, one per folder. Each has its own namespace and sees the names of the rooms that it may use,
// directly or through others. So two rooms may use the same name for different things. Public names are in `hitbox`.
// These are the arrows of core/CMakeLists.txt, where `hitbox_room` holds every room to them.
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
namespace borders {
using namespace bvh;
}
namespace shapes {
using namespace geometry;
}
namespace measure {
using namespace bvh;
using namespace shapes;
}  // namespace measure
namespace primitives {
using namespace mesh;
using namespace shapes;
}  // namespace primitives
namespace space {
using namespace measure;
}
namespace hulls {
using namespace space;
}
namespace recognise {
using namespace hulls;
using namespace primitives;
}  // namespace recognise
namespace clip {
using namespace geometry;
}
namespace parts {
using namespace clip;
using namespace hulls;
}  // namespace parts
namespace carve {
using namespace parts;
using namespace recognise;
}  // namespace carve
namespace merge {
using namespace parts;
using namespace primitives;
}  // namespace merge
namespace spheres {
using namespace hulls;
}
namespace fit {
using namespace recognise;
}
namespace io {
using namespace mesh;
}
namespace files {
using namespace io;
}

}  // namespace hitbox::internal
