"""A picture of a mesh and its collider side by side, drawn off-screen with pyvista.

Needs the extra `render` (pip install "hitbox[render]"). No display is needed: VTK falls back to EGL
or to its own software renderer.
"""

from __future__ import annotations

import os
import struct
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from hitbox.collider import Collider
from hitbox.errors import InputError
from hitbox.formats.writing import replace_file
from hitbox.shapes import COLORS

_MESH_COLOR = (0.78, 0.79, 0.81)
_INK = (0.16, 0.17, 0.20)
_MODULES = ("pyvista", "vtk", "vtkmodules")
_LARGEST = 16384  # pixels a side: what VTK draws


class Triangulated(Protocol):
    """What is drawn of a mesh."""

    @property
    def vertices(self) -> npt.NDArray[np.float64]: ...
    @property
    def triangles(self) -> npt.NDArray[np.uint32]: ...


def render(
    mesh: Triangulated,
    collider: Collider | None,
    path: str | os.PathLike[str],
    *,
    size: tuple[int, int] = (1600, 800),
    up: str | None = None,
) -> None:
    """Writes a PNG: the mesh on the left, the collider on the right (alone: the mesh), same camera.

    `up` is "x", "y" or "z"; without it the collider's or the mesh's own, and y if none is known.
    """
    if Path(path).suffix.lower() != ".png":
        raise InputError(f"{os.fspath(path)}: pictures are written as .png.")
    if not all(16 <= side <= _LARGEST for side in size):
        raise InputError(f"render: size must be from 16 to {_LARGEST} pixels a side, not {size!r}.")
    up = up or (collider.up if collider else None) or getattr(mesh, "up", None) or "y"
    vertices, triangles = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    points = vertices[np.unique(triangles)]
    if collider is not None:
        points = np.vstack([points, collider.bounds])
    center, scale = _unit_size(points)
    _pyvista()
    with _quiet_vtk():
        image = _draw((vertices - center) * scale, triangles, collider, center, scale, size, up)
    replace_file(path, _png(image))


def _unit_size(points: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], float]:
    """VTK draws in float32: bring everything to a box of diagonal 1 around the origin."""
    low, high = points.min(axis=0), points.max(axis=0)
    largest = float((high - low).max()) or 1.0
    return low / 2 + high / 2, 1 / (largest * float(np.linalg.norm((high - low) / largest)) or 1.0)


def _pyvista() -> Any:
    try:
        import pyvista
    except ImportError as error:
        if isinstance(error, ModuleNotFoundError) and (error.name or "").split(".")[0] in _MODULES:
            raise InputError('render needs pyvista: pip install "hitbox[render]"') from None
        raise InputError(
            f"render: pyvista is installed but cannot be loaded ({error}). If a system library is missing, "
            f"on Debian and Ubuntu: apt-get install libgl1 libegl1 libgl1-mesa-dri libxrender1."
        ) from error
    return pyvista


@contextmanager
def _quiet_vtk() -> Iterator[None]:
    """VTK warns on stderr that there is no display, then draws without one: not the user's concern."""
    from vtkmodules.vtkCommonCore import vtkLogger

    before = vtkLogger.GetCurrentVerbosityCutoff()
    vtkLogger.SetStderrVerbosity(vtkLogger.VERBOSITY_ERROR)
    try:
        yield
    finally:
        vtkLogger.SetStderrVerbosity(before)


def _draw(
    vertices: npt.NDArray[np.float64],
    triangles: npt.NDArray[np.uint32],
    collider: Collider | None,
    center: npt.NDArray[np.float64],
    scale: float,
    size: tuple[int, int],
    up: str,
) -> npt.NDArray[np.uint8]:
    pv = _pyvista()
    panes = 1 if collider is None else 2
    plotter = pv.Plotter(
        off_screen=True, shape=(1, panes), window_size=list(size), border=False, lighting="none"
    )
    try:
        for pane in range(panes):
            plotter.subplot(0, pane)
            _light(pv, plotter, up)
            plotter.set_background("white", top=(0.90, 0.925, 0.955))
            plotter.enable_anti_aliasing("ssaa")
        plotter.subplot(0, 0)
        _add(pv, plotter, vertices, triangles, _MESH_COLOR)
        _caption(plotter, f"mesh: {len(triangles):,} triangles", size)
        everything = vertices[np.unique(triangles)]
        if collider is not None:
            plotter.subplot(0, 1)
            for shape in collider:
                corners, faces = shape.to_mesh(48)
                corners = (corners - center) * scale
                _add(pv, plotter, corners, faces, COLORS[shape.kind])
                everything = np.vstack([everything, corners])
            _caption(plotter, f"collider: {len(collider):,} shapes, {collider.nbytes:,} bytes", size)
        for pane in range(panes):
            plotter.subplot(0, pane)
            _aim(plotter, everything, up, size[0] / panes / size[1])
        return np.asarray(plotter.screenshot(return_img=True))
    finally:
        plotter.close()


def _axes(up: str) -> npt.NDArray[np.float64]:
    """Right, up and front of the picture, as rows, for the model's up axis."""
    return np.array(
        {
            "x": [[0.0, -1.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]],
            "y": [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
            "z": [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]],
        }[up]
    )


def _toward(up: str, right: float, above: float, front: float) -> npt.NDArray[np.float64]:
    direction = np.array([right, above, front]) @ _axes(up)
    return direction / np.linalg.norm(direction)


def _light(pv: Any, plotter: Any, up: str) -> None:
    for where, strength in (((0.5, 1.0, 0.9), 0.52), ((-1.0, 0.35, 0.5), 0.26), ((0.6, 0.1, -1.0), 0.20)):
        light = pv.Light(position=10 * _toward(up, *where), focal_point=(0, 0, 0), intensity=strength)
        light.positional = False
        plotter.add_light(light)


def _add(
    pv: Any,
    plotter: Any,
    vertices: npt.NDArray[np.float64],
    triangles: npt.NDArray[np.uint32],
    color: Sequence[float],
) -> None:
    surface = pv.PolyData.from_regular_faces(vertices, triangles.astype(np.int64))
    smooth = surface.compute_normals(
        cell_normals=False, split_vertices=True, feature_angle=35, consistent_normals=False
    )
    finish = {"ambient": 0.22, "diffuse": 0.9, "specular": 0.04}
    actor = plotter.add_mesh(smooth, color=color, smooth_shading=True, **finish)
    actor.mapper.SetResolveCoincidentTopologyToPolygonOffset()  # or the lines below are half hidden
    edges = surface.extract_feature_edges(
        feature_angle=35, boundary_edges=True, non_manifold_edges=False, manifold_edges=False
    )
    if edges.n_points:
        dark = tuple(0.55 * c for c in color)
        plotter.add_mesh(edges, color=dark, line_width=1.5, opacity=0.6, lighting=False)


def _aim(plotter: Any, points: npt.NDArray[np.float64], up: str, aspect: float) -> None:
    """A view from the front, right and above, as close as shows every point."""
    view = _toward(up, 0.62, 0.42, 1.0)
    right = np.cross(_axes(up)[1], view)
    right /= np.linalg.norm(right)
    above = np.cross(view, right)
    angle = np.tan(np.radians(12))
    across, along, depth = points @ right, points @ above, points @ view
    middle = right * (across.min() + across.max()) / 2 + above * (along.min() + along.max()) / 2
    off = np.maximum(np.abs(across - middle @ right) / aspect, np.abs(along - middle @ above))
    distance = 1.12 * float(np.max(depth - middle @ view + off / angle))
    camera = plotter.camera
    camera.view_angle = 24
    camera.focal_point = middle
    camera.position = middle + view * distance
    camera.up = above
    plotter.reset_camera_clipping_range()


def _caption(plotter: Any, text: str, size: tuple[int, int]) -> None:
    height = max(8, round(min(size) / 46))
    plotter.add_text(text, position=(1.2 * height, height), font_size=0.62 * height, color=_INK, font="arial")


def _png(image: npt.NDArray[np.uint8]) -> bytes:
    """RGB pixels as a PNG file."""
    height, width, _ = image.shape
    rows = np.zeros((height, 1 + 3 * width), np.uint8)  # each row starts with its filter: 0, none
    rows[:, 1:] = image[:, :, :3].reshape(height, -1)

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    pixels = zlib.compress(rows.tobytes(), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
