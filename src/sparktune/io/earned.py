"""``earned.yaml``: settings that an experiment earned, with their scope and evidence; sorted, made for git review.

::

    schema: 1
    settings:
    - knob: DSPARK_MAX_INFLIGHT_PREFILLS
      value: {env: {DSPARK_MAX_INFLIGHT_PREFILLS: '2'}}
      instead_of: {env: {DSPARK_MAX_INFLIGHT_PREFILLS: '1'}}
      scope: {cluster: ..., service: ..., image_digest: ..., launcher: ..., model: ..., workload: ...}
      evidence: {run: ..., date: ..., metric: ..., better: ..., ratio: ..., low: ..., high: ..., ...}
    history:
    - {the same, and: {ended: {how: superseded, date: ..., by: RUN}}}

What this version does not know of an entry, it leaves where it is.
"""

__all__ = [
    "EarnedFile",
    "Unreadable",
    "earned_entry",
    "find_earned",
    "forget_earned",
    "keep_earned",
    "read_earned",
    "read_earned_file",
]

import hashlib
import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

import msgspec

from sparktune.errors import UsageError
from sparktune.experiment.design import Arm
from sparktune.experiment.effect import Effect
from sparktune.experiment.plan import Experiment
from sparktune.experiment.result import ExperimentResult
from sparktune.io.config import find_config
from sparktune.io.config_text import MOST_BYTES, ConfigText, read_config_text
from sparktune.io.earned_entries import entry_of
from sparktune.io.earned_text import Items, Moved, edited, new_text
from sparktune.io.files import write_atomic
from sparktune.io.folder_lock import folder_lock
from sparktune.model.earned import EarnedEntry

_EARNED_NAME = "earned.yaml"

_HEAD: Final = """\
# Settings that an experiment earned: what, where it holds, and the evidence. Written by sparktune, made for review.
# evidence.ratio is how much better the value is than instead_of; low and high hold it with the confidence given.
"""
_SCHEMA: Final = 1
_MARK: Final = "\ufeff"
_HASH_LETTERS: Final = 16
_DIGITS: Final = 6  # what is read back rounds to the tenths of a percent that the verdict said
_RENEWED: Final = frozenset({"image_digest", "revision"})
Unreadable = Callable[[UsageError], None]
"""Is told of an entry that is left out, because it cannot be understood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EarnedFile:
    """What a file has: ``settings`` that count, and ``history`` of those that do no more, each in the file's order."""

    settings: tuple[EarnedEntry, ...] = ()
    history: tuple[EarnedEntry, ...] = ()


def find_earned(folder: Path, given: Path | None = None) -> Path:
    """Return the file that is meant: the one that is given, else the one here, else the one beside ``sparktune.yaml``.

    Where there is none it is the one here, which may be made.
    """
    here = folder / _EARNED_NAME
    if given is not None or here.exists():
        return given or here
    config = find_config(folder)
    beside = config.with_name(_EARNED_NAME) if config is not None else here
    return beside if beside.exists() else here


def read_earned(path: Path, unreadable: Unreadable | None = None) -> tuple[EarnedEntry, ...]:
    """Return the settings that count, none when there is no such file. Raises UsageError as ``read_earned_file``."""
    return read_earned_file(path, unreadable).settings


def read_earned_file(path: Path, unreadable: Unreadable | None = None) -> EarnedFile:
    """Return all of a file, nothing when there is none; an entry that is not of this form goes to ``unreadable``.

    Raises UsageError, with line and hint, for a file that cannot be read, is not of this form, or of a newer one, and
    for such an entry where nobody is told of it: who acts on a file has to understand all of it.
    """
    if not path.exists() and not path.is_symlink():
        return EarnedFile()
    return _file_of(read_config_text(path), unreadable)


def earned_entry(result: ExperimentResult) -> dict[str, Any]:
    """Return the entry of an improvement. Raises ValueError for any other result."""
    effect = result.judgement.effect
    if effect is None:
        message = "no effect: nothing was earned"
        raise ValueError(message)
    experiment = result.experiment
    return {
        "knob": experiment.knob,
        "value": _plain(experiment.arms[Arm.B]),
        "instead_of": _plain(experiment.arms[Arm.A]),
        "scope": _scope(result),
        "evidence": _evidence(result, effect),
    }


def _scope(result: ExperimentResult) -> dict[str, Any]:
    """Return where the result holds: another image, model or workload is another question."""
    experiment = result.experiment
    return {
        "cluster": experiment.scope.get("cluster") or ", ".join(experiment.nodes) or None,
        "service": experiment.scope.get("service") or experiment.base_url,
        "image_digest": experiment.scope.get("image_digest"),
        "launcher": experiment.launcher,
        "model": _model(result),
        "workload": _workload_hash(experiment),
    }


def _evidence(result: ExperimentResult, effect: Effect) -> dict[str, Any]:
    experiment = result.experiment
    return {
        "run": experiment.id,
        "date": _day(experiment.created_wall_s),
        "metric": experiment.primary.metric,
        "better": experiment.primary.better.value,
        "ratio": round(effect.ratio, _DIGITS),
        "low": round(effect.low, _DIGITS),
        "high": round(effect.high, _DIGITS),
        "confidence": round(effect.confidence, _DIGITS),
        "blocks": effect.blocks,
        "blocks_won": effect.wins,
        "guards": {guard.metric: guard.status.value for guard in result.guards},
    }


def keep_earned(path: Path, entry: Mapping[str, Any]) -> None:
    """Add an entry. One for the same knob and scope is superseded: it goes to the history, the rest stays as it is.

    So is one of the same knob and service whose evidence was made up for practice: anything measured is better.

    Raises UsageError for a file that is not of this form, and for one that cannot be written.
    """
    new = dict(entry)
    with _changing(path) as (text, found):
        old = [place for place, one in enumerate(found.settings) if _is_superseded(one, new)]
        if any(_plain(found.settings[place].content) == _plain(new) for place in old):
            return
        kept = [place for place in range(len(found.settings)) if place not in old]
        before = [place for place in kept if _key(found.settings[place].content) <= _key(new)]
        at = kept.index(before[-1]) + 1 if before else 0
        run = str(new.get("evidence", {}).get("run", ""))
        gone = [place for place in old if found.settings[place].evidence.run != run]
        ended = {"how": "superseded", "date": _today(), "by": run}
        _write(path, text, found, settings=[*kept[:at], new, *kept[at:]], gone=gone, ended=ended)


def forget_earned(path: Path, entry: EarnedEntry) -> None:
    """Move an entry to the history. Raises UsageError, also when the file does not have it as it was read."""
    with _changing(path) as (text, found):
        kept = [place for place, one in enumerate(found.settings) if one.content != entry.content]
        if len(kept) != len(found.settings) - 1:
            message = f"{path}: the entry of {entry.knob!r} has changed since it was read; nothing was forgotten"
            raise UsageError(message, hint="look at it, and do this again: sparktune earned list")
        ended = {"how": "forgotten", "date": _today()}
        gone = [place for place in range(len(found.settings)) if place not in kept]
        _write(path, text, found, settings=kept, gone=gone, ended=ended)


@contextmanager
def _changing(path: Path) -> Iterator[tuple[str, EarnedFile]]:
    """Read under the lock of the file's own folder; a link is followed to where the file is."""
    with folder_lock(path.resolve().parent):
        if not path.exists():
            yield "", EarnedFile()
            return
        config = read_config_text(path)
        yield config.text, _file_of(config)


def _write(
    path: Path,
    text: str,
    found: EarnedFile,
    *,
    settings: Items,
    gone: list[int],
    ended: Mapping[str, str],
) -> None:
    past = [Moved(key="settings", place=place, added={"ended": dict(ended)}) for place in gone]
    lists: dict[str, Items] = {"settings": settings}
    if past:
        lists["history"] = [*range(len(found.history)), *past]
    new = edited(text, lists) if text else _HEAD + new_text({"schema": _SCHEMA, **lists})
    if len(new.encode()) > MOST_BYTES:  # nobody could read it any more
        message = f"{path} would be larger than {MOST_BYTES} bytes; nothing was written"
        raise UsageError(message, hint="take old entries out of its history: git keeps them")
    write_atomic(path, _mark(path, text) + new)


def _mark(path: Path, text: str) -> str:
    """Return the byte order mark of the file, if it has one. Raises UsageError where it is not as it was read."""
    now = path.read_bytes().decode("utf-8", errors="replace") if path.exists() else ""
    if now.removeprefix(_MARK) != text:
        message = f"{path} was changed by somebody else meanwhile; nothing was written"
        raise UsageError(message, hint="look at it, and do this again")
    return now[: len(now) - len(text)]


def _file_of(text: ConfigText, unreadable: Unreadable | None = None) -> EarnedFile:
    if not isinstance(text.values, dict) or "schema" not in text.values:
        raise text.error((), "this is no file of earned settings", hint="move it away, or name another with --earned")
    schema = text.values["schema"]
    if isinstance(schema, int) and schema > _SCHEMA:
        hint = "a newer sparktune wrote it: use that one, or name another file with --earned"
        raise text.error(
            ("schema",), f"schema {schema} is newer than {_SCHEMA}, the newest that is known here", hint=hint
        )
    if schema != _SCHEMA:
        raise text.error(
            ("schema",), f"1 is wanted, not {schema!r}: this is no file of earned settings", hint="see git diff"
        )
    return EarnedFile(settings=_entries(text, "settings", unreadable), history=_entries(text, "history", unreadable))


def _entries(text: ConfigText, key: str, unreadable: Unreadable | None) -> tuple[EarnedEntry, ...]:
    found = text.values.get(key)
    if found is None and key == "history":
        return ()
    if not isinstance(found, list):
        message = "a list of earned settings is wanted here"
        raise text.error((key,), message, hint=f"for none of them: {key}: []")
    entries = []
    for place in range(len(found)):
        try:
            entries.append(entry_of(text, (key, place)))
        except UsageError as error:
            if unreadable is None:
                raise
            unreadable(error)
    return tuple(entries)


def _key(entry: Mapping[str, Any]) -> str:
    """Return what two entries about the same have in common: evidence on a new image renews that on the old one."""
    scope = {name: value for name, value in _plain(entry["scope"]).items() if name not in _RENEWED}
    return json.dumps([entry["knob"], scope], sort_keys=True, default=str)


def _is_superseded(one: EarnedEntry, new: Mapping[str, Any]) -> bool:
    made_up = one.evidence.practice and (one.knob, one.scope.service) == (new["knob"], new["scope"].get("service"))
    return bool(made_up) or _key(one.content) == _key(new)


def _today() -> str:
    return datetime.now(UTC).strftime("%Y-%m-%d")


def _day(wall_s: float) -> str:
    return datetime.fromtimestamp(wall_s, UTC).strftime("%Y-%m-%d")


def _plain(value: object) -> Any:  # noqa: ANN401 - JSON
    return json.loads(json.dumps(msgspec.to_builtins(value), default=str))


def _model(result: ExperimentResult) -> str | None:
    runs = (visit.result.run for visit in result.visits if visit.result is not None)
    return next((run.workload.options.model for run in runs), None)


def _workload_hash(experiment: Experiment) -> str:
    """Return a hash of what was sent: cells and options, not how often."""
    workload = experiment.workload
    content = {"cells": sorted(cell.label for cell in workload.cells), "options": msgspec.to_builtins(workload.options)}
    return hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()[:_HASH_LETTERS]
