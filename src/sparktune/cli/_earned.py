"""Put ``sparktune earned`` together: find the file, open the store, run the flow, print or write."""

__all__ = ["accept_run", "forget_one", "print_history", "print_list", "print_one"]

import asyncio
import difflib
import sys
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from sparktune.cli._drift import DriftArguments, wish_of
from sparktune.cli._terminal import columns, fitted, legible
from sparktune.cli._unreadable import end_list
from sparktune.drift.earned_keys import entries_called, names_of
from sparktune.drift.stale import Judged, Running
from sparktune.errors import SparktuneError, UsageError
from sparktune.flows.earned import judge_all, measured_on, running_images, running_of
from sparktune.io.config import Config, find_config, load_config
from sparktune.io.earned import find_earned, forget_earned, keep_earned, read_earned, read_earned_file
from sparktune.io.store.store import Store
from sparktune.model.earned import EarnedEntry
from sparktune.report.bench.words import listed
from sparktune.report.earned import history_json, history_text, list_json, list_text, show_json, show_text
from sparktune.report.earned.words import value_words

_EARN = "earn one with: sparktune ab FILE --accept, or keep one of the store with: sparktune earned accept RUN"


def print_list(given: Path | None, max_age: float | None, *, live: bool, as_json: bool) -> None:
    """Print all settings that count; what cannot be understood of the file is named afterwards."""
    path, unreadable = find_earned(Path(), given), list[SparktuneError]()
    found = _judged(read_earned(path, unreadable.append), max_age, live=live)
    if as_json:
        sys.stdout.write(list_json(found, str(path)))
    elif found:
        sys.stdout.write(fitted(list_text(found, columns())))
    elif not unreadable:
        sys.stderr.write(legible(f"nothing is earned in {path} yet\nhint: {_EARN}\n"))
    end_list(unreadable)


def print_one(key: str, given: Path | None, max_age: float | None, *, live: bool, as_json: bool) -> None:
    """Print all that is known of the settings that a key names."""
    path = find_earned(Path(), given)
    found = _judged(_called(path, key), max_age, live=live)
    sys.stdout.write(show_json(found, str(path)) if as_json else fitted(show_text(found, columns())))


def accept_run(prefix: str, given: Path | None) -> None:
    """Write the entry of an experiment that earned one."""
    # Who only looks at what was earned needs none of what judges an experiment.
    from sparktune.flows.earned_accept import accepted

    path = find_earned(Path(), given)
    with Store.open() as store:
        entry, warnings = accepted(store, prefix)
    run, knob = entry["evidence"]["run"], entry["knob"]
    if any(one.evidence.run == run for one in read_earned(path)):
        sys.stderr.write(f"{path} has {knob} of experiment {run} already\n")
        return
    keep_earned(path, entry)
    for warning in warnings:
        sys.stderr.write(f"{warning}\n")
    sys.stderr.write(f"saved {knob} in {path}; whether it is what runs: sparktune drift\n")


def forget_one(key: str, given: Path | None, *, yes: bool) -> None:
    """Move the one entry that a key names to the history. Raises UsageError where it names several."""
    path = find_earned(Path(), given)
    found = _called(path, key)
    if len(found) > 1:
        runs = listed([one.evidence.run or f"line {one.line}" for one in found])
        message = f"{path} has {len(found)} settings that are called {key!r}"
        raise UsageError(message, hint=f"name the run that earned the one that is meant: {runs}")
    (entry,) = found
    said = f"{entry.knob} ({value_words(entry.value, entry.instead_of)})"
    if not yes and not _asked(f"Let {said} of {path} count no more?"):
        sys.stderr.write("nothing was changed\n")
        return
    forget_earned(path, entry)
    sys.stderr.write(f"{said} counts no more; it is in the history of {path}\n")


def print_history(key: str, given: Path | None, limit: int, *, as_json: bool) -> None:
    """Print what was earned once, and the experiments on it; what cannot be understood is named afterwards."""
    path, unreadable = find_earned(Path(), given), list[SparktuneError]()
    file = read_earned_file(path, unreadable.append)
    every = (*file.settings, *file.history)
    named = entries_called(every, key) if key else every
    past = tuple(one for one in file.history if one in named)
    with Store.open() as store:
        measured = measured_on(store, key, named if key else (), limit, unreadable.append)
    kept = frozenset(one.evidence.run for one in every)
    if as_json:
        sys.stdout.write(history_json(past, measured, kept, str(path)))
    else:
        sys.stdout.write(fitted(history_text(past, measured, kept, columns())))
    end_list(unreadable)


def _judged(entries: Sequence[EarnedEntry], max_age: float | None, *, live: bool) -> tuple[Judged, ...]:
    if not entries:
        return ()
    where = find_config(Path())
    config = load_config(where) if where is not None else None
    today = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%d")
    images = _images(entries, config) if live else {}

    def running(entry: EarnedEntry) -> Running:
        image = images.get(entry.scope.service or "")
        return running_of(entry, config, today=today, max_age_days=max_age, image_digest=image)

    with Store.open() as store:
        return judge_all(entries, running, store)


def _images(entries: Sequence[EarnedEntry], config: Config | None) -> dict[str, str | None]:
    """Return the images that run, by service; one that sparktune.yaml does not have cannot be looked at."""
    named = dict.fromkeys(entry.scope.service or "" for entry in entries)
    wishes = [wish_of(DriftArguments(service=name)) for name in named if config and name in config.services]
    images = asyncio.run(running_images([(wish.place, wish.targets) for wish in wishes]))
    return dict(zip((wish.place.name for wish in wishes), images, strict=True))


def _called(path: Path, key: str) -> tuple[EarnedEntry, ...]:
    entries = read_earned(path)
    found = entries_called(entries, key)
    if found:
        return found
    known = list(dict.fromkeys(name for entry in entries for name in names_of(entry)))
    near = difflib.get_close_matches(key, known, n=3)
    message = f"{path} has no setting that is called {key!r}"
    hint = f"did you mean {', '.join(near)}?" if near else f"it has: {', '.join(known)}" if known else _EARN
    raise UsageError(message, hint=hint)


def _asked(question: str) -> bool:
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        message = "nothing is forgotten without a terminal to ask on"
        raise UsageError(message, hint="add --yes")
    sys.stderr.write(f"{question} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
