"""The only way to open USD files: every layer lies in the file's folder, and the number of prims is limited.

USD composes all prims of a stage when it opens it, including references of references: a file of a kilobyte
can describe ten million prims. So the prims are counted in the layers before USD composes them.
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
    """Open the stage in a file; `where` names the file in messages."""
    from pxr import Tf, Usd, UsdUtils

    # While this object lives, it receives USD's own diagnostics instead of stderr.
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
    """Counts prims as they are visited; a prototype counts once per instance."""

    def __init__(self, where: str) -> None:
        self._where, self._count = where, 0

    def add(self) -> None:
        self._count += 1
        if self._count > MOST_PRIMS:
            raise too_many(self._where)


def too_many(where: str) -> InputError:
    what = f"has more than {MOST_PRIMS:,} prims, counting instances"
    return InputError(f"{where}: {what}. Split it into smaller files.")


def unreadable(where: str, error: Exception) -> InputError:
    """Return an error with USD's first diagnostic, without folders and positions in USD's source."""
    lines = [line for line in str(error).splitlines() if line.strip()]
    diagnostic = lines[0].partition(" : ")[2].strip(" '") if lines else ""
    reason = re.sub(r"\S*/(?=[^/\s]+:\d)", "", " ".join(diagnostic.split()))[-160:] or "no reason given"
    return InputError(f"{where}: USD cannot read it ({reason}). Export it again.")


def _check_layers(path: str, folder: str, where: str) -> None:
    """Check, before USD composes anything, that every referenced layer exists and lies in the folder."""
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
        for asset in filter(None, layer.GetCompositionAssetDependencies()):  # "" means the layer itself
            anchored = Sdf.ComputeAssetPathRelativeToLayer(layer, asset)
            resolved = str(Ar.GetResolver().Resolve(anchored))
            if not resolved:
                what = f"{where}: it needs {asset!r:.80}, which does not exist"
                raise InputError(f"{what}. Put that file beside it.")
            _check_inside(resolved, folder, where)
            waiting.append(anchored)
        _check_no_clips(layer, where)


def _check_no_clips(layer: Any, where: str) -> None:
    """Refuse value clips: they name files that no dependency list contains, and a collider needs none."""

    def look(path: Any) -> None:
        spec = layer.GetObjectAtPath(path)
        if path.IsPrimPath() and spec is not None and spec.HasInfo("clips"):
            raise InputError(f"{where}: {path} has value clips, which are unsupported. Export one frame.")

    layer.Traverse("/", look)


def _check_inside(path: str, folder: str, where: str) -> None:
    from pxr import Ar

    outer = Ar.SplitPackageRelativePathOuter(path)[0]
    if not inside_folder(outer, folder):
        name = os.path.basename(outer)
        hint = "Put the files it references beside it, or allow a folder: HITBOX_ASSET_ROOT"
        raise InputError(f"{where}: {name} lies outside its folder. {hint}.")


def _check_count(path: str, where: str) -> None:
    from pxr import Sdf

    if _PrimCount().of_layer(Sdf.Layer.FindOrOpen(os.path.abspath(path))) > MOST_PRIMS:
        raise too_many(where)


class _PrimCount:
    """An upper bound of the number of prims that layers compose to, references included."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], int] = {}

    def of_layer(self, layer: Any) -> int:
        return sum(self._below(each, each.pseudoRoot) for each in _stack(layer))

    def _below(self, layer: Any, spec: Any) -> int:
        key = layer.identifier, str(spec.path)
        if key not in self._known:
            self._known[key] = 0  # USD refuses a prim that references itself
            below = sum(self._below(*each) for each in _parts(layer, spec))
            self._known[key] = 1 + below + sum(self._largest(layer, each) for each in _variant_sets(spec))
        return self._known[key]

    def _largest(self, layer: Any, variants: Any) -> int:
        """Return the largest variant's count: a set selects one variant."""
        return max((self._below(layer, each.primSpec) for each in variants.variants), default=0)


def _parts(layer: Any, spec: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the specs below a prim: its own children, and those of its references."""
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
    """Return a layer and all its sublayers: together they describe one scene."""
    layers, waiting = {}, [layer]
    while waiting:
        each = waiting.pop()
        if each is not None and each.identifier not in layers:
            layers[each.identifier] = each
            waiting += [_brought_in(each, asset) for asset in each.subLayerPaths]
    return list(layers.values())


def _variant_sets(spec: Any) -> list[Any]:
    return [] if spec.path.IsAbsoluteRootPath() else list(spec.variantSets)


def _brought_in(layer: Any, asset: str) -> Any:
    from pxr import Sdf

    return Sdf.Layer.FindOrOpen(Sdf.ComputeAssetPathRelativeToLayer(layer, asset))


def _prim_of(layer: Any, path: Any) -> Iterator[tuple[Any, Any]]:
    """Yield the specs of a prim in a layer and its sublayers; without a path, those of the default prim."""
    if layer is None:
        return
    named = str(path) if path else f"/{layer.defaultPrim}" if layer.defaultPrim else "/"
    for each in _stack(layer):
        spec = each.GetPrimAtPath(named) if named != "/" else each.pseudoRoot
        if spec:
            yield each, spec
