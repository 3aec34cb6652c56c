"""An oracle for `carve`, written with numpy and SciPy. It shares no code with the core.

- `open_space_violations`: on a grid of its own, a ball's centre goes wherever the mesh is at least `radius +
  tolerance` away, from a corner outside, one neighbour at a time. No hull may be closer than `radius` to any
  reached centre. Centres that are nearly too close walk on towards the hull, off the grid.
- `uncovered`: cuts every hull out of each triangle and measures the rest.
- `sticks_out`, `is_convex`: check that hulls lie in the mesh's convex hull, and are closed and convex.

A hull is the array of its corners. Qhull computes its planes and facets; those that came with it are ignored.
Distances to meshes and hulls are exact up to rounding. The distance at a block's centre decides the whole
block where it can, because a distance changes by at most the path between two points.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy import ndimage
from scipy.spatial import ConvexHull, QhullError, cKDTree

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]
Field = Callable[[Floats], Floats]  # one number per point

ROUNDING = 1e-9  # fraction of the longest side: the error by which a distance may be too short
PAIRS = 4000  # pairs of points and triangles below which another split does not pay
WALKERS, STEPS = 2000, 12  # the closest centres per hull that walk, and the steps of each
BLOCKS = (16, 8, 4, 2, 1)  # grid points per side


# ---------------------------------------------------------------- Distances


class Triangles:
    """Distances from points to triangles (n x 3 x 3), which may be needles or points.

    A needle's normal is mostly rounding. The height over it is then still the distance to a point of its
    plane between its edges, and the distances to the edges are computed as well.
    """

    def __init__(self, corners: Floats) -> None:
        self.corners = np.asarray(corners, float).reshape(-1, 3, 3)
        self._edges = np.roll(self.corners, -1, axis=1) - self.corners
        squares = np.einsum("tek,tek->te", self._edges, self._edges)
        self._shares = 1 / np.where(squares > 0, squares, np.inf)
        normals = np.cross(self._edges[:, 0], self._edges[:, 1])
        lengths = np.linalg.norm(normals, axis=1)
        self._normals = normals / np.where(lengths > 0, lengths, 1)[:, None]
        self._inward = np.cross(self._normals[:, None], self._edges)
        self._inward[lengths == 0] = 0

    def distances(self, points: Floats, which: Integers) -> Floats:
        """Return the distance from each point to its own triangle."""
        off = points[:, None] - self.corners[which]
        edges = self._edges[which]
        share = np.einsum("nek,nek->ne", off, edges) * self._shares[which]
        rest = off - np.clip(share, 0, 1)[:, :, None] * edges
        to_edges = np.sqrt(np.einsum("nek,nek->ne", rest, rest).min(axis=1))
        above = (np.einsum("nek,nek->ne", off, self._inward[which]) > 0).all(axis=1)
        height = np.abs(np.einsum("nk,nk->n", off[:, 0], self._normals[which]))
        return np.asarray(np.where(above, np.minimum(height, to_edges), to_edges))


class Surface:
    """Exact distances to a mesh.

    Points are split in halves until only a few triangles can be the nearest one of any of them.
    """

    def __init__(self, vertices: Floats, triangles: Integers) -> None:
        self._triangles = Triangles(np.asarray(vertices, float)[np.asarray(triangles)])

    def distances(self, points: Floats) -> Floats:
        points = np.asarray(points, float)
        found = np.empty(len(points))
        waiting = [(np.arange(len(points)), np.arange(len(self._triangles.corners)))]
        while waiting:
            some, near = waiting.pop()
            if not len(some):
                continue
            low, high = points[some].min(axis=0), points[some].max(axis=0)
            away = self._triangles.distances(np.broadcast_to((low + high) / 2, (len(near), 3)), near)
            # The distance of any point to the nearest triangle differs from the centre's by at most this
            # much.
            near = near[away <= away.min() + np.linalg.norm(high - low) * (1 + 1e-9)]
            if len(some) == 1:
                found[some] = away.min()
            elif len(some) * len(near) <= PAIRS:
                row, column = np.repeat(some, len(near)), np.tile(near, len(some))
                pairs = self._triangles.distances(points[row], column)
                found[some] = pairs.reshape(len(some), -1).min(axis=1)
            else:
                side = points[some, (high - low).argmax()]
                half = np.argpartition(side, len(some) // 2)
                waiting += [(some[k], near) for k in np.split(half, [len(some) // 2])]
        return found


class Solid:
    """The convex hull of points. A hull without volume is a polygon or a segment, without inside and
    planes.
    """

    def __init__(self, points: Floats) -> None:
        points = np.unique(np.asarray(points, float).reshape(-1, 3), axis=0)
        if not np.isfinite(points).all():
            raise ValueError("a hull's corners must be finite")
        self.low, self.high = points.min(axis=0), points.max(axis=0)
        try:
            hull = ConvexHull(points)
        except (QhullError, ValueError):  # the points are flat, or fewer than four
            self.flat, facets = True, _flat_facets(points)
            self.corners = facets.reshape(-1, 3)
            self.normals, self.limits = np.empty((0, 3)), np.empty(0)
        else:
            self.flat, facets = False, points[hull.simplices]
            self.corners = points[hull.vertices]
            self.normals = hull.equations[:, :3]
            # Qhull's offsets may be too small by rounding
            self.limits = (self.corners @ self.normals.T).max(axis=0)
        self._facets, self._middles = Triangles(facets), facets.mean(axis=1)
        self._radii = np.linalg.norm(facets - self._middles[:, None], axis=2).max(axis=1)
        self._tree = cKDTree(self.corners)

    @property
    def planes(self) -> tuple[Floats, Floats]:
        """Return each plane once."""
        both = np.unique(np.column_stack([self.normals, self.limits]), axis=0)
        return both[:, :3], both[:, 3]

    def heights(self, points: Floats) -> Floats:
        """Return the largest distance from a plane. It is at most the distance from the hull, and at most 0
        inside.
        """
        if self.flat:
            return np.full(len(points), 1e-300)
        found = np.empty(len(points))
        for block in _chunks(len(points), len(self.limits)):
            found[block] = (points[block] @ self.normals.T - self.limits).max(axis=1)
        return found

    def distances(self, points: Floats) -> Floats:
        """Return distances, 0 inside. The nearest point lies on a facet whose plane has the point in
        front.
        """
        found = np.empty(len(points))
        for block in _chunks(len(points), len(self._middles)):
            found[block] = self._of_block(points[block])
        return found

    def _of_block(self, points: Floats) -> Floats:
        most = np.asarray(self._tree.query(points)[0])
        scale = float(np.abs(points).max() + np.abs(self.corners).max())
        squares = (points**2).sum(axis=1)[:, None] + (self._middles**2).sum(axis=1)
        squares -= 2 * points @ self._middles.T
        seen = squares <= (most[:, None] + self._radii) ** 2 + 1e-12 * scale**2
        outside = np.ones(len(points), bool)
        if not self.flat:
            heights = points @ self.normals.T - self.limits
            seen &= heights > -1e-9 * scale
            outside = heights.max(axis=1) > 0
        row, column = np.nonzero(seen & outside[:, None])
        np.minimum.at(most, row, self._facets.distances(points[row], column))
        return np.where(outside, most, 0.0)


def _chunks(count: int, width: int) -> Iterable[slice]:
    size = max(1, 4_000_000 // max(width, 1))
    return (slice(first, first + size) for first in range(0, count, size))


def _flat_facets(points: Floats) -> Floats:
    """Return triangles, possibly without area, over the hull of points in a plane or on a line."""
    middle = points.mean(axis=0)
    axes = np.linalg.svd(points - middle, full_matrices=True)[2]
    flat = (points - middle) @ axes[:2].T
    try:
        rim = points[ConvexHull(flat).vertices]
    except (QhullError, ValueError):
        rim = points[[flat[:, 0].argmin(), flat[:, 0].argmax()]]
    ring = np.arange(len(rim))
    return np.stack([rim[0 * ring], rim[ring], rim[np.roll(ring, -1)]], axis=1)


# ---------------------------------------------------------------- Open space


class Entered(NamedTuple):
    """The depth by which hulls enter the open space."""

    entered: int  # number of centres and clear points that are too close to a hull
    deepest: float  # as a fraction of the ball's radius; at 1 a hull contains a centre
    center: tuple[float, ...] | None  # the position
    hull: int | None  # its number
    reached: int  # number of checked centres: 0 proves nothing


def open_space_violations(
    vertices: Floats,
    triangles: Integers,
    hulls: Iterable[Floats],
    radius: float,
    tolerance: float,
    step: float,
    seed: int = 0,
    **options: Any,
) -> Entered:
    """Return the centres of balls that are closer to a hull than `radius`. `options` are those of
    `OpenSpace`.
    """
    return OpenSpace(vertices, triangles, radius, tolerance, step, seed, **options).entered_by(hulls)


class OpenSpace:
    """The grid points that a ball's centre can reach around a mesh, and the clear spheres."""

    def __init__(
        self,
        vertices: Floats,
        triangles: Integers,
        radius: float,
        tolerance: float,
        step: float,
        seed: int = 0,
        *,
        blockers: Field | None = None,
        clear: npt.ArrayLike = (),
        sealed: bool = False,
        distances: Field | None = None,
        reached: Bools | None = None,
    ) -> None:
        """
        `blockers`: functions of signed distances from solids that balls may not enter, negative inside.
        `clear`: points around which everything at least `tolerance` away from the mesh must stay open.
        `sealed`: unreachable centres count as well. `distances`: a faster function of distances to the mesh
        than that of this file; its values must not be too long. `reached`: an earlier result for the same
        arguments.
        """
        vertices = np.asarray(vertices, float)
        used = vertices[np.unique(triangles)]
        self.radius, self.clearance = radius, radius + tolerance
        self.slack = ROUNDING * float((used.max(axis=0) - used.min(axis=0)).max())
        self.grid = Grid(used, radius + tolerance + 2 * step, step, seed)
        self._distances = distances or Surface(vertices, triangles).distances
        self._blockers, self._sealed = blockers, sealed
        self.reached = self._reach() if reached is None else reached
        self._spots = np.asarray(clear, float).reshape(-1, 3)
        self._rooms = np.maximum(self._distances(self._spots) - tolerance, 0)

    def _reach(self) -> Bools:
        free = self.grid.at_least(self._distances, self.clearance)
        if self._blockers is not None:
            free &= self.grid.at_least_everywhere(self._blockers, self.radius)
        return free if self._sealed else connected_to_corner(free)

    def entered_by(self, hulls: Iterable[Floats]) -> Entered:
        bad: set[int] = set()
        worst = Entered(0, 0.0, None, None, int(np.count_nonzero(self.reached)))
        pyramid = Pyramid(self.grid, self.reached)
        for k, solid in enumerate(map(Solid, hulls)):
            cells, points, away = self._too_close(pyramid, solid)
            to_spots = solid.distances(self._spots)
            hit = to_spots < self._rooms - self.slack
            bad.update(self.grid.numbers(cells).tolist(), (-1 - np.flatnonzero(hit)).tolist())
            points = np.vstack([points, self._spots[hit]])
            depths = 1 - np.append(away / self.radius, to_spots[hit] / self._rooms[hit])
            if len(depths) and depths.max() > worst.deepest:
                at = int(depths.argmax())
                worst = worst._replace(deepest=float(depths[at]), center=tuple(points[at].tolist()), hull=k)
        return worst._replace(entered=len(bad))

    def _too_close(self, pyramid: Pyramid, solid: Solid) -> tuple[Integers, Floats, Floats]:
        """Return the cells whose centres are, or walk, too close to the hull, with their final positions and
        distances.
        """
        cells, away = pyramid.closer_than(solid, self.radius + self.grid.step)
        points = self.grid.points(cells)
        if self._blockers is None:
            nearly = np.flatnonzero(away >= self.radius - self.slack)
            nearly = nearly[np.argsort(away[nearly])[:WALKERS]]
            points[nearly] = self.walked(solid, points[nearly])
            away[nearly] = solid.distances(points[nearly])
        close = away < self.radius - self.slack
        return cells[close], points[close], away[close]

    def walked(self, solid: Solid, points: Floats) -> Floats:
        """Move each centre straight towards the hull, as far as the mesh allows, off the grid.

        A step is as long as the spare distance to the mesh, so the whole path is open.
        """
        points, going, tiny = points.copy(), np.arange(len(points)), 1e-3 * self.grid.step
        for _ in range(STEPS):
            room = self._distances(points[going]) - self.clearance
            going, room = going[room > tiny], room[room > tiny]
            here = points[going]
            away = solid.distances(here)
            slopes = [solid.distances(here + tiny * axis) - away for axis in np.eye(3)]
            uphill = np.stack(slopes, axis=1)
            uphill /= np.maximum(np.linalg.norm(uphill, axis=1), 1e-300)[:, None]
            points[going] = here - np.minimum(room, away)[:, None] * uphill
        return points


class Grid:
    """Points `step` apart around a mesh, with a random offset, padded to whole blocks."""

    def __init__(self, vertices: Floats, margin: float, step: float, seed: int) -> None:
        self.step = step
        self.low = vertices.min(axis=0) - margin - np.random.default_rng(seed).random(3) * step
        size = np.ceil((vertices.max(axis=0) + margin - self.low) / step).astype(int) + 1
        self.shape = tuple(int(-(-n // BLOCKS[0]) * BLOCKS[0]) for n in size)

    def points(self, cells: Integers, block: int = 1) -> Floats:
        """Return the centres of blocks."""
        return np.asarray(self.low + (cells * block + (block - 1) / 2) * self.step)

    def numbers(self, cells: Integers) -> Integers:
        return np.asarray(np.ravel_multi_index(tuple(cells.T), self.shape), np.int64)

    def half_diagonal(self, block: int) -> float:
        """Return the distance from a block's centre to its last point, slightly enlarged for rounding."""
        return (block - 1) / 2 * self.step * 3**0.5 * (1 + 1e-9)

    def all_blocks(self) -> Integers:
        return all_cells([n // BLOCKS[0] for n in self.shape])

    def at_least(self, field: Field, limit: float) -> Bools:
        """Return where a distance is at least `limit`."""
        found = np.zeros(self.shape, bool)
        cells = self.all_blocks()
        for block in BLOCKS:
            values, slack = field(self.points(cells, block)), self.half_diagonal(block)
            x, y, z = cells[values - slack >= limit].T
            in_blocks(found, block)[x, :, y, :, z, :] = True
            cells = children(cells[(values - slack < limit) & (values + slack >= limit)])
        return found

    def at_least_everywhere(self, field: Field, limit: float) -> Bools:
        """Do the same for a function that may change faster than a distance."""
        found = np.empty(self.shape, bool)
        rest = all_cells(self.shape[1:])
        for x in range(self.shape[0]):
            cells = np.insert(rest, 0, x, axis=1)
            found[x] = (np.asarray(field(self.points(cells))) >= limit).reshape(self.shape[1:])
        return found


def all_cells(shape: Sequence[int]) -> Integers:
    """Return one row per cell of an array, in the array's order."""
    return np.moveaxis(np.indices(tuple(shape)), 0, -1).reshape(-1, len(shape))


def in_blocks(array: Bools, block: int) -> Bools:
    """Return a view with six axes: block and position in the block, for x, y and z."""
    return array.reshape([k for n in array.shape for k in (n // block, block)])


def children(cells: Integers) -> Integers:
    """Return the eight octants of each block."""
    return np.asarray((2 * cells[:, None] + all_cells((2, 2, 2))).reshape(-1, 3))


def connected_to_corner(free: Bools) -> Bools:
    """Flood fill over the six neighbours, from all corners: the surroundings of the grid are open."""
    labels, count = ndimage.label(free)
    kept = np.zeros(count + 1, bool)
    kept[labels[tuple(slice(None, None, n - 1) for n in free.shape)]] = True
    kept[0] = False
    return np.asarray(kept[labels])


class Pyramid:
    """The blocks that contain a reached centre, on several levels."""

    def __init__(self, grid: Grid, reached: Bools) -> None:
        self._grid = grid
        self._any = {1: reached}
        for block in BLOCKS[-2::-1]:
            finer = self._any[block // 2]
            finer = finer[::2] | finer[1::2]
            finer = finer[:, ::2] | finer[:, 1::2]
            self._any[block] = finer[:, :, ::2] | finer[:, :, 1::2]

    def closer_than(self, solid: Solid, limit: float) -> tuple[Integers, Floats]:
        """Return the reached centres closer to the hull than `limit`, and their distances."""
        grid, cells, away = self._grid, self._grid.all_blocks(), np.empty(0)
        for block in BLOCKS:
            most = limit + grid.half_diagonal(block)
            cells = cells[self._any[block][tuple(cells.T)]]
            points = grid.points(cells, block)
            boxed = np.linalg.norm(points - np.clip(points, solid.low, solid.high), axis=1) < most
            cells, points = cells[boxed], points[boxed]
            near = solid.heights(points) < most
            cells, points = cells[near], points[near]
            away = solid.distances(points)
            cells, away = cells[away < most], away[away < most]
            cells = cells if block == 1 else children(cells)
        return cells, away


# ---------------------------------------------------------------- Cover


def uncovered(
    vertices: Floats, triangles: Integers, hulls: Iterable[Floats], tolerance: float
) -> list[tuple[int, float]]:
    """Return the triangles with a rest wider than `tolerance` outside all hulls, and its width.

    The hulls' planes are moved out by `tolerance`. For a triangle that is not wider than that itself, the
    length of the rest counts.
    """
    vertices, triangles = np.asarray(vertices, float), np.asarray(triangles)
    solids = [solid for solid in map(Solid, hulls) if not solid.flat]
    planes = [(normals, limits + tolerance) for normals, limits in (solid.planes for solid in solids)]
    corners = vertices[triangles]
    holds = np.array([_holds(s, vertices, tolerance)[triangles].sum(axis=1) for s in solids], int)
    holds = holds.reshape(len(solids), len(triangles))
    lows, highs = (np.array([getattr(s, side) for s in solids]).reshape(-1, 3) for side in ("low", "high"))
    found = []
    for k in np.flatnonzero(~(holds == 3).any(axis=0)):
        triangle = corners[k]
        near = (triangle.min(axis=0) <= highs + tolerance) & (triangle.max(axis=0) >= lows - tolerance)
        order = sorted(np.flatnonzero(near.all(axis=1)), key=lambda s: -holds[s, k])
        left = width_of_rest(triangle, [planes[s] for s in order], tolerance)
        if left > tolerance:
            found.append((int(k), left))
    return found


def _holds(solid: Solid, points: Floats, margin: float) -> Bools:
    boxed = ((points >= solid.low - margin) & (points <= solid.high + margin)).all(axis=1)
    boxed[boxed] = solid.heights(points[boxed]) <= margin
    return np.asarray(boxed)


def width_of_rest(triangle: Floats, solids: Sequence[tuple[Floats, Floats]], tolerance: float) -> float:
    """Return the width of the rest outside all solids (normals, limits): that of its widest piece, or of all
    in a row.
    """
    pieces = [triangle]
    for normals, limits in solids:
        pieces = [rest for piece in pieces for rest in without(piece, normals, limits)]
    if not pieces:
        return 0.0
    if width(triangle) <= tolerance:
        return max(length(piece) for piece in pieces)
    together = sum(area(piece) for piece in pieces) / length(triangle)
    return max(together, *(width(piece) for piece in pieces))


def without(polygon: Floats, normals: Floats, limits: Floats) -> list[Floats]:
    """Return the parts of a convex polygon outside a convex solid, or the whole polygon if it does not
    enter.
    """
    heights = polygon @ normals.T - limits
    if (heights >= 0).all(axis=0).any():
        return [polygon]
    highest = heights.max(axis=0)
    inner, left = polygon, []
    for plane in np.argsort(-highest)[: np.count_nonzero(highest > 0)]:
        inner, beyond = cut(inner, inner @ normals[plane] - limits[plane])
        if len(inner) < 3:
            return [polygon]
        if len(beyond) >= 3:
            left.append(beyond)
    return left


def cut(polygon: Floats, heights: Floats) -> tuple[Floats, Floats]:
    """Return the parts of a convex polygon with heights up to 0, and above 0."""
    if heights.max() <= 0:
        return polygon, polygon[:0]
    below: list[Floats] = []
    above: list[Floats] = []
    for k in range(len(polygon)):
        before, here = heights[k - 1], heights[k]
        if before * here < 0:
            middle = polygon[k - 1] + (polygon[k] - polygon[k - 1]) * (before / (before - here))
            below.append(middle)
            above.append(middle)
        if here <= 0:
            below.append(polygon[k])
        if here >= 0:
            above.append(polygon[k])
    return np.reshape(below, (-1, 3)), np.reshape(above, (-1, 3))


def width(polygon: Floats) -> float:
    """Return the width of the narrowest strip around the polygon. One side of the strip lies along an
    edge.
    """
    edges = np.roll(polygon, -1, axis=0) - polygon
    lengths = np.linalg.norm(edges, axis=1)
    long = lengths > 1e-9 * lengths.max()  # the direction of a shorter edge is rounding
    if not long.any():
        return 0.0
    along = edges[long] / lengths[long, None]
    off = np.cross(polygon[None] - polygon[long][:, None], along[:, None])
    return float(np.linalg.norm(off, axis=2).max(axis=1).min())


def length(polygon: Floats) -> float:
    return float(np.linalg.norm(polygon[:, None] - polygon[None], axis=2).max())


def area(polygon: Floats) -> float:
    fan = np.cross(polygon[1:-1] - polygon[0], polygon[2:] - polygon[0])
    return float(np.linalg.norm(fan.sum(axis=0))) / 2


# ---------------------------------------------------------------- The hulls themselves


def sticks_out(vertices: Floats, triangles: Integers, hulls: Iterable[Floats]) -> float:
    """Return the largest distance of a hull's corner from the convex hull of the mesh."""
    around = Solid(np.asarray(vertices, float)[np.unique(triangles)])
    return max((float(around.distances(np.asarray(corners, float)).max()) for corners in hulls), default=0.0)


def is_convex(vertices: Floats, triangles: npt.NDArray[Any], margin: float = 1e-7) -> bool:
    """Return whether the facets are closed, face outward, and have no corner in front by more than `margin`
    sizes.

    A needle's plane is mostly rounding. The volume shows whether a facet is missing or folded there.
    """
    vertices, triangles = np.asarray(vertices, float), np.asarray(triangles, np.int64)
    if not np.isfinite(vertices).all() or not is_closed(triangles):
        return False
    size = float((vertices.max(axis=0) - vertices.min(axis=0)).max())
    points = (vertices - vertices.mean(axis=0)) / max(size, 1e-300)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    lengths = np.linalg.norm(normals, axis=1)
    longest = np.max([np.linalg.norm(e, axis=1) for e in (b - a, c - b, a - c)], axis=0)
    real = lengths > 1e-5 * longest**2
    normals = normals[real] / lengths[real, None]
    beyond = points @ normals.T - np.einsum("ij,ij->i", normals, a[real])
    volume = float(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6
    solid = Solid(points)
    whole = 0.0 if solid.flat else float(ConvexHull(points).volume)
    return bool(beyond.max(initial=0.0) <= margin and abs(volume - whole) <= margin and volume > 0)


def is_closed(triangles: Integers) -> bool:
    """Return whether every edge is used once in each direction."""
    pairs = np.concatenate([triangles[:, [k, (k + 1) % 3]] for k in range(3)])
    edges = [(a, b) for a, b in pairs.tolist()]
    there = set(edges)
    return len(there) == len(edges) > 0 and all((b, a) in there and a != b for a, b in edges)
