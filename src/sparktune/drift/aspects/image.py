"""The image that a container runs, beside what its name means on that node now, what is pinned, and the other nodes.

Sources: Docker Engine API, ContainerInspect (``Image`` is the id of the image that the container was made of) and
ImageInspect (``Id``, ``RepoDigests``, ``Created``): a pull or a build moves a tag, and containers keep what they have.
A pin is an id or the digest of a registry; one image has both.
"""

__all__ = ["ASPECT"]

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from sparktune.drift.aspects._shared import differing, judged
from sparktune.drift.rows import absent_cell, cell, closed_cell
from sparktune.model.drift import DriftAspect, DriftCell, DriftRow, DriftStatus, DriftView, PartSeen
from sparktune.model.observed import State
from sparktune.model.reads import Read, ReadCommand, Readings

_ID: Final = "image"
_KEY: Final = "image digest"
_SHORT: Final = 19  # sha256: and twelve letters, as docker shows them
_RECREATE: Final = "recreate the container to run what its tag means now, or pin the digest that was measured"
_PULL: Final = "pull the image by its digest on every node, and name the digest in the file instead of the tag"


@dataclass(frozen=True, slots=True, kw_only=True)
class _Image:
    """An image by all its names: its id first, then the digests by which registries know it."""

    id: str
    digests: tuple[str, ...] = ()

    @property
    def names(self) -> frozenset[str]:
        return frozenset((self.id, *self.digests))


class _Inspected(msgspec.Struct, rename="pascal"):
    id: str = ""
    repo_digests: list[str] | None = None


def _inspect(name: str) -> tuple[str, ...]:
    return ("docker", "image", "inspect", name)


def _reads(part: PartSeen) -> tuple[Read, ...]:
    # Not what begins like an option: docker would take it for one.
    names = [name for name in (part.image_name, part.image) if part.container and name and name[0] != "-"]
    return tuple(ReadCommand(argv=_inspect(name)) for name in dict.fromkeys(names))


def _seen(readings: Readings, name: str) -> tuple[_Image | None, str, bool]:
    """Return an image; or why there is none, and whether that is because docker does not have it."""
    said = readings.command(*_inspect(name))
    if said.value is None:
        return None, said.why or "there is no docker, or it was not asked", False
    if said.value.code:
        complaint = said.value.stderr.strip().splitlines() or ["no reason given"]
        return None, complaint[-1], "no such image" in complaint[-1].lower()
    try:
        found = msgspec.json.decode(said.value.stdout, type=list[_Inspected])
    except (msgspec.MsgspecError, RecursionError) as error:
        return None, f"not the JSON of docker image inspect: {error}", False
    if not found or not found[0].id:
        return None, "docker image inspect names no id", False
    digests = tuple(one.partition("@")[2] for one in found[0].repo_digests or ())
    return _Image(id=found[0].id, digests=tuple(one for one in digests if one)), "", False


def _running(part: PartSeen) -> _Image | None:
    if not part.image:
        return None
    found, _why, _gone = _seen(part.readings, part.image)
    # An image that was removed by its tag is still what the container runs.
    return found or _Image(id=part.image)


def _rows(view: DriftView) -> tuple[DriftRow, ...]:
    parts = [part for part in view.parts if part.container]
    running = [_running(part) for part in parts]
    apart = _apart(parts, running)
    return tuple(_row(view, part, one, apart) for part, one in zip(parts, running, strict=True))


def _apart(parts: Sequence[PartSeen], running: Sequence[_Image | None]) -> Mapping[str, str]:
    """Return by the name in the files how nodes run different images of it."""
    by_name: dict[str, dict[str, str]] = {}
    known = [one for one in running if one is not None]
    for part, image in zip(parts, running, strict=True):
        if image is not None:
            # What two platforms have of one image differs in its id, and is one by its digest.
            same = next(one for one in known if one.names & image.names)
            by_name.setdefault(part.image_name, {})[part.node] = same.id[:_SHORT]
    return {name: differing(values) for name, values in by_name.items()}


def _row(view: DriftView, part: PartSeen, image: _Image | None, apart: Mapping[str, str]) -> DriftRow:
    file, meant = _of_name(part, image)
    earned = _earned(view, image, meant)
    if image is None:
        live = closed_cell("which image the container runs was not told", f"container {part.container[:12]}")
    else:
        live = cell(image.id, f"container {part.container[:12]}", text=image.id[:_SHORT])
    differ = apart.get(part.image_name, "")
    row = judged(
        _KEY, part.node, _ID, part=part.name, earned=earned, file=file, live=live, differ=bool(differ), why=differ
    )
    why, hint = _words(part, row, differ)
    return replace(row, why=why or row.why, hint=hint, survives=_survives(row))


def _of_name(part: PartSeen, image: _Image | None) -> tuple[DriftCell | None, _Image | None]:
    """Return what the name in the files means on this node now."""
    if not part.image_name:
        return None, None
    place = f"docker image inspect {part.image_name}"
    meant, why, gone = _seen(part.readings, part.image_name)
    if meant is None:
        return (absent_cell("no image", place, why) if gone else closed_cell(why, place)), None
    same = image is not None and bool(meant.names & image.names)
    return cell(image.id if same and image else meant.id, place, text=f"{part.image_name} = {meant.id[:_SHORT]}"), meant


def _earned(view: DriftView, image: _Image | None, meant: _Image | None) -> DriftCell | None:
    """Return what is pinned, else what evidence was measured on; an image is known by any of its digests."""
    pin = view.service.pins.get("image", "").rpartition("@")[2]
    wanted = [(pin, "pins.image")] if pin else [*_measured_on(view)]
    if not wanted:
        return None
    for digest, place in wanted:
        for one in (image, meant):
            if one is not None and digest in one.names:
                return cell(one.id, place, text=digest[:_SHORT])
    digest, place = wanted[-1]
    return cell(digest, place, text=digest[:_SHORT])


def _measured_on(view: DriftView) -> Iterator[tuple[str, str]]:
    """Yield the digests that evidence was measured on, the newest last."""
    scopes = [(str(_map(one.get("evidence")).get("date") or ""), _map(one.get("scope"))) for one in view.earned]
    for _date, scope in sorted(scopes, key=lambda one: one[0]):
        digest = str(scope.get("image_digest") or "").rpartition("@")[2]
        if digest:
            yield digest, f"{view.earned_file or 'earned.yaml'}: scope.image_digest"


def _map(value: object) -> Mapping[str, object]:
    return {str(key): one for key, one in value.items()} if isinstance(value, Mapping) else {}


def _words(part: PartSeen, row: DriftRow, differ: str) -> tuple[str, str]:
    statuses = {row.status, *row.also}
    found, hints = [], []
    if row.status is DriftStatus.UNREADABLE:
        found.append(row.why)
    if DriftStatus.NOT_LIVE in statuses and row.file is not None:
        gone = row.file.state is State.ABSENT
        what = "names no image on this node any more" if gone else "was moved to another image on this node"
        found.append(f"the container still runs the image that it was made of, and {part.image_name} {what}")
        hints.append(_RECREATE)
    if DriftStatus.FILE_DRIFT in statuses and row.earned is not None:
        found.append(f"{part.image_name} is not the image of {row.earned.place}")
        hints.append("run the image that was measured, or measure this one and renew the evidence with sparktune ab")
    if row.file is None and DriftStatus.NOT_LIVE in statuses and row.earned is not None:
        found.append(f"the container does not run the image of {row.earned.place}")
    if differ and row.status is not DriftStatus.UNREADABLE:
        found.append(f"{part.image_name or 'the service'}: {differ}")
        hints.append(_PULL)
    return "; ".join(dict.fromkeys(found)), "; ".join(dict.fromkeys(hints))


def _survives(row: DriftRow) -> bool | None:
    """Whether the same image runs after the container is made anew; a mere restart keeps it."""
    if row.file is None or row.live is None or State.UNREADABLE in {row.file.state, row.live.state}:
        return None
    return row.file.value == row.live.value


ASPECT = DriftAspect(
    id=_ID,
    title="the image that a container runs, by its digest",
    why="The same tag is another engine after a pull or a build: formulas, defaults and caches change with it, and two "
    "nodes with two of them fail in ways that look like the network.",
    source="https://docs.docker.com/reference/cli/docker/image/inspect/; Docker Engine API, ContainerInspect",
    rows=_rows,
    reads=_reads,
)
