"""Make lighthouse.obj: a small harbour scene, y up, in metres, with polygons in named groups.

python examples/make_demo_model.py [PATH]
"""

from __future__ import annotations

import itertools
import math
import sys
from pathlib import Path

import numpy as np

SIDES = 24


class Model:
    """Collects polygons as the text of an OBJ file."""

    def __init__(self) -> None:
        self.lines = ["# A lighthouse, made by examples/make_demo_model.py"]
        self.vertex_count = 0
        self.face_count = 0

    def add(self, group, material, vertices, faces, *, at=(0, 0, 0), turn=None):
        """Add polygons. `turn` is a 3x3 matrix that is applied before the move to `at`."""
        points = np.asarray(vertices, float)
        if turn is not None:
            points = points @ np.asarray(turn).T
        self.lines += [f"g {group}", f"usemtl {material}"]
        self.lines += ["v " + " ".join(f"{x:.5g}" for x in p) for p in points + np.asarray(at, float)]
        for face in faces:
            self.lines.append("f " + " ".join(str(self.vertex_count + 1 + k) for k in face))
        self.vertex_count += len(points)
        self.face_count += len(faces)

    def box(self, group, material, center, half, turn=None):
        x, y, z = half
        corners = [(i * x, j * y, k * z) for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)]
        faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        self.add(group, material, corners, faces, at=center, turn=turn)

    def lathe(self, group, material, profile, *, at=(0, 0, 0), turn=None, sides=SIDES):
        """Revolve (radius, height) pairs, from bottom to top, around y. A radius of 0 is one point."""
        vertices, faces, rings = [], [], []
        for radius, height in profile:
            count = sides if radius > 0 else 1
            rings.append([len(vertices) + k for k in range(count)])
            for k in range(count):
                angle = 2 * math.pi * k / sides
                vertices.append((radius * math.cos(angle), height, -radius * math.sin(angle)))
        for low, high in itertools.pairwise(rings):
            for k in range(sides):
                n = (k + 1) % sides
                quad = [low[k % len(low)], low[n % len(low)], high[n % len(high)], high[k % len(high)]]
                faces.append(list(dict.fromkeys(quad)))
        if len(rings[0]) > 1:
            faces.append(rings[0][::-1])
        if len(rings[-1]) > 1:
            faces.append(rings[-1])
        self.add(group, material, vertices, faces, at=at, turn=turn)

    def gable(self, group, material, center, half, top=0.0):
        """A roof along x: `half` is (length, height, width), `top` the half width of its ridge."""
        x, y, z = half
        widths = ((-y, z), (y, top))
        corners = [(i * x, h, s * w) for i in (-1, 1) for h, w in widths for s in (-1, 1)]
        faces = [(0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3)]
        self.add(group, material, corners, faces, at=center)


def arc(radius, low=-90.0, high=90.0, steps=8, lift=0.0):
    """Part of a circle as a profile for `lathe`, from `low` to `high` degrees."""
    angles = [math.radians(low + (high - low) * k / steps) for k in range(steps + 1)]
    return [(max(radius * math.cos(a), 0.0) if abs(math.cos(a)) > 1e-9 else 0.0,
             lift + radius * math.sin(a)) for a in angles]  # fmt: skip


def pill(radius, half):
    return arc(radius, -90, 0, 5, -half) + arc(radius, 0, 90, 5, half)


def turned(axis, degrees):
    a = math.radians(degrees)
    c, s = math.cos(a), math.sin(a)
    return {
        "x": [[1, 0, 0], [0, c, -s], [0, s, c]],
        "y": [[c, 0, s], [0, 1, 0], [-s, 0, c]],
        "z": [[c, -s, 0], [s, c, 0], [0, 0, 1]],
    }[axis]


def lighthouse(model: Model) -> None:
    model.lathe("base", "stone", [(2.1, 0.0), (1.8, 0.8)], at=(-2, 0.5, 0))
    for k in range(4):  # the striped tower, narrower from ring to ring
        low, high = 1.45 - 0.14 * k, 1.45 - 0.14 * (k + 1)
        color = "red" if k % 2 else "white"
        model.lathe(f"tower_{k}", color, [(low, 1.3 + 1.5 * k), (high, 1.3 + 1.5 * (k + 1))], at=(-2, 0, 0))
    model.lathe("gallery", "iron", [(1.35, 7.3), (1.35, 7.5)], at=(-2, 0, 0))
    for k in range(12):
        angle = 2 * math.pi * k / 12
        at = (-2 + 1.25 * math.cos(angle), 7.8, 1.25 * math.sin(angle))
        model.lathe("railing", "iron", [(0.04, -0.3), (0.04, 0.3)], at=at, sides=8)
    model.lathe("lamp_room", "glass", [(0.72, 7.5), (0.72, 8.6)], at=(-2, 0, 0))
    model.lathe("dome", "red", [*arc(0.9, 0, 90, 8, 8.6)], at=(-2, 0, 0))
    model.lathe("finial", "iron", arc(0.16, steps=6), at=(-2, 9.62, 0), sides=12)


def cottage(model: Model) -> None:
    model.box("walls", "white", (2.0, 1.4, -0.2), (1.6, 0.9, 1.1))
    model.gable("roof", "slate", (2.0, 2.85, -0.2), (1.8, 0.55, 1.35), top=0.18)
    model.box("chimney", "stone", (2.9, 3.4, -0.2), (0.18, 0.55, 0.18))
    model.box("door", "wood", (2.0, 1.1, 0.93), (0.3, 0.6, 0.04))
    for x in (1.05, 2.95):
        model.box("window", "glass", (x, 1.55, 0.93), (0.28, 0.28, 0.04))
    model.box("step", "stone", (2.0, 0.58, 1.15), (0.45, 0.08, 0.2))


def harbour(model: Model) -> None:
    model.box("quay", "stone", (0.6, 0.25, 0.0), (5.2, 0.25, 2.9))
    model.box("pier", "wood", (0.5, 0.38, 4.6), (0.65, 0.07, 1.7))
    for x in (-0.1, 1.1):
        for z in (3.3, 4.6, 5.9):
            model.lathe("piles", "wood", [(0.12, -0.7), (0.12, 0.75)], at=(x, 0.1, z), sides=16)
    for k, (x, z) in enumerate([(-3.6, 3.6), (3.6, 4.2)]):
        model.lathe(f"buoy_{k}", "red", arc(0.38, steps=10), at=(x, 0.1, z))
        model.lathe(f"buoy_{k}_top", "white", [(0.13, 0.0), (0.0, 0.55)], at=(x, 0.42, z), sides=16)
    for k, z in enumerate((1.75, 2.05)):  # two fenders and a third on top of them
        model.lathe("fenders", "rubber", pill(0.15, 0.55), at=(4.3, 0.65, z), turn=turned("z", 90))
        if k:
            model.lathe("fenders", "rubber", pill(0.15, 0.55), at=(4.3, 0.91, 1.9), turn=turned("z", 90))
    model.lathe("barrel", "wood", [(0.3, 0.0), (0.3, 0.8)], at=(-4.0, 0.5, 1.8))
    model.box("crate", "wood", (-3.9, 0.8, -1.9), (0.3, 0.3, 0.3), turn=turned("y", 25))
    model.box("crate", "wood", (-3.3, 0.72, -2.2), (0.22, 0.22, 0.22), turn=turned("y", -12))


def main() -> None:
    path = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("lighthouse.obj")
    model = Model()
    lighthouse(model)
    cottage(model)
    harbour(model)
    path.write_text("\n".join(model.lines) + "\n")
    print(f"{path}: {model.vertex_count} vertices, {model.face_count} faces")


if __name__ == "__main__":
    main()
