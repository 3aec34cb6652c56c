"""Hash the output of every verb, so that two builds can be compared and nothing gets lost.

    python benchmarks/same_bytes.py --out A.json [--quick] [--data N] [--only NAME...]
    python benchmarks/same_bytes.py compare A.json B.json [--expected FILE]

The first form runs every verb on thirty meshes that proof_meshes.py makes, and on the N smallest meshes of
HITBOX_BENCH_DATA (see harness.py) and of `byhand` beside it. It writes one SHA-256 for each mesh, verb and
output. Run it once with each build: it uses only what both have. `--quick` takes eight of the meshes, and
only the options that matter most.

The second form lists each key whose hash differs, or that one of the files lacks, and ends with 1 if there
is one. Only meshes that both files have are compared; others are named. Intended differences are listed in
same_bytes_expected.json, each as a pattern of keys (as in fnmatch) with its reason. They are counted and do
not fail.

Text that may be reworded is not hashed: notes, messages, comments in files, and docstrings. Times are not
hashed either. An exception counts by its type alone.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import dataclasses
import fnmatch
import hashlib
import io
import json
import os
import re
import runpy
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import harness
import numpy as np
import proof_meshes
from proof_meshes import Floats

import hitbox

EXPECTED = Path(__file__).with_name("same_bytes_expected.json")
QUICK = ("box", "star", "capsule", "torus", "soup", "room", "degenerate", "table")
PROFILES = (
    "curobo", "gltf", "godot", "jolt", "mjx", "mujoco", "newton", "physx", "physx-gpu", "rapier", "sdf",
    "unity", "unreal", "urdf", "usd",
)  # fmt: skip
# Formats with the suffixes of their files.
FORMATS = {
    "json": ".json", "obj": ".obj", "gltf": ".glb", "gltf, text": ".gltf", "stl": ".stl", "ply": ".ply",
    "urdf": ".urdf", "urdf-1.1": ".urdf", "mjcf": ".xml", "sdf": ".sdf", "srdf": ".srdf", "curobo": ".yml",
    "rapier": ".py", "usd": ".usda", "usd, binary": ".usd", "godot": ".tscn", "unreal": ".glb",
    "unreal-obj": ".obj", "unity": ".obj", "glb-meshes": ".glb",
}  # fmt: skip
UNHASHED = {"notes", "seconds", "why", "message", "frame_ms", "mean_ms", "median_ms", "p95_ms", "p99_ms"}
# the colliders that are measured and written
CHOSEN = ("fit 8", "fit 12 with hulls", "fit spheres 12", "carve plain")
CHANCES = 4  # a rare option is tried on one of this many meshes
SAMPLES = 20_000


# ---------------------------------------------------------------- Hashes


def plain(value: Any) -> Any:
    """Return a JSON value without times and wording, in a form that differs where the value differs."""
    if isinstance(value, np.ndarray):
        data = np.ascontiguousarray(value)
        return [str(data.dtype), list(data.shape), hashlib.sha256(data.tobytes()).hexdigest()]
    if isinstance(value, bytes):
        return hashlib.sha256(value).hexdigest()
    if isinstance(value, np.generic):
        return plain(value.item())
    if isinstance(value, float):
        return repr(value)
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        names = [f.name for f in dataclasses.fields(value) if f.name not in UNHASHED]
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items() if key not in UNHASHED}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return value if value is None or isinstance(value, str | int | bool) else str(value)


def digest(value: Any) -> str:
    return hashlib.sha256(json.dumps(plain(value), sort_keys=True).encode()).hexdigest()[:24]


def without_prose(name: str, data: bytes) -> Any:
    """Return a file without text that may be reworded: comments, docstrings, notes."""
    suffix = Path(name).suffix
    if suffix == ".json":
        return json.loads(data)  # `plain` leaves out notes
    if suffix == ".py":
        return without_docstrings(ast.parse(data))
    patterns = {
        ".xml": rb"<!--.*?-->", ".urdf": rb"<!--.*?-->", ".sdf": rb"<!--.*?-->", ".srdf": rb"<!--.*?-->",
        ".yml": rb"(?m)^\s*#.*$", ".obj": rb"(?m)^#.*$", ".mtl": rb"(?m)^#.*$", ".cs": rb"(?m)^\s*//.*$",
        ".tscn": rb"(?m)^;.*$",
    }  # fmt: skip
    return re.sub(patterns[suffix], b"", data, flags=re.DOTALL) if suffix in patterns else data


def without_docstrings(tree: ast.Module) -> str:
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.FunctionDef | ast.ClassDef) and ast.get_docstring(node):
            node.body = node.body[1:]
    return ast.dump(tree)


class Recorder:
    """The hashes of one mesh, and the values that they are made from."""

    def __init__(self, name: str, number: int, mesh: hitbox.Mesh, quick: bool) -> None:
        self.name, self.number, self.mesh, self.quick = name, number, mesh, quick
        self.hashes: dict[str, str] = {}
        self._turn = number

    def add(self, what: str, make: Callable[[], Any]) -> Any:
        """Keep the hash of the value that `make` returns, or of the type of its exception, and return the
        value.
        """
        try:
            value = make()
        except Exception as error:  # an error is a result like any other
            self._put(what, f"raises {type(error).__name__}")
            return None
        if isinstance(value, hitbox.Collider):
            self._keep_collider(what, value)
        else:
            self._keep(what, value)
        return value

    def now(self) -> bool:
        """Return whether this mesh gets the next rare option."""
        self._turn += 1
        return not self.quick and self._turn % CHANCES == 0

    def _keep(self, what: str, value: Any) -> None:
        self._put(what, digest(value))

    def _put(self, what: str, text: str) -> None:
        key = f"{self.name} | {what}"
        if key in self.hashes:
            raise ValueError(f"{key}: has been hashed before")
        self.hashes[key] = text

    def _keep_collider(self, what: str, found: hitbox.Collider) -> None:
        self._keep(f"{what} | shapes", [(s.kind, s.params) for s in found])
        labels = [(one.name, one.part, one.material, one.faces, one.extra) for one in found.labels]
        self._keep(f"{what} | labels", labels)
        about = [found.name, found.unit, found.up, found.source, found.extra, found.generator]
        self._keep(f"{what} | about", about)
        method = found.method and [found.method.name, found.method.options, found.method.extra]
        self._keep(f"{what} | method", method)
        self._keep(f"{what} | complete", found.status.complete)


# ---------------------------------------------------------------- Functions with other names in older builds


def verb(name: str) -> Any:
    """Return a verb, which older builds have in a module of its name."""
    found = getattr(hitbox, name, None)
    if callable(found):
        return found
    module = __import__(f"hitbox.{name}", fromlist=[name])
    return getattr(module, name)


def simulate_together() -> Any:
    found = getattr(hitbox, "simulate_together", None)
    return found or __import__("hitbox.simulate", fromlist=["simulate_together"]).simulate_together


# ---------------------------------------------------------------- Verbs on one mesh


def corners_of(mesh: hitbox.Mesh) -> tuple[Floats, Floats]:
    corners = mesh.vertices[mesh.indices]
    return corners.min(axis=0), corners.max(axis=0)


def longest_side(mesh: hitbox.Mesh) -> float:
    low, high = corners_of(mesh)
    return float((high - low).max())


def on_mesh(record: Recorder) -> None:
    mesh = record.mesh
    record.add("mesh | info", mesh.info)
    for weld in ("exact", "off", "2%", 0.01 * mesh.diagonal):
        record.add(f"mesh | clean {weld}", partial(cleaned, mesh, weld))
    record.add("mesh | triangles", lambda: [mesh.triangles, mesh.triangle_faces, mesh.sha256])


def cleaned(mesh: hitbox.Mesh, weld: Any) -> list[Any]:
    found, report = mesh.clean(weld=weld)
    return [*contents(found), report]


def contents(mesh: hitbox.Mesh) -> list[Any]:
    """Return all data of a mesh."""
    names = [mesh.part_names, mesh.material_names, mesh.unit, mesh.up, mesh.name]
    return [mesh.vertices, mesh.indices, mesh.offsets, mesh.part, mesh.material, *names]


def on_reading(record: Recorder) -> None:
    """Write the mesh in several formats and read it again."""
    for suffix, write in (("obj", obj_text), ("off", off_text), ("stl", stl_text)):
        path = Path(f"read.{suffix}")
        path.write_text(write(record.mesh))
        record.add(f"load {suffix}", lambda path=path: contents(hitbox.load(path)))
    pair = record.mesh.vertices, record.mesh.triangles
    record.add("Mesh.of a pair", lambda: contents(hitbox.Mesh.of(pair)))


def polygons(mesh: hitbox.Mesh) -> Iterator[list[int]]:
    for low, high in zip(mesh.offsets[:-1], mesh.offsets[1:], strict=True):
        yield mesh.indices[low:high].tolist()


def obj_text(mesh: hitbox.Mesh) -> str:
    """Return an OBJ with a group per part and a material per face, if the mesh has them."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    for k, face in enumerate(polygons(mesh)):
        if mesh.part is not None:
            lines.append(f"o {mesh.part_names[mesh.part[k]]}")
        if mesh.material is not None:
            lines.append(f"usemtl {mesh.material_names[mesh.material[k]]}")
        lines.append("f " + " ".join(str(v + 1) for v in face))
    return "\n".join(lines) + "\n"


def off_text(mesh: hitbox.Mesh) -> str:
    lines = ["OFF", f"{len(mesh.vertices)} {mesh.face_count} 0"]
    lines += [f"{x!r} {y!r} {z!r}" for x, y, z in mesh.vertices.tolist()]
    return "\n".join([*lines, *(f"{len(f)} " + " ".join(map(str, f)) for f in polygons(mesh))]) + "\n"


def stl_text(mesh: hitbox.Mesh) -> str:
    lines = ["solid mesh"]
    for corners in mesh.vertices[mesh.triangles].tolist():
        lines += ["facet normal 0 0 0", "outer loop"]
        lines += [f"vertex {x!r} {y!r} {z!r}" for x, y, z in corners]
        lines += ["endloop", "endfacet"]
    return "\n".join([*lines, "endsolid mesh"]) + "\n"


def on_fit(record: Recorder) -> dict[str, hitbox.Collider]:
    """Try all options of fit. Return some of the colliders for other verbs."""
    mesh = record.mesh
    made: dict[str, hitbox.Collider] = {}

    def fit(what: str, count: int | None = None, **options: Any) -> None:
        found = record.add(f"fit {what}", lambda: hitbox.fit(mesh, count, threads=1, **options))
        if found is not None:
            made[what] = found

    fit("8", 8)
    known = hitbox.FitOptions.__dataclass_fields__
    most = "max_vertices" if "max_vertices" in known else "hull_vertices"  # its name in older builds
    fit("12 with hulls", 12, kinds=("box", "hull"), preset="fast", **{most: 12})
    fit("spheres 12", 12, kinds="sphere")
    fit("fast 24", 24, preset="fast")
    fit("within 5%", tolerance="5%", preset="fast")
    if not record.quick:
        fit("1", 1)
        fit("spheres 12, balanced", 12, kinds="sphere", spheres="balanced")
    if mesh.part is not None or mesh.material is not None:
        fit("8, parts apart", 8, parts="separate", preset="fast")
        fit("8, materials apart", 8, materials="separate", preset="fast")
    for what, options in rare_fits(mesh).items():
        if record.now():
            fit(what, **options)
    on_levels(record)
    return made


def rare_fits(mesh: hitbox.Mesh) -> dict[str, dict[str, Any]]:
    """Try options that only some of the meshes get."""
    top = mesh.vertices[mesh.indices].max(axis=0)
    clear = [(*top, 0.2 * mesh.diagonal), (*(top - 0.1 * mesh.diagonal), 0.05 * mesh.diagonal)]
    return {
        "32": {"count": 32},
        "16, fine": {"count": 16, "preset": "fine"},
        "by default": {},
        "within 2% and 20": {"count": 20, "tolerance": "2%"},
        "surface": {"count": 12, "objective": "surface"},
        "grown": {"count": 12, "cost": "grown"},
        "volume": {"count": 12, "cost": "volume"},
        "joint": {"count": 6, "cost": "joint"},
        "uniform": {"count": 12, "weights": "uniform"},
        "organic": {"count": 12, "weights": "organic"},
        "weights": {"count": 12, "weights": {"box": 2.0, "capsule": 0.5}},
        "unity": {"count": 12, "profile": "unity"},
        "mujoco": {"count": 12, "profile": "mujoco"},
        "physx": {"count": 12, "profile": "physx"},
        "boxes and capsules": {"count": 12, "kinds": ["box", "capsule"]},
        "prisms": {"count": 6, "kinds": "prism"},
        "max_excess": {"count": 4, "max_excess": 0.01},
        "importance": {"count": 12, "importance": "+z"},
        "keep_clear": {"count": 12, "keep_clear": clear},
        "pad": {"count": 8, "pad": "1%"},
        "pad inward": {"count": 8, "pad": "-0.5%"},
        "tangent on": {"count": 8, "tangent": "on"},
        "tangent off": {"count": 8, "tangent": "off"},
        "weld off": {"count": 8, "weld": "off"},
        "weld 1%": {"count": 8, "weld": "1%"},
        "drop_thin": {"count": 16, "drop_thin": "2%"},
        "hulls of 8": {"count": 6, "kinds": ["hull", "box"], "max_vertices": 8},
        "spheres by default": {"kinds": "sphere"},
        "spheres padded": {"count": 6, "kinds": "sphere", "pad": "1%"},
        "spheres kept clear": {"count": 8, "kinds": "sphere", "keep_clear": clear},
    }


def on_levels(record: Recorder) -> None:
    tree = None

    def grown() -> Any:
        nonlocal tree
        tree = hitbox.fit_tree(record.mesh, 32, threads=1, preset="fast")
        return tree.finest

    record.add("fit_tree", grown)
    if tree is None:
        return
    for count in (1, 5, 32):
        record.add(f"fit_tree at {count}", lambda count=count: tree.at(count))
        record.add(f"fit_tree clusters {count}", lambda count=count: tree.clusters(count))
    record.add("fit_tree within 5%", lambda: tree.within("5%"))
    record.add("fit_tree clusters within 5%", lambda: tree.clusters(within="5%"))


def on_carve(record: Recorder) -> dict[str, hitbox.Collider]:
    """Compute the space and its colliders. Lengths are absolute, so that they mean the same in every
    build.
    """
    mesh, side = record.mesh, longest_side(record.mesh)
    radius, tolerance = 0.1 * side, 0.05 * side
    made: dict[str, hitbox.Collider] = {}
    spaces: dict[str, hitbox.NavigableSpace] = {}

    def space(what: str, **options: Any) -> None:
        def make() -> Any:
            found = hitbox.navigable_space(mesh, radius, tolerance, threads=1, **options)
            spaces[what] = found
            return [found.spheres, found.radius, found.tolerance, found.step]

        record.add(f"space {what}", make)

    def carve(what: str, **options: Any) -> None:
        call = partial(hitbox.carve, mesh, radius, tolerance, threads=1, **options)
        found = record.add(f"carve {what}", call)
        if found is not None:
            made[what] = found

    space("plain")
    carve("plain")
    carve("2", count=2)
    for what, options in rare_spaces(mesh, radius).items():
        if record.now():
            space(what, **options)
            carve(what, **options)
    for what, options in RARE_CARVES.items():
        if record.now():
            carve(what, **options)
    if record.now():
        record.add("carve in percent", lambda: hitbox.carve(mesh, "12%", "6%", threads=1))
        record.add("space in percent", lambda: hitbox.navigable_space(mesh, "12%", "6%", threads=1).spheres)
    if "plain" in spaces:
        on_space(record, spaces["plain"], made)
    return made


RARE_CARVES: dict[str, dict[str, Any]] = {
    "12 vertices": {"max_vertices": 12},
    "effort": {"effort": 0.5, "seed": 3},
    "hulls only": {"hulls_only": True},
    "8 edges": {"concave_edges": 8},
    "6 of 16 vertices": {"count": 6, "max_vertices": 16},
}


def rare_spaces(mesh: hitbox.Mesh, radius: float) -> dict[str, dict[str, Any]]:
    low, high = corners_of(mesh)
    pole = hitbox.Capsule(tuple(low.tolist()), tuple(high.tolist()), radius)
    return {
        "on a floor": {"blockers": [hitbox.HalfSpace((0.0, 0.0, 1.0), float(low[2]))]},
        "sealed": {"sealed": True},
        "middle kept": {"clear_points": [tuple(((low + high) / 2).tolist())]},
        "floor tolerance": {"floor_tolerance": 0.2 * radius},
        "around a pole": {"blockers": [pole]},
        "by a function": {"blockers": [lambda points: points[:, 0] - float(high[0]) - radius]},
    }


def on_space(record: Recorder, space: hitbox.NavigableSpace, made: Mapping[str, hitbox.Collider]) -> None:
    """Use a space: save and load it, give it to fit and merge, and measure overlaps."""
    path = Path("space.json")
    record.add("space | saved", lambda: [space.save(path), json.loads(path.read_bytes())])
    record.add("space | loaded", lambda: hitbox.NavigableSpace.load(path).spheres)
    asked = {f"carve {what}": collider for what, collider in made.items()}
    if not record.quick:
        asked["a box"] = around(record.mesh)
        options: dict[str, Any] = {"keep_clear": space, "preset": "fast", "threads": 1}
        kept = record.add("space | fit", lambda: hitbox.fit(record.mesh, 8, **options))
        if kept is not None:
            asked["fit"] = kept
    for what, collider in asked.items():
        record.add(f"space | overlap of {what}", partial(space.overlap, collider, threads=1))
        if len(collider) > 1 and record.now():
            record.add(f"space | merge of {what}", partial(hitbox.merge, collider, space=space, threads=1))


def around(mesh: hitbox.Mesh) -> hitbox.Collider:
    low, high = corners_of(mesh)
    half = np.maximum((high - low) / 2, 1e-3 * mesh.diagonal)
    return hitbox.Collider([hitbox.Box(tuple((low + high) / 2), (0.0, 0.0, 0.0, 1.0), tuple(half))])


def on_merge(record: Recorder, made: Mapping[str, hitbox.Collider]) -> None:
    side = longest_side(record.mesh)
    variants: dict[str, dict[str, Any]] = {
        "plain": {"tolerance": 0.03 * side},
        "3": {"count": 3},
        "far": {"tolerance": 0.02 * side, "distance": 0.2 * side},
        "hulls only": {"tolerance": 0.05 * side, "hulls_only": True},
        "2 of 16 vertices": {"count": 2, "max_vertices": 16},
    }
    for what in ("fit fast 24", "fit 12 with hulls", "carve plain"):
        for said, options in variants.items():
            if what in made and (said in ("plain", "3") or record.now()):
                call = partial(hitbox.merge, made[what], threads=1, **options)
                record.add(f"merge {said} of {what}", call)
    if record.now() and "fit 8" in made:
        record.add("merge in percent", lambda: hitbox.merge(made["fit 8"], tolerance="3%", threads=1))


def on_measures(record: Recorder, made: Mapping[str, hitbox.Collider]) -> None:
    for what in CHOSEN:
        if what not in made:
            continue
        record.add(f"evaluate | {what}", partial(measured, record.mesh, made[what]))
        record.add(f"geometry | {what}", partial(geometry, record.mesh, made[what]))
        for profile in PROFILES:
            record.add(f"check {profile} | {what}", partial(checked, made[what], profile))
    if "fit 8" in made and record.now():
        record.add("evaluate, certified", partial(measured, record.mesh, made["fit 8"], certify=True))


def measured(mesh: hitbox.Mesh, collider: hitbox.Collider, **options: Any) -> dict[str, Any]:
    return hitbox.evaluate(mesh, collider, samples=SAMPLES, threads=1, **options).to_dict()


def checked(collider: hitbox.Collider, profile: str) -> list[Any]:
    report = hitbox.check(collider, profile)
    return [report.profile, report.fits, [(fault.shape, fault.name, fault.kind) for fault in report.faults]]


def geometry(mesh: hitbox.Mesh, collider: hitbox.Collider) -> list[Any]:
    """Compute the properties and transformations of a collider."""
    random = np.random.default_rng(0)
    points = collider.bounds[0] + random.random((500, 3)) * (collider.bounds[1] - collider.bounds[0])
    moved = collider.transformed((0.5, 0.5, 0.5, 0.5), (1.0, 2.0, 3.0), 2.0)
    padded = collider.padded(0.02 * mesh.diagonal)
    hulls = collider.to_hulls(12)
    return [
        collider.counts, collider.nbytes, collider.volume, collider.area, collider.bounds,
        collider.signed_distance(points), collider.contains(points, 0.01 * mesh.diagonal),
        [s.params for s in moved], [s.params for s in padded], hulls,
        [s.params for s in hitbox.Collider.of(hulls)],
    ]  # fmt: skip


def on_files(record: Recorder, made: Mapping[str, hitbox.Collider]) -> None:
    """Write every format, static and as a dynamic body with its mesh, and read it again."""
    moving = {"dynamic": True, "mesh": record.mesh, "density": 300.0}
    for what in CHOSEN:
        if what not in made:
            continue
        for name in FORMATS:
            for said, options in (("", {}), (", dynamic", moving)):
                if what == "fit 8" or record.now():
                    on_file(record, f"save {name}{said} | {what}", made[what], name, options)
        record.add(f"save json with faces | {what}", partial(json_with_faces, made[what]))


def json_with_faces(collider: hitbox.Collider) -> Any:
    collider.save("faces.json", faces=True)
    return json.loads(Path("faces.json").read_bytes())


def on_file(
    record: Recorder, what: str, collider: hitbox.Collider, form: str, options: Mapping[str, Any]
) -> None:
    with inside(tempfile.TemporaryDirectory(dir=".")):
        path, name = Path(f"made{FORMATS[form]}"), form.split(",")[0]
        record.add(f"{what} | report", partial(saved, collider, path, name, options))
        for file, data in files_below(Path()).items():
            record.add(f"{what} | {file}", partial(plain, data))
        if not path.exists():
            return
        for reader in (hitbox.Collider.of, hitbox.Collider.load):
            record.add(f"{what} | Collider.{reader.__name__}", partial(shapes_in, reader, path))
        if options:
            record.add(f"{what} | load", lambda: contents(hitbox.load(path)))


def saved(collider: hitbox.Collider, path: Path, name: str, options: Mapping[str, Any]) -> list[Any]:
    report = collider.save(path, format=name, **options)
    replaced = [(one.shape, one.name, one.kind) for one in report.replaced]
    return [report.format, list(report.files), replaced]


def shapes_in(read: Callable[[Path], hitbox.Collider], path: Path) -> list[Any]:
    return [(shape.kind, shape.params) for shape in read(path)]


@contextlib.contextmanager
def inside(folder: tempfile.TemporaryDirectory[str]) -> Iterator[None]:
    """Make the folder the working directory, so that no random path gets into a file."""
    before = Path.cwd()
    with folder as at:
        os.chdir(at)
        try:
            yield
        finally:
            os.chdir(before)


def files_below(folder: Path) -> dict[str, Any]:
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.as_posix(): without_prose(path.name, path.read_bytes()) for path in files}


# ---------------------------------------------------------------- The shell, robots, scenes, pictures


def shell(*arguments: object) -> list[Any]:
    """Return exit code and standard output of `python -m hitbox`, run in this process."""
    printed, before = io.StringIO(), sys.argv
    sys.argv = ["hitbox", *map(str, arguments)]
    code: Any = 0
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(io.StringIO()):
            runpy.run_module("hitbox", run_name="__main__")
    except SystemExit as ended:
        code = ended.code or 0
    finally:
        sys.argv = before
    return [code, json.loads(printed.getvalue()) if code in (0, 1) and printed.getvalue() else None]


def on_shell(record: Recorder) -> None:
    side = longest_side(record.mesh)
    lengths = ["--radius", 0.1 * side, "--tolerance", 0.05 * side]
    commands: dict[str, list[Any]] = {
        "info": ["info", "in.obj"],
        "fit": ["fit", "in.obj", "-n", 6, "--preset", "fast", "-o", "fit.json", "-o", "fit.urdf"],
        "carve": ["carve", "in.obj", *lengths, "-o", "carve.json", "--space-out", "space.json"],
        "merge": ["merge", "fit.json", "carve.json", "-n", 3, "-o", "merged.glb"],
        "evaluate": ["evaluate", "in.obj", "fit.json", "carve.json", "--samples", 5000],
        "check": ["check", "carve.json", "--profile", "physx", "--profile", "unity"],
        "convert": ["convert", "fit.json", "-o", "made.xml", "--dynamic", "--with-mesh", "in.obj"],
        "fit, wrong": ["fit", "in.obj", "--kinds", "cube"],
    }
    if record.now():
        commands["fit, levels"] = ["fit", "in.obj", "--lods", "2,9", "--kinds", "box", "-o", "l_{count}.json"]
    if record.now():
        commands["batch"] = ["batch", ".", "-n", 4, "--no-pictures", "--workers", 1, "-o", "made"]
    with inside(tempfile.TemporaryDirectory(dir=".")):
        Path("in.obj").write_text(obj_text(record.mesh))
        for what, command in commands.items():
            record.add(f"shell {what}", partial(shell, *command, "--json"))
        for file, data in files_below(Path()).items():
            if not file.startswith("made/") or file.endswith(".collider.json"):
                record.add(f"shell | {file}", partial(plain, data))


URDF = """<?xml version="1.0"?>
<robot name="arm">
  <!-- kept -->
  <link name="base"><visual><geometry><mesh filename="one.obj"/></geometry></visual></link>
  <link name="arm"><visual><origin xyz="0 0.1 {side}" rpy="0.3 0 1"/><geometry><mesh filename="two.obj"
    scale="1 -1 0.5"/></geometry></visual></link>
  <link name="hand"><visual><geometry><mesh filename="one.obj" scale=".5 .5 .5"/></geometry></visual></link>
  <joint name="a" type="revolute"><parent link="base"/><child link="arm"/><origin xyz="0 0 {side}"/>
    <axis xyz="0 1 0"/><limit lower="-1" upper="1.5" effort="1" velocity="1"/></joint>
  <joint name="b" type="prismatic"><parent link="arm"/><child link="hand"/><origin xyz="{side} 0 0"/>
    <axis xyz="1 0 0"/><limit lower="0" upper="1" effort="1" velocity="1"/></joint>
</robot>
"""
MJCF = """<mujoco model="arm">
  <compiler angle="degree"/> <!-- kept -->
  <asset><mesh file="one.obj"/><mesh name="two" file="two.obj" scale="1 -1 0.5"/></asset>
  <worldbody>
    <geom name="floor" type="plane" size="5 5 .1"/>
    <body name="base" pos="0 0 1"><freejoint/><geom type="mesh" mesh="one"/>
      <body name="arm" pos="0 0 {side}" euler="10 20 0"><joint name="a" axis="0 1 0" range="-60 90"/>
        <geom type="mesh" mesh="two"/></body>
    </body>
  </worldbody>
</mujoco>
"""


def on_robot(record: Recorder) -> None:
    other = hitbox.Mesh(*proof_meshes.extruded(proof_meshes.ELL, 0.5))
    side = round(longest_side(record.mesh), 6)
    for name, text, options in (
        ("arm.urdf", URDF, {"count": 8}), ("arm.xml", MJCF, {"count": 8}),
        ("arm.urdf", URDF, {"tolerance": "8%", "kinds": ["box", "hull"]}),
    ):  # fmt: skip
        with inside(tempfile.TemporaryDirectory(dir=".")):
            Path("one.obj").write_text(obj_text(record.mesh))
            Path("two.obj").write_text(obj_text(other))
            Path(name).write_text(text.format(side=side))
            what = f"robot {name}, {next(iter(options))}"
            record.add(what, partial(robot, name, options))
            for file, data in files_below(Path()).items():
                record.add(f"{what} | {file}", partial(plain, data))


def robot(name: str, options: Mapping[str, Any]) -> list[Any]:
    report = hitbox.robot(name, f"made_{name}", threads=1, poses=12, preset="fast", **options)
    links = [(link.name, link.faces, [(s.kind, s.params) for s in link.shapes]) for link in report.links]
    return [report.name, report.format, list(report.files), links, list(report.collisions), report.poses]


def on_scenes(record: Recorder, collider: hitbox.Collider) -> None:
    for scene in ("drop", "maze", "stairs", "pile", "roll", "leak"):
        for engine in ("rapier", "mujoco"):
            if record.now():
                call = partial(simulated, record.mesh, collider, scene, engine)
                record.add(f"simulate {scene} {engine}", call)


def simulated(mesh: hitbox.Mesh, collider: hitbox.Collider, scene: str, engine: str) -> list[Any]:
    runs = simulate_together()(
        {"mesh": mesh, "fit": collider}, reference="mesh", scene=scene, engine=engine, balls=12, frames=40
    )
    return [[run.positions, run.contacts, run.to_dict()] for run in runs.values()]


def on_pages(record: Recorder, collider: hitbox.Collider) -> None:
    """Draw a picture, and compare hitbox alone, on a few meshes."""
    if record.number % 10 == 4:
        record.add("render", partial(picture, record.mesh, collider))
        record.add("compare", partial(comparison, record.mesh))


def picture(mesh: hitbox.Mesh, collider: hitbox.Collider) -> bytes:
    verb("render")(mesh, collider, "made.png", size=(320, 160))
    return Path("made.png").read_bytes()


def comparison(mesh: hitbox.Mesh) -> list[Any]:
    found = verb("compare")(mesh, peers=(), budget="count=6", simulate=False, samples=5000)
    fields = ("method", "shapes", "counts", "bytes", "outer_mean", "outer_hausdorff", "all_mean", "uncovered")
    return [[getattr(row, name) for name in fields] for subject in found.subjects for row in subject.rows]


def on_coacd(record: Recorder) -> None:
    from hitbox.compat import coacd

    if record.now():
        mesh = coacd.Mesh(record.mesh.vertices, record.mesh.triangles)
        record.add("compat.coacd", lambda: coacd.run_coacd(mesh, threshold=0.2))


# ---------------------------------------------------------------- A run


def hashes_of(number: int, name: str, path: Path | None, quick: bool) -> dict[str, str]:
    """Return all hashes of one mesh, generated or read from a file."""
    warnings.simplefilter("ignore")
    mesh = proof_meshes.meshes()[name] if path is None else hitbox.load(path)
    record = Recorder(name, number, mesh, quick)
    with inside(tempfile.TemporaryDirectory()):
        on_mesh(record)
        on_reading(record)
        fitted, carved = on_fit(record), on_carve(record)
        made = {f"fit {k}": v for k, v in fitted.items()} | {f"carve {k}": v for k, v in carved.items()}
        on_merge(record, made)
        on_measures(record, made)
        on_files(record, made)
        on_shell(record)
        if not quick:
            on_coacd(record)
            if "fit 8" in made:
                on_scenes(record, made["fit 8"])
                on_pages(record, made["fit 8"])
        if number % 3 == 0:
            on_robot(record)
    return record.hashes


def files_of_data(count: int) -> dict[str, Path]:
    """Return the smallest files of the data's folder and of `byhand` beside it."""
    folders = (harness.DATA, harness.DATA.parent / "byhand")
    found = [path for folder in folders if folder.is_dir() for path in folder.rglob("*")]
    found = [path for path in found if re.search(r"\.(obj|ply|stl|off|glb)(\.gz)?$", path.name)]
    found.sort(key=lambda path: (path.stat().st_size, path.name))
    return {f"{path.parent.name}/{path.name}": path for path in found[:count]}


def run(given: argparse.Namespace) -> dict[str, str]:
    generated = proof_meshes.meshes()
    names = [name for name in generated if not given.quick or name in QUICK]
    cases: dict[str, Path | None] = dict.fromkeys(names) | files_of_data(given.data)
    hashes: dict[str, str] = {}
    with ProcessPoolExecutor(given.jobs) as pool:
        jobs = {
            name: pool.submit(hashes_of, k, name, path, given.quick)
            for k, (name, path) in enumerate(cases.items())
            if not given.only or name in given.only
        }
        for name, job in jobs.items():
            hashes |= job.result()
            print(f"{name}: {len(hashes):,} hashes", file=sys.stderr, flush=True)
    return hashes


def differences(before: Mapping[str, str], after: Mapping[str, str]) -> dict[str, str]:
    """Return a description of each key that differs between both files."""
    found = {}
    for key in [*before, *(key for key in after if key not in before)]:
        if before.get(key) != after.get(key):
            found[key] = "missing" if key not in after else "new" if key not in before else "differs"
    return found


def compared(before: Path, after: Path, expected: Path) -> int:
    """Print differences, and return 1 if one of them is not expected."""
    pair = [json.loads(path.read_text())["hashes"] for path in (before, after)]
    names = [{key.split(" | ")[0] for key in hashes} for hashes in pair]
    both = names[0] & names[1]
    if not both:
        print("no mesh is in both files")
        return 1
    if alone := names[0] ^ names[1]:
        print(f"in one file only, so not compared: {', '.join(sorted(alone))}")
    pair = [{k: v for k, v in hashes.items() if k.split(" | ")[0] in both} for hashes in pair]
    reasons: dict[str, str] = json.loads(expected.read_text()) if expected.exists() else {}
    found = differences(*pair)
    meant = {key: next((p for p in reasons if fnmatch.fnmatchcase(key, p)), None) for key in found}
    for key, what in found.items():
        if meant[key] is None:
            print(f"{what}: {key}")
    for pattern, reason in reasons.items():
        count = sum(other == pattern for other in meant.values())
        if count:
            print(f"expected: {count:,} of {pattern!r}: {reason}")
    wrong = sum(pattern is None for pattern in meant.values())
    print(f"{len(set(pair[0]) & set(pair[1])):,} keys in both; {wrong:,} differences that are not expected")
    return 1 if wrong else 0


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("compare", nargs="*", help="compare A.json B.json")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--data", type=int, default=0, metavar="N", help="meshes from files")
    parser.add_argument("--only", nargs="*", default=[], metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2, help="meshes at a time")
    parser.add_argument("--expected", type=Path, default=EXPECTED)
    given = parser.parse_args()
    if given.compare:
        if len(given.compare) != 3 or given.compare[0] != "compare":
            parser.error("give: compare A.json B.json")
        return compared(Path(given.compare[1]), Path(given.compare[2]), given.expected)
    clock = harness.Clock()
    hashes = run(given)
    text = json.dumps({"hitbox": harness.installed("hitbox"), "hashes": hashes}, indent=0) + "\n"
    if given.out:
        given.out.write_text(text)
    spent = clock.read()["wall"]
    cpu = harness.children_seconds()
    print(f"{len(hashes):,} hashes in {spent:.0f} s, {cpu:.0f} s CPU; all in one: {digest(hashes)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
