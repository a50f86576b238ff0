"""A model in the hub's cache on a node: which snapshots are there, their files and blobs, and which one is in use.

Source: huggingface_hub 1.x, "Understand caching": ``models--ORG--NAME`` holds ``refs/REF`` (a commit), ``snapshots/
COMMIT/FILE`` (links to ``../../blobs/ETAG``) and ``blobs``; the etag of a large file is its SHA-256, that of others
git's hash; ``ETAG.incomplete`` is a download that has not ended. ``constants.py`` there: ``HF_HUB_CACHE``
(``HUGGINGFACE_HUB_CACHE``), else ``HF_HOME/hub``, else ``XDG_CACHE_HOME/huggingface/hub``, else
``~/.cache/huggingface/hub``. A ref is written only when the hub says another commit than it holds.

All is read as the process sees it, through ``/proc/PID/root``; no blob is opened.
"""

__all__ = [
    "ModelCache",
    "Snapshot",
    "cache_folder",
    "cache_reads",
    "environment_read",
    "model_cache",
    "used_blobs",
    "used_commit",
    "used_reads",
]

import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from posixpath import basename, dirname, isabs, normpath
from typing import Final, TypeVar

from sparktune.host.compose_files import literal
from sparktune.model.observed import Observed, absent, present, unreadable
from sparktune.model.reads import FileStat, Read, ReadFile, ReadFiles, Readings, ReadLinks, ReadStats
from sparktune.units import Bytes, Nanoseconds

_T = TypeVar("_T")

_COMMIT: Final = re.compile(r"[0-9a-f]{40}")
_MODEL: Final = re.compile(r"[\w.-]{1,96}(?:/[\w.-]{1,96})?", re.ASCII)
_IN_SNAPSHOT: Final = re.compile(r"(?P<folder>.*/models--[^/]+)/snapshots/(?P<commit>[0-9a-f]{40})(?:/|$)")
_BLOB: Final = re.compile(r"/blobs/(?P<name>[0-9a-f]{40,64})(?: \(deleted\))?$")
_NAMES: Final = ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HOME", "XDG_CACHE_HOME", "HOME")
_DEPTHS: Final = 3  # folders below a snapshot
_UNFINISHED: Final = ".incomplete"
_MOST_MAPS: Final[Bytes] = 8 * 1024 * 1024


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """One commit's files: ``blobs`` has the blob of each file by its path below the snapshot's folder.

    ``plain`` are files that are no links, as they are where the cache's file system has none.
    """

    commit: str
    blobs: Mapping[str, str] = field(default_factory=dict)
    plain: Mapping[str, FileStat] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelCache:
    """One model's folder in a cache. ``refs`` are commits by name, ``refs_changed`` when each was last written.

    ``sizes`` are those of blobs; a blob that is not among them is not there. ``unfinished`` are blobs of which only a
    beginning is there. ``unread`` says why not all of it could be seen, "" when it could.
    """

    folder: str
    snapshots: Mapping[str, Snapshot] = field(default_factory=dict)
    refs: Mapping[str, str] = field(default_factory=dict)
    refs_changed: Mapping[str, int] = field(default_factory=dict)
    sizes: Mapping[str, int] = field(default_factory=dict)
    unfinished: tuple[str, ...] = ()
    unread: str = ""


def environment_read(pid: int) -> ReadFiles:
    """Return what has to be read to know where a process has its cache; no other variable leaves the node."""
    return ReadFiles(pattern=f"/proc/{pid}/environ", lines=tuple(f"{name}=" for name in _NAMES), most_bytes=1 << 20)


def cache_folder(pid: int, model: str, readings: Readings) -> Observed[str]:
    """Return where a process has a model, as it sees it; ABSENT for a name that no hub has.

    A path into a snapshot says so itself.
    """
    inside = _IN_SNAPSHOT.match(model)
    if inside:
        return present(normpath(inside["folder"]))
    if isabs(model) or not _MODEL.fullmatch(model):
        return absent()
    pattern = f"/proc/{pid}/environ"
    said = readings.matching(pattern).get(pattern, absent())
    if said.value is None:
        return unreadable(said.why or readings.unread.get(pattern) or "the variables of the process were not read")
    values = dict(entry.partition("=")[::2] for entry in said.value.split("\0") if entry)
    return present(normpath(f"{_hub(values)}/models--{model.replace('/', '--')}"))


def _hub(values: Mapping[str, str]) -> str:
    own = values.get("HF_HUB_CACHE") or values.get("HUGGINGFACE_HUB_CACHE")
    cache = values.get("XDG_CACHE_HOME") or f"{values.get('HOME') or '/root'}/.cache"
    return own or f"{values.get('HF_HOME') or f'{cache}/huggingface'}/hub"


def _patterns(pid: int, folder: str) -> dict[str, tuple[str, ...]]:
    root = f"/proc/{pid}/root{literal(folder)}"
    return {
        "links": tuple(f"{root}/snapshots/*/{'*/' * depth}*" for depth in range(_DEPTHS)),
        "refs": (f"{root}/refs/*",),
        "blobs": (f"{root}/blobs/*",),
    }


def cache_reads(pid: int, folder: str) -> tuple[Read, ...]:
    """Return what has to be read of a model's folder: names, links, sizes and times."""
    patterns = _patterns(pid, folder)
    return (
        *(ReadLinks(pattern=pattern) for pattern in patterns["links"]),
        *(ReadStats(pattern=pattern) for pattern in (*patterns["links"], *patterns["refs"], *patterns["blobs"])),
        *(ReadFiles(pattern=pattern, most_bytes=256) for pattern in patterns["refs"]),
    )


def model_cache(pid: int, folder: str, readings: Readings) -> ModelCache:
    """Return what a cache has of a model."""
    patterns = _patterns(pid, folder)
    root = f"/proc/{pid}/root{folder}/"
    links = _gathered(readings.links, patterns["links"], root)
    stats = _gathered(readings.stats, (*patterns["links"], *patterns["refs"], *patterns["blobs"]), root)
    texts = _gathered(readings.matches, patterns["refs"], root)
    asked = [pattern for kind in patterns.values() for pattern in kind]
    blobs = {path.partition("/")[2]: seen.size for path, seen in stats.items() if path.startswith("blobs/")}
    return ModelCache(
        folder=folder,
        snapshots=_snapshots(links, stats),
        refs={basename(path): (text.value or "").strip() for path, text in texts.items() if text.value},
        refs_changed={basename(path): seen.mtime_ns for path, seen in stats.items() if path.startswith("refs/")},
        sizes={name: size for name, size in blobs.items() if not name.endswith(_UNFINISHED)},
        unfinished=tuple(name for name in blobs if name.endswith(_UNFINISHED)),
        unread=next((why for pattern in asked if (why := readings.unread.get(pattern))), ""),
    )


def _gathered(answers: Mapping[str, Mapping[str, _T]], patterns: Iterable[str], root: str) -> dict[str, _T]:
    """Return the answers to all patterns by their path below a folder."""
    found = (answers.get(pattern, {}) for pattern in patterns)
    return {path.removeprefix(root): one for answer in found for path, one in answer.items()}


def _snapshots(links: Mapping[str, str], stats: Mapping[str, FileStat]) -> dict[str, Snapshot]:
    blobs: dict[str, dict[str, str]] = {}
    plain: dict[str, dict[str, FileStat]] = {}
    folders = {dirname(path) for path in stats}
    for path in {**links, **stats}:
        top, _, rest = path.partition("/")
        commit, _, name = rest.partition("/")
        if top != "snapshots" or not name or path in folders:
            continue
        if path in links:
            blobs.setdefault(commit, {})[name] = basename(links[path])
        else:
            plain.setdefault(commit, {})[name] = stats[path]
    return {
        commit: Snapshot(commit=commit, blobs=blobs.get(commit, {}), plain=plain.get(commit, {}))
        for commit in sorted({*blobs, *plain})
    }


def used_reads(pids: Iterable[int], *, mapped: bool) -> tuple[Read, ...]:
    """Return what tells which files processes hold open, and have mapped where they keep that."""
    listed = tuple(pids)
    maps = (ReadFile(path=f"/proc/{pid}/maps", most_bytes=_MOST_MAPS) for pid in listed) if mapped else ()
    return (*(ReadLinks(pattern=f"/proc/{pid}/fd/*") for pid in listed), *maps)


def used_blobs(pids: Iterable[int], readings: Readings) -> frozenset[str]:
    """Return the blobs that processes hold open or have mapped."""
    paths: list[str] = []
    for pid in pids:
        paths += readings.links.get(f"/proc/{pid}/fd/*", {}).values()
        paths += (readings.file(f"/proc/{pid}/maps").value or "").splitlines()
    return frozenset(found["name"] for path in paths if (found := _BLOB.search(path)))


def used_commit(
    cache: ModelCache, model: str, revision: str, used: Collection[str], start_ns: Nanoseconds
) -> tuple[Observed[str], str]:
    """Return the commit that a process uses, and where that is known from.

    UNREADABLE where it could be one of several: a ref that moved since the process was started says nothing of it.
    """
    inside = _IN_SNAPSHOT.match(model)
    if inside:
        return present(inside["commit"]), "its command line"
    if cache.unread:
        return unreadable(cache.unread), cache.folder
    holding = [one.commit for one in cache.snapshots.values() if used and set(used) <= set(one.blobs.values())]
    if len(holding) == 1:
        return present(holding[0]), "its open files"
    if _COMMIT.fullmatch(revision):
        return present(revision), "its command line"
    return _of_ref(cache, revision or "main", start_ns), f"refs/{revision or 'main'}"


def _of_ref(cache: ModelCache, ref: str, start_ns: Nanoseconds) -> Observed[str]:
    commit = cache.refs.get(ref, "")
    if commit and not start_ns:
        return unreadable(f"when the process was started is not known, nor what refs/{ref} said then")
    if commit and cache.refs_changed.get(ref, 0) > start_ns:
        return unreadable(f"refs/{ref} was moved after the process was started, and none of its files is open")
    if not commit and len(cache.snapshots) == 1:
        return present(next(iter(cache.snapshots)))
    if commit:
        return present(commit)
    several = f"{len(cache.snapshots)} snapshots and no refs/{ref}" if cache.snapshots else "no snapshot of it"
    return unreadable(f"{cache.folder} has {several}")
