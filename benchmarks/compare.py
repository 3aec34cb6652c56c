"""Compare `hitbox.fit` with its peers: every claim with its goal, and one row per mesh.

    python benchmarks/compare.py [--answered] [--frames] [--only NAME...] [--store DIR] [--pictures DIR]

Distances are fractions of the diagonal of the mesh's bounding box. CPU seconds are those of all threads, of
the method alone, without the search for the count that fits a budget.

The meshes are those of HITBOX_BENCH_DATA (see harness.py). The store (out/compare) keeps the peers' answers,
the measures and the results of this build of hitbox, so a second run computes only new results. `--answered`
starts no peer and uses the answers in the store. `--frames` adds the drop scene, 5 to 20 s per mesh.
`--pictures` draws the ten worst results. compare_reasons.json has, written by hand, the reason for each lost
mesh. Only a run over all meshes is kept in results/compare.md.
"""

from __future__ import annotations

import argparse
import io
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from fractions import Fraction
from pathlib import Path

import duels
import harness
import numpy as np
from duels import THIRD, Bench, Duel, Figures, Found, Race, Settings, Tube

import hitbox
from hitbox._compare.peers import PEERS

STORE = Path(__file__).parents[1] / "out" / "compare"
REASONS = Path(__file__).with_name("compare_reasons.json")
PACKAGES = ("hitbox", "coacd", "vhacdx", "rapier3d")
DRAWN = 10  # pictures

MEASURES = {
    "outer_mean": "outer mean",
    "outer_hausdorff": "outer Hausdorff",
    "all_mean": "all mean",
    "all_hausdorff": "all Hausdorff",
}
# The number of meshes on which hitbox should have the lower value.
LOWER_GOALS = {
    ("coacd", THIRD): {
        "outer_mean": 0.95, "outer_hausdorff": 0.90, "all_mean": 0.90, "all_hausdorff": 0.85,
    },
    ("coacd", duels.TENTH): {"outer_mean": 0.75, "outer_hausdorff": 0.60},
    ("vhacd", THIRD): {"outer_mean": 0.97, "outer_hausdorff": 0.95},
}  # fmt: skip
SPEED_GOALS = {"coacd": 30.0, "vhacd": 10.0}
VOLUME_GOALS = 0.5, 0.95  # median ratio, share of meshes
PRESET_GOAL = 0.85
FRAMES_GOAL = 0.90


# ---------------------------------------------------------------- Summary

Line = tuple[str, str, str, str, str]
SUMMARY_HEAD = ("claim", "found", "goal", "reached", "judged")


def share_of(share: Fraction, peer: str) -> str:
    return f"{share} of {PEERS[peer].label}'s bytes"


def lower_line(claim: str, judged: Sequence[bool], goal: float, said: str = "") -> Line:
    part = sum(judged) / len(judged)
    found = f"{sum(judged)} of {len(judged)}, {part:.0%}{said}"
    return claim, found, f"{goal:.0%}", yes(part >= goal), str(len(judged))


def yes(reached: bool) -> str:
    return "yes" if reached else "**no**"


def bytes_lines(all_found: Sequence[Found]) -> Iterator[Line]:
    for (peer, share), goals in LOWER_GOALS.items():
        fought = [found.duels[peer, share] for found in all_found if (peer, share) in found.duels]
        for measure, goal in goals.items():
            judged = [lower for duel in fought if (lower := duel.lower(measure)) is not None]
            ratios = [known for duel in fought if (known := duel.ratio(measure)) is not None]
            if judged and ratios:
                claim = f"{MEASURES[measure]} lower than {PEERS[peer].label}'s at {share_of(share, peer)}"
                said = f"; median ratio {statistics.median(ratios):.2f}"
                yield lower_line(claim, judged, goal, said)


def speed_lines(all_found: Sequence[Found]) -> Iterator[Line]:
    for peer, goal in SPEED_GOALS.items():
        fought = [duel for found in all_found if (duel := found.duels.get((peer, THIRD)))]
        pairs = [(duel.ours, duel.theirs) for duel in fought if duel.ours]
        ratios = [theirs.cpu_seconds / max(ours.cpu_seconds, 1e-6) for ours, theirs in pairs]
        if ratios:
            middle = statistics.median(ratios)
            yield (
                f"{PEERS[peer].label}'s CPU time to hitbox's, at {share_of(THIRD, peer)}",
                f"median {middle:.1f}x, lowest {min(ratios):.1f}x", f"{goal:g}x", yes(middle >= goal),
                str(len(ratios)),
            )  # fmt: skip


def pair_line(claim: str, ratios: Sequence[float], goal: float) -> Line:
    middle = statistics.median(ratios)
    return claim, f"median ratio {middle:.3f}", f"{goal:g}", yes(middle <= goal), str(len(ratios))


def outer_ratios(pairs: Iterable[tuple[Figures, Figures]]) -> list[float]:
    known = (duels.ratio(ours, theirs, "outer_mean") for ours, theirs in pairs)
    return [each for each in known if each is not None]


def volume_lines(all_found: Sequence[Found]) -> Iterator[Line]:
    together: list[float] = []
    goal, share_goal = VOLUME_GOALS
    for count in duels.VOLUME_COUNTS:
        ratios = outer_ratios((f.default[count], f.volume[count]) for f in all_found if count in f.volume)
        together += ratios
        if ratios:
            yield pair_line(f"outer mean to that of Eq. 4 alone, {count} shapes", ratios, goal)
            claim = f"outer mean lower than that of Eq. 4 alone, {count} shapes"
            yield lower_line(claim, [each < 1 for each in ratios], share_goal)
    if together:
        yield pair_line("outer mean to that of Eq. 4 alone, all these counts", together, goal)
        claim = "outer mean lower than that of Eq. 4 alone, all these counts"
        yield lower_line(claim, [each < 1 for each in together], share_goal)


def preset_lines(all_found: Sequence[Found]) -> Iterator[Line]:
    for count in duels.PRESET_COUNTS:
        ratios = outer_ratios((f.fine[count], f.fast[count]) for f in all_found if count in f.fine)
        if ratios:
            yield pair_line(f"outer mean of `fine` to that of `fast`, {count} shapes", ratios, PRESET_GOAL)


def tube_lines(all_tubes: Sequence[Tube]) -> Iterator[Line]:
    for tube in all_tubes:
        for measure, goal in zip(("outer_mean", "outer_hausdorff"), tube.goal or (), strict=False):
            value = getattr(tube.figures, measure)
            made_of = f"{tube.count} capsules and cylinders, {tube.preset}"
            claim = f"{MEASURES[measure]} of a {tube.name}, {made_of}"
            yield claim, f"{value:.5f}", f"below {goal:g}", yes(value < goal), "1"


def frame_lines(all_found: Sequence[Found]) -> Iterator[Line]:
    raced = [found.races for found in all_found if found.races]
    if not raced:
        return
    for peer in raced[0]:
        pairs = [(r[peer].our_ms, r[peer].their_ms) for r in raced]
        ratios = [ours / theirs for ours, theirs in pairs if ours is not None]
        said = f"; median ratio {statistics.median(ratios):.2f}" if ratios else ""
        claim = f"frame time lower than {PEERS[peer].label}'s at equal outer mean"
        yield lower_line(claim, [r[peer].faster for r in raced], FRAMES_GOAL, said)
    both = [all(race.faster for race in races.values()) for races in raced]
    yield lower_line("frame time lower than both at equal outer mean", both, FRAMES_GOAL)


def summary(all_found: Sequence[Found], all_tubes: Sequence[Tube]) -> str:
    lines = [
        *bytes_lines(all_found), *speed_lines(all_found), *volume_lines(all_found), *preset_lines(all_found),
        *tube_lines(all_tubes), *frame_lines(all_found),
    ]  # fmt: skip
    return harness.table(SUMMARY_HEAD, lines)


# ---------------------------------------------------------------- Tables


def cell(value: float | None) -> str:
    return "" if value is None else f"{value:.5f}"


def mark(lower: bool | None) -> str:
    return {True: "W", False: "L", None: "="}[lower]


def marks(duel: Duel) -> str:
    return "".join(mark(duel.lower(measure)) for measure in MEASURES)


def mesh_cells(found: Found) -> list[str]:
    return [found.name, f"{found.faces:,}", "yes" if found.closed else ""]


MESH_HEAD = ["mesh", "faces", "closed"]


def duel_table(all_found: Sequence[Found], peer: str, share: Fraction) -> str:
    label = PEERS[peer].label
    rows = []
    for found in all_found:
        duel = found.duels.get((peer, share))
        if duel is None:
            continue
        ours, theirs = duel.ours, duel.theirs
        pairs = [
            text
            for measure in MEASURES
            for text in (cell(getattr(ours, measure, None)), cell(getattr(theirs, measure)))
        ]
        rows.append([
            *mesh_cells(found), marks(duel), f"{duel.budget:,}", f"{ours.bytes:,}" if ours else "",
            ours.shapes if ours else "none", theirs.shapes, *pairs,
            f"{ours.cpu_seconds:.3f}" if ours else "", f"{theirs.cpu_seconds:.1f}",
        ])  # fmt: skip
    if not rows:
        return ""
    head = [*MESH_HEAD, "W/L", "budget", "bytes", "shapes", f"{label}'s"]
    for title in (*MEASURES.values(), "CPU s"):
        head += [title, f"{label}'s"]
    said = (
        f"{len(rows)} of {len(all_found)} meshes: those on which {label} has answered. W/L is for "
        f"{', '.join(MEASURES.values())} (all: of all surfaces); =: both below {duels.EXACT:g}, or nothing "
        f"of one can be touched from outside. `none`: not even one shape is that small, which counts as lost."
    )
    return f"## At {share_of(share, peer)}\n\n{said}\n\n" + harness.table(head, rows)


def pair_table(
    all_found: Sequence[Found], title: str, names: tuple[str, str], counts: Sequence[int],
    of: Callable[[Found], tuple[dict[int, Figures], dict[int, Figures]]],
) -> str:  # fmt: skip
    """Return the outer means of two ways to fit at equal counts."""
    rows = []
    for found in all_found:
        ours, theirs = of(found)
        if not ours:
            continue
        cells: list[str] = []
        for count in counts:
            pair = ours[count], theirs[count]
            cells += [cell(each.outer_mean) for each in pair]
            cells += ["".join(f"{each:.2f}" for each in outer_ratios([pair]))]
            cells += [f"{each.cpu_seconds:.2f}" for each in pair]
        rows.append([*mesh_cells(found), *cells])
    head = list(MESH_HEAD)
    for count in counts:
        head += [f"{count}: {names[0]}", names[1], "ratio", f"CPU s {names[0]}", names[1]]
    said = f"Outer mean. No ratio: both are below {duels.EXACT:g}."
    return f"## {title}\n\n{said}\n\n{harness.table(head, rows)}" if rows else ""


def tube_table(all_tubes: Sequence[Tube]) -> str:
    rows = [
        [tube.name, f"{tube.faces:,}", tube.preset, tube.count, tube.figures.shapes,
         cell(tube.figures.outer_mean), cell(tube.figures.outer_hausdorff), f"{tube.figures.cpu_seconds:.2f}"]
        for tube in all_tubes
    ]  # fmt: skip
    head = ("tube", "faces", "preset", "count", "shapes", "outer mean", "outer Hausdorff", "CPU s")
    return "## Tubes, with capsules and cylinders\n\n" + harness.table(head, rows) if rows else ""


def race_cells(race: Race) -> list[object]:
    ours = race.ours
    return [
        cell(race.theirs.outer_mean), cell(ours.outer_mean) if ours else "not reached",
        race.theirs.shapes, ours.shapes if ours else "",
        f"{race.their_ms:.3f}", "" if race.our_ms is None else f"{race.our_ms:.3f}",
    ]  # fmt: skip


def race_table(all_found: Sequence[Found]) -> str:
    raced = [found for found in all_found if found.races]
    if not raced:
        return ""
    head = [*MESH_HEAD, "W/L"]
    for peer in raced[0].races:
        head += [f"{PEERS[peer].label}: outer mean", "hitbox's", "shapes", "hitbox's", "ms", "hitbox's"]
    rows = [
        [*mesh_cells(found), "".join(mark(race.faster) for race in found.races.values()),
         *(text for race in found.races.values() for text in race_cells(race))]
        for found in raced
    ]  # fmt: skip
    said = (
        f"The smallest count (up to {duels.MOST_COUNT:,}) whose outer mean is not above the peer's, in "
        f"shapes that the engine has ({duels.ENGINE}). "
        f"{duels.BALLS:,} balls, {duels.FRAMES} frames, Rapier, one thread, all colliders of a mesh frame by "
        f"frame in turns."
    )
    return f"## Frame time at equal outer mean\n\n{said}\n\n" + harness.table(head, rows)


def lost(all_found: Sequence[Found], reasons: Mapping[str, str]) -> str:
    """Return one line per lost mesh and budget, only for measures with a goal."""
    rows = []
    for (peer, share), goals in LOWER_GOALS.items():
        for found in all_found:
            duel = found.duels.get((peer, share))
            measures = [m for m in goals if duel and duel.lower(m) is False]
            if duel is None or not measures:
                continue
            said = [f"{MEASURES[m]} {known:.2f}x" for m in measures if (known := duel.ratio(m)) is not None]
            rows.append([found.name, share_of(share, peer), ", ".join(said) or "no shape is that small",
                         reasons.get(found.name, "")])  # fmt: skip
    for found in all_found:
        slower = [peer for peer, race in found.races.items() if not race.faster]
        if slower:
            labels = " and ".join(PEERS[peer].label for peer in slower)
            why = "; ".join(reasons.get(f"frames: {peer}", "") for peer in slower)
            rows.append([found.name, "equal outer mean", f"frame time against {labels}", why])
    head = ("mesh", "at", "hitbox to the peer", "why")
    return "## Lost\n\n" + harness.table(head, rows) if rows else ""


def report(all_found: Sequence[Found], all_tubes: Sequence[Tube], settings: Settings) -> str:
    reasons = json.loads(REASONS.read_text()) if REASONS.exists() else {}
    said = (
        f"{len(all_found)} meshes, {settings.samples:,} points on each collider, hitbox on "
        f"{settings.threads or 'all'} thread{'' if settings.threads == 1 else 's'}. A claim is about those "
        f"meshes on which the peer has answered and where there is something to judge."
    )
    tables = [
        summary(all_found, all_tubes),
        lost(all_found, reasons),
        *(duel_table(all_found, *budget) for budget in duels.BUDGETS),
        pair_table(all_found, "Against Eq. 4 alone", ("default", "Eq. 4"), duels.VOLUME_COUNTS,
                   lambda f: (f.default, f.volume)),
        pair_table(all_found, "Presets", ("fine", "fast"), duels.PRESET_COUNTS, lambda f: (f.fine, f.fast)),
        tube_table(all_tubes),
        race_table(all_found),
    ]  # fmt: skip
    return "\n\n".join([said, *filter(None, tables)])


# ---------------------------------------------------------------- Pictures


def badness(duel: Duel) -> float:
    """Return the larger of the two ratios on the outer surface."""
    return max(duel.ratio(measure) or 0.0 for measure in ("outer_mean", "outer_hausdorff"))


def draw_worst(all_found: Sequence[Found], paths: Mapping[str, Path], settings: Settings, to: Path) -> None:
    """Draw the mesh, hitbox's collider with a third of the bytes, and the peer's collider side by side."""
    to.mkdir(parents=True, exist_ok=True)
    fought = [
        (badness(duel), found, peer, duel)
        for found in all_found
        for (peer, share), duel in found.duels.items()
        if share == THIRD and duel.ours is not None
    ]
    fought.sort(key=lambda each: -each[0])
    for rank, (worst, found, peer, duel) in enumerate(fought[:DRAWN], 1):
        bench = Bench(hitbox.load(paths[found.name]), settings)
        answer = bench.peer(peer)
        assert answer is not None
        assert duel.ours is not None
        ours = hitbox.fit(bench.mesh, duel.ours.count, threads=settings.threads)
        name = f"{rank:02}_{found.name}_{peer}.png"
        side_by_side(bench.mesh, [ours, answer[0]], to / name)
        print(f"{name}: {worst:.2f}x, {marks(duel)}", file=sys.stderr, flush=True)


def side_by_side(mesh: hitbox.Mesh, colliders: Sequence[hitbox.Collider], path: Path) -> None:
    from PIL import Image  # a dependency of pyvista, which draws

    from hitbox._judges.render import corners, picture

    subjects: list[hitbox.Mesh | hitbox.Collider] = [mesh, *colliders]
    around = np.vstack([corners(subject) for subject in subjects])
    size = (800, 800)
    sheet = Image.new("RGB", (size[0] * len(subjects), size[1]), "white")
    for k, subject in enumerate(subjects):
        image = Image.open(io.BytesIO(picture(subject, around=around, size=size, up=mesh.up)))
        sheet.paste(image, (k * size[0], 0), image)
    sheet.save(path)


# ---------------------------------------------------------------- The run


def examined(paths: Sequence[Path], settings: Settings, jobs: int) -> Iterator[Found]:
    """Yield results in the order of the meshes."""
    if jobs == 1:
        yield from (duels.examine(path, settings) for path in paths)
        return
    with ProcessPoolExecutor(jobs) as pool:
        yield from pool.map(duels.examine, paths, [settings] * len(paths))


def narrated(all_found: Iterable[Found], count: int) -> Iterator[Found]:
    started = time.monotonic()
    for k, found in enumerate(all_found, 1):
        said = [f"{peer} {share} {marks(duel)}" for (peer, share), duel in found.duels.items()]
        said += [f"{peer} frames {mark(race.faster)}" for peer, race in found.races.items()]
        took = time.monotonic() - started
        line = f"{k}/{count} {took:.0f} s {found.name} {found.faces:,}: {', '.join(said)}"
        print(line, file=sys.stderr, flush=True)
        yield found


def main() -> None:
    usual = [part for part in (*duels.PARTS, "tubes") if part != "frames"]
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--store", type=Path, default=STORE)
    parser.add_argument("--only", nargs="+", metavar="NAME", help="meshes, by name")
    parser.add_argument("--parts", default=",".join(usual), help=f"some of {','.join(usual)}")
    parser.add_argument("--frames", action="store_true", help="the drop scene as well")
    parser.add_argument("--answered", action="store_true", help="start no peer")
    parser.add_argument("--samples", type=int, default=100_000, help="points on each collider")
    parser.add_argument("--threads", type=int, default=1, help="of a fit and an evaluation; 0: all cores")
    parser.add_argument("--jobs", type=int, default=1, help="meshes at a time")
    parser.add_argument("--pictures", type=Path, metavar="DIR", help=f"draw the {DRAWN} worst")
    given = parser.parse_args()
    asked = [part for part in given.parts.split(",") if part]
    if unknown := set(asked) - {*usual}:
        parser.error(f"--parts: {', '.join(sorted(unknown))}: give some of {','.join(usual)}")
    paths = {harness.name_of(path): path for path in harness.meshes_of_the_set()}
    chosen = [paths[name] for name in paths if given.only is None or name in given.only]
    if unknown := {*(given.only or ())} - paths.keys():
        parser.error(f"--only: {', '.join(sorted(unknown))}: not in {harness.DATA}")
    parts = tuple(part for part in duels.PARTS if part in asked or (part == "frames" and given.frames))
    settings = Settings(given.store, parts, given.answered, given.samples, given.threads)
    all_found = list(narrated(examined(chosen, settings, given.jobs), len(chosen)))
    all_tubes = list(duels.tubes(settings)) if "tubes" in asked else []
    harness.publish(
        "compare", "hitbox against its peers", report(all_found, all_tubes, settings), PACKAGES,
        judges=("fit", "evaluate", "simulate"), whole=given.only is None,
        arguments=[
            *(flag for flag in ("--answered", "--frames") if flag in sys.argv),
            *([] if asked == usual else ["--parts", given.parts]),
            *(["--samples", str(given.samples)] if given.samples != parser.get_default("samples") else []),
        ],
    )  # fmt: skip
    if given.pictures:
        draw_worst(all_found, paths, settings, given.pictures)


if __name__ == "__main__":
    main()
