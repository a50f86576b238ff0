"""The models that a part of a service uses, as its process names them, and what of them is on its node."""

__all__ = ["Model", "Used", "local_stats", "model_reads", "models_of", "used_model"]

from collections.abc import Mapping
from dataclasses import dataclass
from posixpath import isabs, normpath
from typing import Final

from sparktune.drift.model_cache import (
    ModelCache,
    cache_folder,
    cache_reads,
    environment_read,
    model_cache,
    used_blobs,
    used_commit,
    used_reads,
)
from sparktune.host.compose_files import literal
from sparktune.model.drift import PartSeen
from sparktune.model.observed import Observed, State, absent, unreadable
from sparktune.model.reads import FileStat, Read, ReadStats

# Names of the settings: what is served, and what drafts for it, each with its revision.
_MAIN: Final = (("model", "revision"), ("model_path", "revision"))
_DRAFT: Final = (
    ("speculative_config.model", "speculative_config.revision"),
    ("speculative_draft_model_path", "speculative_draft_model_revision"),
    ("spec_draft_model", ""),
)
_KEEPS_MAPPED: Final = "llamacpp"  # the others close a model's files once it is loaded


@dataclass(frozen=True, slots=True, kw_only=True)
class Model:
    """One model of a process. ``kind`` is "model" or "draft model"; ``revision`` as it was asked for, "" for none."""

    kind: str
    name: str
    revision: str = ""

    @property
    def path(self) -> str:
        """Where it is, as the process sees it, "" for a name that the hub knows."""
        if isabs(self.name):
            return normpath(self.name)
        return f"./{normpath(self.name)}" if self.name.startswith(".") or self.name.endswith(".gguf") else ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What a part uses: ``commit`` with ``how`` that is known, ABSENT for what has no revision (a local folder)."""

    part: PartSeen
    model: Model
    cache: ModelCache | None
    commit: Observed[str]
    how: str


def models_of(part: PartSeen) -> tuple[Model, ...]:
    """Return the models that a process was started with."""
    found = (("model", _MAIN), ("draft model", _DRAFT))
    return tuple(model for kind, names in found if (model := _named(part, kind, names)) is not None)


def _named(part: PartSeen, kind: str, names: tuple[tuple[str, str], ...]) -> Model | None:
    for name, revision in names:
        if text := _live(part, name):
            return Model(kind=kind, name=text, revision=_live(part, revision))
    return None


def _live(part: PartSeen, key: str) -> str:
    setting = part.live.get(key)
    return setting.value if setting is not None and isinstance(setting.value, str) else ""


def model_reads(part: PartSeen) -> tuple[Read, ...]:
    """Return what has to be read of a part's node; more, once the variables of the process are known."""
    if not part.pid or not (models := models_of(part)):
        return ()
    reads: list[Read] = [environment_read(part.pid)]
    reads += used_reads(_pids(part), mapped=part.engine == _KEEPS_MAPPED)
    for model in models:
        folder = cache_folder(part.pid, model.name, part.readings)
        if folder.value is not None:
            reads += cache_reads(part.pid, folder.value)
        elif model.path:
            reads += _local_reads(part.pid, model.path)
    return tuple(reads)


def _pids(part: PartSeen) -> tuple[int, ...]:
    return tuple(dict.fromkeys((part.pid, *part.pids)))


def used_model(part: PartSeen, model: Model) -> Used:
    """Return what is known of a model that a part uses."""
    folder = cache_folder(part.pid, model.name, part.readings)
    if folder.value is None:
        return Used(part=part, model=model, cache=None, commit=folder, how="")
    cache = model_cache(part.pid, folder.value, part.readings)
    used = used_blobs(_pids(part), part.readings)
    # Processes hold files of the draft open too: only blobs of this model count.
    own = {blob for one in cache.snapshots.values() for blob in one.blobs.values()}
    if not (model.path or cache.snapshots or cache.refs or cache.unread):
        # It is elsewhere: a folder beside the process, another hub's cache.
        return Used(part=part, model=model, cache=cache, commit=absent(), how=f"not in {cache.folder}")
    commit, how = used_commit(cache, model.name, model.revision, used & own, part.start_ns)
    return Used(part=part, model=model, cache=cache, commit=commit, how=how)


def _local_reads(pid: int, path: str) -> tuple[Read, ...]:
    """Return what has to be read of a file, or of a folder with a model."""
    return tuple(ReadStats(pattern=pattern) for pattern in _local_patterns(pid, path))


def _local_patterns(pid: int, path: str) -> tuple[str, str]:
    base = f"/proc/{pid}/root{literal(path)}" if isabs(path) else f"/proc/{pid}/cwd/{literal(path[2:])}"
    return base, f"{base}/*"


def local_stats(part: PartSeen, path: str) -> Observed[Mapping[str, FileStat]]:
    """Return size and time of the files of a model's folder by their names, or of the one file that it is."""
    alone, inside = _local_patterns(part.pid, path)
    stats = part.readings.stats
    found = stats.get(inside) or stats.get(alone) or {}
    if found:
        return Observed(State.PRESENT, {name.rpartition("/")[2]: seen for name, seen in found.items()})
    why = part.readings.unread.get(inside) or part.readings.unread.get(alone)
    return unreadable(why or f"{path} is not there")
