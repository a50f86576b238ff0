"""Put ``sparktune drift`` together: which service, its nodes, what was earned; the rows, and their exit code."""

__all__ = ["DriftArguments", "run_drift", "seconds_of", "wish_of"]

import asyncio
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

import typer

from sparktune.cli._ab.services import SERVICES, where_values
from sparktune.cli._nodes import no_names
from sparktune.cli._terminal import colour_wanted, columns
from sparktune.cli._waiting import waiting_said
from sparktune.errors import ExitCode, UsageError
from sparktune.flows.drift import DriftWish, drift_exit, drift_rows, observe_drift, watch_drift
from sparktune.io.cluster import NodeTarget, find_nodes
from sparktune.io.config import CONFIG_NAME, Config, ServiceConfig, find_config, load_config
from sparktune.io.drift.service import DriftTargets
from sparktune.io.earned import find_earned, read_earned
from sparktune.io.secrets import read_api_key
from sparktune.model.drift import DriftRow, DriftView, ServicePlace
from sparktune.report.drift.json import drift_json, drift_json_line
from sparktune.report.drift.text import drift_text
from sparktune.units import Seconds

_UNITS: Final = {"s": 1.0, "m": 60.0, "h": 3600.0, "d": 86400.0}
_LEAST_S: Final = 1.0
_ATTACH: Final = "attach"


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftArguments:
    """The flags as they were given."""

    service: str = ""
    launcher: str = ""
    where: tuple[str, ...] = ()
    url: str = ""
    earned: Path | None = None
    nodes: str = ""
    everything: bool = False
    watch: bool = False
    every: str = "60s"
    as_json: bool = False
    quiet: bool = False


def run_drift(arguments: DriftArguments) -> None:
    """Look once, or until Ctrl-C, and leave with the code of what was found. Raises UsageError."""
    wish = wish_of(arguments)
    if arguments.watch:
        asyncio.run(_watched(wish, arguments, seconds_of(arguments.every, "--every")))
        return
    with waiting_said():
        view = asyncio.run(observe_drift(wish))
    rows = drift_rows(view)
    _print(wish, rows, arguments)
    _note(view.notes, arguments)
    code = drift_exit(rows)
    if code is not ExitCode.DONE:
        raise typer.Exit(int(code))


def wish_of(arguments: DriftArguments, read: Config | None = None, *, earned: bool = True) -> DriftWish:
    """Return what is meant by flags and ``sparktune.yaml``; ``read`` where somebody has read that just now.

    Without ``earned`` its file is not looked at: who takes a restore back needs nothing of it, and it may be broken.
    Raises UsageError for what names no service.
    """
    path = find_config(Path.cwd()) if read is None else None
    config = load_config(path) if path is not None else read
    name, service = _service(arguments, config)
    place = _place(arguments, name, service)
    targets = _targets(arguments.nodes, place, config)
    key = read_api_key(
        os.environ,
        file=config.key_file(service) if config is not None and service is not None else None,
        variable=service.api_key_env if service is not None else None,
    )
    wish = DriftWish(
        place=place,
        targets=DriftTargets(nodes={one.name: one for one in targets}, api_key=key.secret),
        nodes=targets,
        cluster=tuple(one.name for one in targets),
    )
    return _with_earned(wish, arguments) if earned else wish


def _with_earned(wish: DriftWish, arguments: DriftArguments) -> DriftWish:
    path = find_earned(Path(), arguments.earned)
    if arguments.earned is not None and not path.exists():
        message = f"there is no file {path}"
        raise UsageError(message, hint="it is written by sparktune ab --accept, and by sparktune earned accept RUN")
    entries = tuple(one.content for one in read_earned(path))
    return replace(wish, earned=entries, earned_file=str(path) if path.exists() else "")


def _service(arguments: DriftArguments, config: Config | None) -> tuple[str, ServiceConfig | None]:
    """Return the service of the file that is meant, None where flags say all of it."""
    if arguments.service:
        if config is None:
            message = f"the service {arguments.service!r} is to be looked up, and no {CONFIG_NAME} is here or above"
            raise UsageError(message, hint="write one with: sparktune init; or give --launcher and --where")
        return arguments.service, config.service(arguments.service)
    if arguments.where or arguments.url or arguments.launcher:
        return "", None
    if config is None or not config.services:
        message = f"no service is named, and {f'{config.path} has none' if config else f'no {CONFIG_NAME} is here'}"
        place = "--launcher compose --where local:/srv/compose.yaml:vllm --url URL"
        hint = f"write one with: sparktune init; or name the place, for instance: {place}"
        raise UsageError(message, hint=hint)
    service = config.service()
    return next(name for name, one in config.services.items() if one is service), service


def _place(arguments: DriftArguments, name: str, service: ServiceConfig | None) -> ServicePlace:
    launcher = arguments.launcher or (service.launcher if service else None) or _ATTACH
    where: Sequence[Mapping[str, Any]] = where_values(arguments.where, launcher)
    if not where and service is not None and launcher == (service.launcher or _ATTACH):
        where = service.where
    if not where and launcher in SERVICES:
        message = f"launcher {launcher} needs to know where the service is"
        raise UsageError(message, hint=f"give --where {SERVICES[launcher][0]}, or where: in {CONFIG_NAME}")
    return ServicePlace(
        name=name,
        launcher=launcher,
        where=tuple(where),
        endpoint=arguments.url or (service.endpoint if service else ""),
        model=(service.model if service else None) or "",
        pins={str(key): value for key, value in service.pins.items()} if service else {},
    )


def _targets(nodes: str, place: ServicePlace, config: Config | None) -> tuple[NodeTarget, ...]:
    """Return the nodes that are named, those of the file, and those that the service has parts on."""
    named = [one.strip() for one in nodes.split(",") if one.strip()]
    if nodes and not named:
        raise no_names(nodes)
    parts = [str(node) for where in place.where for node in (where.get("node"), *_listed(where.get("nodes"))) if node]
    listed = named or [one.name for one in (config.nodes if config is not None else ())]
    return find_nodes(list(dict.fromkeys([*listed, *parts])), config)


def _listed(value: object) -> Sequence[object]:
    return value if isinstance(value, list | tuple) else ()


async def _watched(wish: DriftWish, arguments: DriftArguments, every_s: Seconds) -> None:
    told: set[str] = set()

    async def observe() -> DriftView:
        view = await observe_drift(wish)
        _note([note for note in view.notes if note not in told], arguments)
        told.update(view.notes)
        return view

    async for rows in watch_drift(observe, every_s, asyncio.sleep):
        if arguments.as_json:
            sys.stdout.write(drift_json_line(wish.place.name, rows))
        else:
            _print(wish, rows, arguments)
        sys.stdout.flush()


def _print(wish: DriftWish, rows: Sequence[DriftRow], arguments: DriftArguments) -> None:
    if arguments.as_json:
        sys.stdout.write(drift_json(wish.place.name, rows))
        return
    text = drift_text(
        rows, everything=arguments.everything, quiet=arguments.quiet, width=columns(), color=colour_wanted()
    )
    sys.stdout.write(text)


def _note(notes: Sequence[str], arguments: DriftArguments) -> None:
    for note in () if arguments.quiet else notes:
        sys.stderr.write(f"note: {note}\n")


def seconds_of(text: str, flag: str) -> Seconds:
    """Return a time of a flag, like 60s or 5m. Raises UsageError below a second, and above a year."""
    bare = text.strip()
    unit = _UNITS.get(bare[-1:], 0.0)
    number = bare[:-1] if unit else bare
    try:
        found = float(number) * (unit or 1.0)
    except ValueError:
        found = 0.0
    if not _LEAST_S <= found <= 366 * _UNITS["d"]:
        message = f"{flag}: a time of a second or more is wanted, not {text!r}"
        raise UsageError(message, hint=f"for instance {flag} 60s, 5m, 1h")
    return found
