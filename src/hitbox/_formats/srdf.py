"""SRDF: the spheres of one link, in the link's frame, for motion planners. Metres, z up."""

from __future__ import annotations

from hitbox._formats.export import Export, Target
from hitbox._formats.numbers import number, numbers
from hitbox._formats.robot_description import Described
from hitbox._formats.xml_input import number as read_number
from hitbox._formats.xml_input import numbers as read_numbers
from hitbox._formats.xml_output import Element, document, element
from hitbox._model.shapes import Sphere

TARGET = Target(("sphere",), unit="m", up="z")


def files(export: Export) -> dict[str, bytes]:
    spheres = [
        element("sphere", center=numbers(item.shape.center), radius=number(item.shape.radius))
        for item in export.items
        if isinstance(item.shape, Sphere)
    ]
    link = element("link_sphere_approximation", *spheres, link=export.name)
    return {export.file: document(element("robot", link, name=export.name))}


def read(root: Element, into: Described) -> None:
    """Read all spheres, each in the frame of its link: SRDF does not contain the poses of links."""
    for link in root.findall("link_sphere_approximation"):
        name = link.get("link", "")
        for k, sphere in enumerate(link.findall("sphere")):
            where = into.at(f"link {name!r}", f"sphere {k}")
            center = read_numbers(f"{where}: center", sphere.get("center"), 3)
            radius = read_number(f"{where}: radius", sphere.get("radius"))
            if radius == 0:
                into.leave_out(where, "has the radius 0, which excludes the link from collision checks")
                continue
            into.add(into.made(where, Sphere, center, radius), name, None)
