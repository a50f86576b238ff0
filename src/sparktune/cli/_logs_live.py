"""``sparktune logs --live``: which nodes and which service, then what their logs tell."""

__all__ = ["read_live"]

import asyncio
from collections.abc import Mapping
from pathlib import Path

from sparktune.cli._nodes import each_once, no_names
from sparktune.errors import UsageError
from sparktune.flows.logs import LogsAnswer
from sparktune.flows.logs_live import live_logs
from sparktune.io.cluster import find_nodes
from sparktune.io.config import CONFIG_NAME, Config, ServiceConfig, find_config, load_config
from sparktune.units import Seconds


def read_live(nodes: str, service: str, tail: int, ahead_s: Mapping[str, Seconds]) -> LogsAnswer:
    """Read and judge. Raises UsageError, HostError when no node shows a log."""
    path = find_config(Path.cwd())
    config = load_config(path) if path is not None else None
    named = [one.strip() for one in nodes.split(",") if one.strip()]
    if nodes and not named:
        raise no_names(nodes)
    known = _service(service, config) if service else None
    where = known.where if known is not None else ()
    if known is not None and not where:
        message = f"the service {service!r} does not say where it is"
        raise UsageError(message, hint=f"write launcher: and where: of it into {CONFIG_NAME}, or leave --service out")
    parts = [str(one) for place in where for one in (place.get("node"), *(place.get("nodes") or ())) if one]
    targets = each_once(find_nodes(named or list(dict.fromkeys(parts)), config))
    launcher = (known.launcher if known is not None else None) or ""
    return asyncio.run(live_logs(targets, tail, ahead_s, where, launcher))


def _service(name: str, config: Config | None) -> ServiceConfig:
    if config is None:
        message = f"the service {name!r} is to be looked up, and no {CONFIG_NAME} is here or above"
        raise UsageError(message, hint="write one with: sparktune init; or leave --service out")
    return config.service(name)
