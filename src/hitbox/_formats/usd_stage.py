"""The one door for USD files: a stage whose layers lie in its folder, and whose prims are not too many.

USD composes all prims of a stage when it is opened, references to references too: a file of a kilobyte may
say ten million of them. So they are counted in the layers first.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from typing import Any

from hitbox._base.errors import InputError
from hitbox._formats.mesh_builder import inside_folder

MOST_PRIMS = 100_000


def opened(path: str, where: str) -> Any:
    """The stage in a file; `where` names it in messages."""
    from pxr import Tf, Usd, UsdUtils

    # While it is there USD's own complaints go to it instead of stderr.
    complaints = UsdUtils.CoalescingDiagnosticDelegate()
    try:
        folder = os.path.dirname(os.path.abspath(path))
        _check_layers(path, folder, where)
        _check_count(path, where)
        stage = Usd.Stage.Open(os.path.abspath(path))
        for layer in stage.GetUsedLayers():
            if layer.realPath:
                _check_inside(layer.realPath, folder, where)
    except Tf.ErrorException as error:
        raise unreadable(where, error) from None
    except RecursionError:
        raise InputError(f"{where}: its prims are nested too deeply.") from None
    finally:
        del complaints
    return stage


class Visited:
    """Prims as they are met, prototypes once for each instance."""

    def __init__(self, where: str) -> None:
        self._where, self._count = where, 0

    def add(self) -> None:
        self._count += 1
        if self._count > MOST_PRIMS:
            raise too_many(self._where)


def too_many(where: str) -> InputError:
    what = f"has more than {MOST_PRIMS:,} prims, instances counted"
    return InputError(f"{where}: {what}. Give its parts one by one.")


def unreadable(where: str, error: Exception) -> InputError:
    """With the first of USD's complaints, without folders and the places in its own source."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    said = lines[0].partition(" : ")[2].strip(" '") if lines else ""
    reason = re.sub(r"\S*/(?=[^/\s]+:\d)", "", " ".join(said.split()))[-160:] or "no reason given"
    return InputError(f"{where}: USD cannot read it ({reason}). Export it again.")


def _check_layers(path: str, folder: str, where: str) -> None:
    """Before anything is composed: every layer that others bring in exists and lies in the folder."""
    from pxr import Ar, Sdf

    waiting, seen = [os.path.abspath(path)], set()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        layer = Sdf.Layer.FindOrOpen(name)
        if layer is None:
            raise InputError(f"{where}: {os.path.basename(name)} is not a USD layer. Export it again.")
        for asset in filter(None, layer.GetCompositionAssetDependencies()):  # "" is the layer itself
            anchored = Sdf.ComputeAssetPathRelativeToLayer(layer, asset)
            resolved = str(Ar.GetResolver().Resolve(anchored))
            if not resolved:
                raise InputError(f"{where}: {asset!r:.80}, which it needs, is not there. Put it beside it.")
            _check_inside(resolved, folder, where)
            waiting.append(anchored)
        _check_no_clips(layer, where)


def _check_no_clips(layer: Any, where: str) -> None:
    """Value clips name files that no list of dependencies has, and a collider needs none."""

    def look(path: Any) -> None:
        spec = layer.GetObjectAtPath(path)
        if path.IsPrimPath() and spec is not None and spec.HasInfo("clips"):
            raise InputError(f"{where}: {path} has value clips, which are not read. Export one moment of it.")

    layer.Traverse("/", look)


def _check_inside(path: str, folder: str, where: str) -> None:
    from pxr import Ar

    outer = Ar.SplitPackageRelativePathOuter(path)[0]
    if not inside_folder(outer, folder):
        name = os.path.basename(outer)
        hint = "Put what it refers to beside it, or allow a folder: HITBOX_ASSET_ROOT"
        raise InputError(f"{where}: {name} lies outside its folder. {hint}.")


def _check_count(path: str, where: str) -> None:
    from pxr import Sdf

    if _PrimCount().of_layer(Sdf.Layer.FindOrOpen(os.path.abspath(path))) > MOST_PRIMS:
        raise too_many(where)


class _PrimCount:
    """How many prims layers compose to, at most: each with all that it refers to."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], int] = {}

    def of_layer(self, layer: Any) -> int:
        return sum(self._below(each, each.pseudoRoot) for each in _stack(layer))

    def _below(self, layer: Any, spec: Any) -> int:
        key = layer.identifier, str(spec.path)
        if key not in self._known:
            self._known[key] = 0  # one that refers to itself is refused by USD
            below = sum(self._below(*each) for each in _parts(layer, spec))
            self._known[key] = 1 + below + sum(self._largest(layer, each) for each in _variant_sets(spec))
        return self._known[key]

    def _largest(self, layer: Any, variants: Any) -> int:
        """One variant of a set is chosen."""
        return max((self._below(layer, each.primSpec) for each in variants.variants), default=0)


def _parts(layer: Any, spec: Any) -> Iterator[tuple[Any, Any]]:
    """What lies below a prim: its own children, and those of what it refers to."""
    for child in spec.nameChildren:
        yield layer, child
    if spec.path.IsAbsoluteRootPath():
        return
    for arcs in (spec.referenceList, spec.payloadList):
        for arc in arcs.GetAddedOrExplicitItems():
            target = _brought_in(layer, arc.assetPath) if arc.assetPath else layer
            yield from _prim_of(target, arc.primPath)
    for paths in (spec.inheritPathList, spec.specializesList):
        for path in paths.GetAddedOrExplicitItems():
            yield from _prim_of(layer, path)


def _stack(layer: Any) -> list[Any]:
    """A layer and all that lie below it: what they say counts as one."""
    found, waiting = {}, [layer]
    while waiting:
        each = waiting.pop()
        if each is not None and each.identifier not in found:
            found[each.identifier] = each
            waiting += [_brought_in(each, asset) for asset in each.subLayerPaths]
    return list(found.values())


def _variant_sets(spec: Any) -> list[Any]:
    return [] if spec.path.IsAbsoluteRootPath() else list(spec.variantSets)


def _brought_in(layer: Any, asset: str) -> Any:
    from pxr import Sdf

    return Sdf.Layer.FindOrOpen(Sdf.ComputeAssetPathRelativeToLayer(layer, asset))


def _prim_of(layer: Any, path: Any) -> Iterator[tuple[Any, Any]]:
    """What a layer and those below it say of a prim, of its default one where no path is given."""
    if layer is None:
        return
    named = str(path) if path else f"/{layer.defaultPrim}" if layer.defaultPrim else "/"
    for each in _stack(layer):
        spec = each.GetPrimAtPath(named) if named != "/" else each.pseudoRoot
        if spec:
            yield each, spec
