"""The page of a batch: a picture of each asset and its collider, failures first, then the worst fits.

The page has no script, and its policy forbids network access: pictures are files beside it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from hitbox._base.text import counted, listed, percent
from hitbox._batch.jobs import PICTURES
from hitbox._compare.report import TAIL, escaped, head

_STYLE = """
.gallery {
  display: grid; gap: 14px; grid-template-columns: repeat(auto-fill, minmax(min(100%, 340px), 1fr));
}
.gallery figure {
  background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 10px;
}
.gallery img { display: block; width: 100%; height: auto; border-radius: 8px; background: var(--stage); }
.gallery figcaption b { overflow-wrap: anywhere; }
.gallery .failed { background: var(--wrong-ground); }
.gallery .why { color: var(--wrong); overflow-wrap: anywhere; }
"""
_IMAGES = "'self' file: data:"  # a page opened from disk has no 'self'
_HOW_TO_DRAW = 'There are no pictures: pip install "hitbox[render]", then run the batch again with --resume.'


@dataclass(frozen=True, slots=True)
class Entry:
    """The data of an asset that the page shows."""

    id: str
    status: str
    message: str
    seconds: float
    peak_rss: int | None
    preset: str | None
    attempt: int
    output: str | None
    picture: str | None
    shapes: int | None
    bytes: int | None
    kinds: str
    outer_mean: float | None
    outer_hausdorff: float | None

    @staticmethod
    def of(record: Mapping[str, Any]) -> Entry:
        """Read a line of the manifest."""
        metrics = record["metrics"]
        paths = [output["path"] for output in record["outputs"]]
        picture = f"{PICTURES}/{record['id']}.png"
        return Entry(
            id=record["id"],
            status=record["status"],
            message=record["message"],
            seconds=record["seconds"],
            peak_rss=record["peak_rss"],
            preset=record["preset"],
            attempt=record["attempt"],
            output=paths[0] if paths else None,
            picture=picture if picture in paths else None,
            shapes=metrics.get("shapes"),
            bytes=metrics.get("bytes"),
            kinds=listed([counted(count, kind) for kind, count in metrics.get("kinds", {}).items()]),
            outer_mean=metrics.get("outer_mean"),
            outer_hausdorff=metrics.get("outer_hausdorff"),
        )

    @property
    def failed(self) -> bool:
        return self.status not in ("ok", "partial")

    @property
    def rank(self) -> tuple[bool, bool, float, str]:
        """Sort failures first, then partial results, then by mean distance, the largest first."""
        return not self.failed, self.status == "ok", -(self.outer_mean or 0.0), self.id


@dataclass(frozen=True)
class About:
    """The data of the whole batch that the page shows."""

    verb: str
    options: Mapping[str, Any]
    missing: int
    notes: Sequence[str] = ()


def page(entries: Sequence[Entry], about: About) -> str:
    """Return the whole page."""
    shown = sorted(entries, key=lambda entry: entry.rank)
    figures = "\n".join(map(_figure, shown))
    start = head("Batch", _IMAGES).replace("</style>", f"{_STYLE}</style>")
    body = f'<main>\n<div class="gallery">\n{figures}\n</div>\n</main>\n'
    return f"{start}{_header(entries, about)}\n{body}{TAIL}"


def _header(entries: Sequence[Entry], about: About) -> str:
    options = ", ".join(f"{name} {value}" for name, value in about.options.items())
    failed = sum(entry.failed for entry in entries)
    lead = f"{about.verb}{f' with {options}' if options else ''}: {counted(len(entries), 'asset')}"
    lead += f", {failed:,} of them failed." if failed else ", all of them processed."
    if about.missing:
        lead += f" {counted(about.missing, 'asset')} not processed yet."
    if any(entry.outer_mean is not None for entry in entries):
        lead += (
            " Failures come first, then the colliders farthest from their meshes: by the mean "
            "distance of the outer surface, in % of the diagonal."
        )
    notes = list(about.notes)
    if not any(entry.picture for entry in entries):
        notes.append(_HOW_TO_DRAW)
    listed_notes = "".join(f"<li>{escaped(note)}</li>" for note in notes)
    more = f'<ul class="notes">{listed_notes}</ul>' if notes else ""
    return f'<header>\n<h1>Batch</h1>\n<p class="lead">{escaped(lead)}</p>{more}\n</header>'


def _figure(entry: Entry) -> str:
    name = escaped(entry.id)
    if entry.output is not None:
        name = f'<a href="{escaped(_url(entry.output))}">{name}</a>'
    picture = ""
    if entry.picture is not None:
        alt = escaped(f"{entry.id}: the mesh, and its collider")
        source = escaped(_url(entry.picture))
        picture = f'<img src="{source}" alt="{alt}" width="480" height="240" loading="lazy">'
    why = f'<div class="why">{escaped(_why(entry))}</div>' if _why(entry) else ""
    kind = ' class="failed"' if entry.failed else ""
    caption = f"<b>{name}</b>{escaped(_numbers(entry))}{why}"
    return f"<figure{kind}>{picture}<figcaption>{caption}</figcaption></figure>"


def _url(path: str) -> str:
    """Return a relative URL. The prefix keeps a colon from starting a scheme, and two slashes from naming a
    host.
    """
    return "./" + quote(path.encode("utf-8", "surrogateescape"))


def _why(entry: Entry) -> str:
    texts = [] if entry.status == "ok" else [f"{entry.status}: {entry.message}"]
    if entry.attempt > 1:
        texts.append(f"The second try{f', with {entry.preset}' if entry.preset else ''}.")
    return " ".join(texts)


def _numbers(entry: Entry) -> str:
    texts = []
    if entry.outer_mean is not None and entry.outer_hausdorff is not None:
        texts.append(f"mean {percent(entry.outer_mean)}, largest {percent(entry.outer_hausdorff)}")
    if entry.shapes is not None and entry.bytes is not None:
        texts.append(f"{entry.kinds}, {entry.bytes:,} bytes")
    texts.append(f"{entry.seconds:.2f} s")
    if entry.peak_rss:
        texts.append(f"{entry.peak_rss / (1 << 20):,.0f} MiB")
    return "; ".join(texts)
