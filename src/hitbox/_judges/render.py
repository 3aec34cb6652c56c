"""Draws pictures of a mesh and its collider off-screen with pyvista, side by side or alone.

Needs the extra `render` (pip install "hitbox[render]"), but no display: VTK falls back to EGL or to its own
software renderer.
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

from hitbox._base.errors import InputError
from hitbox._base.files import replace_file
from hitbox._model.collider import Collider
from hitbox._model.shapes import COLORS
from hitbox._model.space import NavigableSpace

_MESH_COLOR = (0.78, 0.79, 0.81)
_INK = (0.16, 0.17, 0.20)
# Colours by kind cannot distinguish hulls from each other, so neighbours in the list get different colours.
_HULL_COLORS = (
    (0.55, 0.70, 0.87), (0.95, 0.72, 0.50), (0.60, 0.80, 0.62), (0.90, 0.62, 0.66),
    (0.74, 0.66, 0.86), (0.86, 0.80, 0.55), (0.55, 0.79, 0.80), (0.80, 0.68, 0.60),
)  # fmt: skip
_BALL_COLOR = (0.90, 0.36, 0.30)
_SPACE_COLOR, _SPACE_OPACITY = (0.93, 0.45, 0.30), 0.14
_PEELS = 40  # layers of transparent spheres that VTK sorts by depth
_MODULES = ("pyvista", "vtk", "vtkmodules")
_LARGEST = 16384  # pixels per side: VTK's limit


class Triangulated(Protocol):
    """The arrays of a mesh that drawing needs."""

    @property
    def vertices(self) -> npt.NDArray[np.float64]: ...
    @property
    def triangles(self) -> npt.NDArray[np.uint32]: ...


def render(
    mesh: Triangulated,
    collider: Collider | None,
    path: str | os.PathLike[str],
    *,
    space: NavigableSpace | None = None,
    size: tuple[int, int] = (1600, 800),
    up: str | None = None,
) -> None:
    """Write a PNG with the mesh on the left and the collider on the right, or of the mesh alone.

    Both use the same camera. `space` is drawn in the last pane, translucent: a subset of its spheres, about a
    radius apart. `up` is "x", "y" or "z"; the default is the collider's or the mesh's axis, or y.
    """
    if Path(path).suffix.lower() != ".png":
        raise InputError(f"{os.fspath(path)}: pictures are PNG files. Use a name that ends in .png.")
    replace_file(path, rendered(mesh, collider, space=space, size=size, up=up))


def prepare() -> None:
    """Import the modules that pictures need, which takes seconds. Raise InputError if one is missing."""
    _pyvista()


def rendered(
    mesh: Triangulated,
    collider: Collider | None,
    *,
    space: NavigableSpace | None = None,
    size: tuple[int, int] = (1600, 800),
    up: str | None = None,
) -> bytes:
    """Return the PNG that `render` writes."""
    _check_size(size)
    up = up or (collider.up if collider else None) or getattr(mesh, "up", None) or "y"
    vertices, triangles = np.asarray(mesh.vertices), np.asarray(mesh.triangles)
    points = vertices[np.unique(triangles)]
    if collider is not None:
        points = np.vstack([points, collider.bounds])
    center, scale = _unit_size(points)
    spheres = np.empty((0, 4)) if space is None else _apart(space.spheres, 1.0)
    spheres = (spheres - [*center, 0.0]) * scale
    _pyvista()
    with _quiet_vtk():
        image = _draw((vertices - center) * scale, triangles, collider, spheres, center, scale, size, up)
    return _png(image)


def picture(
    subject: Triangulated | Collider,
    *,
    around: npt.ArrayLike | None = None,
    balls: tuple[npt.ArrayLike, float] | None = None,
    size: tuple[int, int] = (640, 480),
    up: str | None = None,
) -> bytes:
    """Return a PNG of a mesh or a collider alone, on a transparent background.

    `around` has the points that must be visible (default: the subject's). Equal points give the same camera.
    `balls` has centres (n, 3) and a radius, to draw as well. `up` works as in `render`.
    """
    _check_size(size)
    up = up or getattr(subject, "up", None) or "y"
    if isinstance(subject, Collider):
        groups = _colored(subject)
    else:
        groups = {_MESH_COLOR: (np.asarray(subject.vertices), np.asarray(subject.triangles))}
    visible = corners(subject) if around is None else np.asarray(around, dtype=np.float64)
    center, scale = _unit_size(visible)
    pv = _pyvista()
    with _quiet_vtk():
        plotter = pv.Plotter(off_screen=True, window_size=list(size), border=False, lighting="none")
        try:
            _light(pv, plotter, up)
            plotter.enable_anti_aliasing("ssaa")
            for color, (vertices, triangles) in groups.items():
                _add(pv, plotter, (vertices - center) * scale, triangles, color)
            if balls is not None and len(np.asarray(balls[0])):
                _add_balls(pv, plotter, (np.asarray(balls[0]) - center) * scale, balls[1] * scale)
            _aim(plotter, (visible - center) * scale, up, size[0] / size[1])
            return _png(np.asarray(plotter.screenshot(return_img=True, transparent_background=True)))
        finally:
            plotter.close()


def corners(subject: Triangulated | Collider) -> npt.NDArray[np.float64]:
    """Return points whose hull contains the subject: a picture must show all of them."""
    if isinstance(subject, Collider):
        return np.vstack([shape.to_mesh(32)[0] for shape in subject])
    return np.asarray(subject.vertices)[np.unique(subject.triangles)]


def _colored(
    collider: Collider,
) -> dict[tuple[float, ...], tuple[npt.NDArray[np.float64], npt.NDArray[np.uint32]]]:
    """Merge shapes by colour: drawing a few large meshes is much faster than hundreds of small ones."""
    parts: dict[tuple[float, ...], list[tuple[Any, Any]]] = {}
    for k, shape in enumerate(collider):
        color = _HULL_COLORS[k % len(_HULL_COLORS)] if shape.kind == "hull" else tuple(COLORS[shape.kind])
        parts.setdefault(color, []).append(shape.to_mesh(32))
    merged = {}
    for color, meshes in parts.items():
        first = np.cumsum([0] + [len(vertices) for vertices, _ in meshes])
        triangles = [t.astype(np.uint32) + np.uint32(first[k]) for k, (_, t) in enumerate(meshes)]
        merged[color] = np.vstack([vertices for vertices, _ in meshes]), np.vstack(triangles)
    return merged


def _add_balls(pv: Any, plotter: Any, centers: npt.NDArray[np.float64], radius: float) -> None:
    ball = pv.Sphere(radius=radius, theta_resolution=16, phi_resolution=16)
    spheres = pv.PolyData(centers).glyph(geom=ball, scale=False, orient=False)
    plotter.add_mesh(spheres, color=_BALL_COLOR, smooth_shading=True, ambient=0.22, diffuse=0.9, specular=0.1)


def _add_space(pv: Any, plotter: Any, spheres: npt.NDArray[np.float64]) -> None:
    """Draw translucent spheres, given as rows of x, y, z and radius."""
    ball = pv.Sphere(radius=1.0, theta_resolution=24, phi_resolution=24)
    centers = pv.PolyData(np.ascontiguousarray(spheres[:, :3]))
    centers["radius"] = np.ascontiguousarray(spheres[:, 3])
    bubbles = centers.glyph(geom=ball, scale="radius", orient=False)
    plotter.add_mesh(bubbles, color=_SPACE_COLOR, opacity=_SPACE_OPACITY, smooth_shading=True, culling="back")
    plotter.enable_depth_peeling(_PEELS)


def _apart(spheres: npt.NDArray[np.float64], radii: float) -> npt.NDArray[np.float64]:
    """Thin out dense spheres: keep the largest, then each one at least `radii` radii from those kept."""
    remaining = spheres[np.argsort(-spheres[:, 3], kind="stable")]
    remaining = remaining[remaining[:, 3] > 0]
    kept = []
    while len(remaining):
        kept.append(remaining[0])
        distance = np.linalg.norm(remaining[:, :3] - remaining[0, :3], axis=1)
        remaining = remaining[distance >= radii * remaining[:, 3]]
    return np.array(kept).reshape(-1, 4)


def _check_size(size: tuple[int, int]) -> None:
    if not all(16 <= side <= _LARGEST for side in size):
        raise InputError(f"render: size must be 16 to {_LARGEST} pixels per side, not {size!r}.")


def _unit_size(points: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.float64], float]:
    """Return the centre, and the scale to a diagonal of 1. VTK draws in float32, so it needs this box."""
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
            f"on Debian and Ubuntu run apt-get install libgl1 libegl1 libgl1-mesa-dri libxrender1."
        ) from error
    return pyvista


@contextmanager
def _quiet_vtk() -> Iterator[None]:
    """Hide VTK's warning on stderr that there is no display: VTK then draws without one."""
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
    spheres: npt.NDArray[np.float64],
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
        _light(pv, plotter, up)
        for pane in range(panes):
            plotter.subplot(0, pane)
            plotter.set_background("white", top=(0.90, 0.925, 0.955))
            plotter.enable_anti_aliasing("ssaa")
        plotter.subplot(0, 0)
        _add(pv, plotter, vertices, triangles, _MESH_COLOR)
        _caption(plotter, f"mesh: {len(triangles):,} triangles", size)
        everything = vertices[np.unique(triangles)]
        if collider is not None:
            plotter.subplot(0, 1)
            only_hulls = set(collider.counts) == {"hull"}
            for k, shape in enumerate(collider):
                corners, faces = shape.to_mesh(48)
                corners = (corners - center) * scale
                color = _HULL_COLORS[k % len(_HULL_COLORS)] if only_hulls else COLORS[shape.kind]
                _add(pv, plotter, corners, faces, color)
                everything = np.vstack([everything, corners])
            _caption(plotter, f"collider: {len(collider):,} shapes, {collider.nbytes:,} bytes", size)
        if len(spheres):
            _add_space(pv, plotter, spheres)
            everything = np.vstack([everything, *(spheres[:, :3] + side for side in _sides(spheres[:, 3]))])
        for pane in range(panes):
            plotter.subplot(0, pane)
            _aim(plotter, everything, up, size[0] / panes / size[1])
        return np.asarray(plotter.screenshot(return_img=True))
    finally:
        plotter.close()


def _sides(radii: npt.NDArray[np.float64]) -> Iterator[npt.NDArray[np.float64]]:
    """Yield the offsets from sphere centres to their six extreme points along the axes."""
    for axis in np.eye(3):
        yield from (radii[:, None] * axis, -radii[:, None] * axis)


def _axes(up: str) -> npt.NDArray[np.float64]:
    """Return the picture's right, up and front directions as rows, for the model's up axis."""
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
    """Add the lights once per plotter: pyvista applies them to all panes."""
    for where, strength in (((0.5, 1.0, 0.9), 1.04), ((-1.0, 0.35, 0.5), 0.52), ((0.6, 0.1, -1.0), 0.40)):
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
    actor.mapper.SetResolveCoincidentTopologyToPolygonOffset()  # or the surface hides half of each line
    edges = surface.extract_feature_edges(
        feature_angle=35, boundary_edges=True, non_manifold_edges=False, manifold_edges=False
    )
    if edges.n_points:
        dark = tuple(0.55 * c for c in color)
        plotter.add_mesh(edges, color=dark, line_width=1.5, opacity=0.6, lighting=False)


def _aim(plotter: Any, points: npt.NDArray[np.float64], up: str, aspect: float) -> None:
    """Look from the front, right and above, as close as possible with every point visible."""
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
    """Encode RGB or RGBA pixels as a PNG file."""
    height, width, channels = image.shape
    rows = np.zeros((height, 1 + channels * width), np.uint8)  # each row starts with its filter type
    rows[1:, 0] = 2  # filter 2, the difference to the row above, which compresses best
    flat = image.reshape(height, -1)
    rows[0, 1:] = flat[0]
    rows[1:, 1:] = flat[1:] - flat[:-1]

    def chunk(name: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    header = struct.pack(">IIBBBBB", width, height, 8, {3: 2, 4: 6}[channels], 0, 0, 0)
    pixels = zlib.compress(rows.tobytes(), 9)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", pixels) + chunk(b"IEND", b"")
