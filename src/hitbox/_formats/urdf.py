"""URDF: one link with one collision element per shape. Metres, z up, full lengths, axes along z, poses as
rpy.

Version 1.0 has boxes, spheres and cylinders, so a capsule becomes a cylinder and two spheres. Version 1.1 has
capsules. Their length is also written as height, which some readers expect. Paths of meshes are
relative to the file.
"""

from __future__ import annotations

from hitbox._formats.export import Export, Item, Target, heavy_enough
from hitbox._formats.numbers import number, numbers
from hitbox._formats.poses import Pose, rpy_of, turn_of_rpy
from hitbox._formats.robot_description import Described, scaled
from hitbox._formats.sidecar_files import Beside, files_beside
from hitbox._formats.xml_input import numbers as read_numbers
from hitbox._formats.xml_output import Element, document, element
from hitbox._model.mass import MassProperties, is_solid
from hitbox._model.shapes import Box, Capsule, Cylinder, Shape, Sphere

TARGET = Target(
    ("box", "sphere", "cylinder", "hull"),
    unit="m", up="z", splits_capsules=True, has_motion=True, has_mesh=True,
)  # fmt: skip
TARGET_1_1 = Target(
    ("box", "sphere", "capsule", "cylinder", "hull"), unit="m", up="z", has_motion=True, has_mesh=True
)


# --- writing


def files(export: Export) -> dict[str, bytes]:
    beside = files_beside(export)
    version = {"version": "1.1"} if "capsule" in export.target.kinds else {}
    link = element(
        "link",
        None if export.mass is None else _inertial(export.mass, export.notes),
        None if beside.visual is None else _visual(*beside.visual),
        *(_collision(item, beside) for item in export.items),
        name=export.name,
    )
    root = element("robot", _for_mujoco(export), link, name=export.name, **version)
    return {export.file: document(root), **beside.files}


def _for_mujoco(export: Export) -> Element:
    """Return settings for MuJoCo, which other readers ignore. Without them MuJoCo would drop the folders of
    meshes, the mass of a link without a joint, and visuals.
    """
    settings = {"strippath": "false"}
    if export.mass is not None:
        settings["fusestatic"] = "false"
    # for other meshes MuJoCo would fail to compute the volume
    if export.mesh is not None and is_solid(export.mesh):
        settings["discardvisual"] = "false"
    return element("mujoco", element("compiler", **settings))


def _inertial(given: MassProperties, notes: list[str]) -> Element:
    mass = heavy_enough(given, notes)
    xx, yy, zz, xy, xz, yz = map(number, mass.inertia)
    return element(
        "inertial",
        element("origin", xyz=numbers(mass.center), rpy="0 0 0"),
        element("mass", value=number(mass.mass)),
        element("inertia", ixx=xx, ixy=xy, ixz=xz, iyy=yy, iyz=yz, izz=zz),
    )


def _visual(name: str, path: str) -> Element:
    return element("visual", element("geometry", element("mesh", filename=path)), name=name)


def _collision(item: Item, beside: Beside) -> Element:
    local, rotation, translation = beside.frames[item.name]
    return element(
        "collision",
        element("origin", xyz=numbers(translation), rpy=numbers(rpy_of(rotation))),
        element("geometry", _geometry(local, beside.hulls.get(item.name, ""))),
        name=item.name,
    )


def _geometry(local: Shape, path: str) -> Element:
    if isinstance(local, Box):
        return element("box", size=numbers(2 * half for half in local.half_extents))
    if isinstance(local, Sphere):
        return element("sphere", radius=number(local.radius))
    if isinstance(local, Cylinder):
        return element("cylinder", radius=number(local.radius), length=number(2 * local.end[2]))
    if isinstance(local, Capsule):
        length = number(2 * local.end[2])
        return element("capsule", radius=number(local.radius), length=length, height=length)
    return element("mesh", filename=path)


# --- reading


def read(root: Element, into: Described) -> None:
    """Read the collision shapes, with all joints at 0."""
    poses = _link_poses(root, into)
    for link in root.findall("link"):
        name = link.get("name", "")
        for k, collision in enumerate(link.findall("collision")):
            where = into.at(f"link {name!r}", f"collision {collision.get('name', k)!r}")
            pose = _origin(collision, where).inside(poses[name])
            shape = _read_shape(collision.find("geometry"), where, pose, into)
            into.add(shape, name, collision.get("name"))


def _link_poses(root: Element, into: Described) -> dict[str, Pose]:
    """Return the pose of each link in the frame of its root link."""
    above: dict[str, tuple[str, Pose]] = {}
    for joint in root.findall("joint"):
        where = into.at(f"joint {joint.get('name', '')!r}")
        parent, child = joint.find("parent"), joint.find("child")
        if parent is not None and child is not None:
            above[child.get("link", "")] = parent.get("link", ""), _origin(joint, where)
    found: dict[str, Pose] = {}
    for link in root.findall("link"):
        name = at = link.get("name", "")
        path: dict[str, None] = {}  # the path up to a link with a known pose
        while at in above and at not in found:
            if at in path:
                raise into.error(f"link {name!r} is its own ancestor.")
            path[at] = None
            at = above[at][0]
        found.setdefault(at, Pose())
        for below in reversed(path):
            at, origin = above[below]
            found[below] = origin.inside(found[at])
    return found


def _origin(parent: Element, where: str) -> Pose:
    origin = parent.find("origin")
    if origin is None:
        return Pose()
    x, y, z = read_numbers(f"{where}: xyz", origin.get("xyz"), 3, (0, 0, 0))
    rpy = read_numbers(f"{where}: rpy", origin.get("rpy"), 3, (0, 0, 0))
    return Pose(turn_of_rpy(rpy), (x, y, z))


def _read_shape(geometry: Element | None, where: str, pose: Pose, into: Described) -> Shape | None:
    found = next(iter(geometry), None) if geometry is not None else None
    if found is None:
        raise into.error("has no geometry.", where)

    simple = into.simple(where, found.tag, found.get, pose)
    if simple is not None:
        return simple
    if found.tag == "mesh":
        scale = scaled(f"{where}: scale", found.get("scale"))
        return into.mesh_hull(where, found.get("filename"), scale, pose)
    raise into.error(f"<{found.tag}> is no shape of URDF.", where)
