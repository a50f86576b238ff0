"""Put ``sparktune status`` together: the file, the look, the store, the page."""

__all__ = ["print_page"]

import asyncio
import logging
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, datetime

from sparktune.cli._drift import DriftArguments, wish_of
from sparktune.cli._terminal import columns
from sparktune.errors import SparktuneError, UsageError
from sparktune.flows.earned import judge_all, running_of
from sparktune.flows.status import StatusWish, earned_standing, look_around, stored_verdicts
from sparktune.io.cluster import find_nodes
from sparktune.io.config import Config, ServiceConfig
from sparktune.io.earned import find_earned, read_earned
from sparktune.io.http.address import parse_address
from sparktune.io.last_looks import read_last_look, remember_last_look
from sparktune.io.restores import left_restores
from sparktune.io.store.location import database_path
from sparktune.io.store.store import Store
from sparktune.model.front_page import EarnedStanding, FrontPage, RestoreStanding, VerdictStanding
from sparktune.report.status.json import status_json
from sparktune.report.status.text import status_text
from sparktune.units import Seconds


def print_page(config: Config, limit_s: Seconds, *, as_json: bool) -> None:
    """Print the front page of a configured folder; what cannot be known is said on it."""
    # What is given up is killed; that its process was still ending when the look was over is no news for anybody.
    logging.getLogger("asyncio").setLevel(logging.ERROR)
    name, service, why_service = _service(config)
    looked = asyncio.run(look_around(_wish(config, name, service, limit_s), time.time))
    remember_last_look(config.path, looked.remember)
    verdicts, why_store = _verdicts(parse_address(service.endpoint).base_url if service else "")
    page = FrontPage(
        config=str(config.path),
        at_wall_s=time.time(),
        nodes=looked.nodes,
        service=looked.service,
        why_service=why_service,
        verdicts=verdicts,
        why_store=why_store,
        drift=looked.drift,
        restores=tuple(_restores(config)),
        earned=_earned(config),
    )
    sys.stdout.write(status_json(page) if as_json else status_text(page, width=columns()))
    for note in looked.notes:
        sys.stderr.write(f"note: {note}\n")


def _service(config: Config) -> tuple[str, ServiceConfig | None, str]:
    """Return the service that is meant, or why none is."""
    if not config.services:
        return "", None, ""
    try:
        service = config.service()
    except UsageError as error:
        return "", None, f"{str(error).removeprefix(f'{config.path} ')}; {error.hint}"
    return next(name for name, one in config.services.items() if one is service), service, ""


def _wish(config: Config, name: str, service: ServiceConfig | None, limit_s: Seconds) -> StatusWish:
    drift, why = None, ""
    if service is not None:
        try:
            drift = wish_of(DriftArguments(service=name), config)
        except SparktuneError as error:
            why = str(error)
    return StatusWish(
        nodes=find_nodes([], config),
        service=name,
        endpoint=service.endpoint if service is not None else "",
        api_key=drift.targets.api_key if drift is not None else None,
        drift=drift,
        why_no_drift=why,
        before=read_last_look(config.path),
        limit_s=limit_s,
    )


def _restores(config: Config) -> Iterator[RestoreStanding]:
    """Yield the restores of its services that did not end."""
    for folder, record in left_restores():
        if record.service not in config.services:
            continue
        with suppress(SparktuneError):  # what is wrong with the service is said in its own line
            if record.is_of(wish_of(DriftArguments(service=record.service), config, earned=False).place):
                yield RestoreStanding(service=record.service, key=record.key, runs=folder.is_owned())


def _verdicts(endpoint: str) -> tuple[tuple[VerdictStanding, ...], str]:
    """Return the newest of the store, or why it cannot be read; looking makes no store."""
    if not database_path().exists():
        return (), ""
    try:
        with Store.open() as store:
            unreadable: list[SparktuneError] = []
            return stored_verdicts(store, endpoint, unreadable.append), "; ".join(map(str, unreadable))
    except SparktuneError as error:
        return (), str(error)


def _earned(config: Config) -> EarnedStanding:
    path = find_earned(config.path.parent, None)
    today = datetime.fromtimestamp(time.time(), UTC).strftime("%Y-%m-%d")
    try:
        entries = read_earned(path)
        if not entries:
            return EarnedStanding(file=str(path))
        with Store.open() as store:
            found = judge_all(entries, lambda one: running_of(one, config, today=today, max_age_days=None), store)
    except SparktuneError as error:
        return EarnedStanding(file=str(path), why=str(error))
    return earned_standing(str(path), found)
