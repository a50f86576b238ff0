"""Put ``sparktune quality`` together: which server, what is asked, how it is shown, the exit code."""

__all__ = ["QualityArguments", "run_quality"]

import asyncio
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import typer

from sparktune.bench.body import extra_fields
from sparktune.cli._progress import make_progress
from sparktune.cli._terminal import fitted
from sparktune.errors import ExitCode, UsageError
from sparktune.flows.quality import QualityOrder, quality_of_server
from sparktune.io.config import CONFIG_NAME, Config, find_config, load_config
from sparktune.io.secrets import read_api_key
from sparktune.model.options import SendOptions, Thinking
from sparktune.model.quality import QualityPlan
from sparktune.report.quality import quality_json, quality_text
from sparktune.units import Seconds, Tokens

_ONLY: Final = ("", "tools", "canary")


@dataclass(frozen=True, slots=True, kw_only=True)
class QualityArguments:
    """The flags, by the names that the help explains."""

    url: str
    service: str
    model: str
    api_key: str
    api_key_file: Path | None
    only: str
    repeats: int
    answer_tokens: Tokens
    answer_s: Seconds
    limit_s: Seconds
    thinking: str
    extra_body: str
    wait_s: Seconds
    json: bool
    quiet: bool


def run_quality(arguments: QualityArguments) -> None:
    """Ask, print, and leave with the exit code. Raises a SparktuneError for what the user should know."""
    order, warnings = _order(arguments)
    progress = make_progress(quiet=arguments.quiet)
    for warning in warnings:
        progress.say(f"warning: {warning}")
    score = asyncio.run(quality_of_server(order, progress.say))
    sys.stdout.write(quality_json(score) if arguments.json else fitted(quality_text(score)))
    if score.open:
        raise typer.Exit(int(ExitCode.NOT_CONCLUSIVE))


def _refuse_unknown_words(arguments: QualityArguments) -> None:
    if arguments.only not in _ONLY:
        message = f"--only {arguments.only!r} is neither tools nor canary"
        raise UsageError(message, hint="leave it out for both")
    if arguments.thinking not in {one.value for one in Thinking}:
        message = f"--thinking {arguments.thinking!r} is none of server, on, off"
        raise UsageError(message, hint="server leaves it as it is")


def _plan(arguments: QualityArguments) -> QualityPlan:
    return QualityPlan(
        tools=arguments.only != "canary",
        canary=arguments.only != "tools",
        answer_tokens=arguments.answer_tokens,
        answer_s=arguments.answer_s,
        limit_s=arguments.limit_s,
    )


def _order(arguments: QualityArguments) -> tuple[QualityOrder, tuple[str, ...]]:
    _refuse_unknown_words(arguments)
    config = _config(arguments)
    service = config.service(arguments.service or None) if config is not None else None
    key = read_api_key(
        os.environ,
        flag=arguments.api_key or None,
        file=arguments.api_key_file or (config.key_file(service) if config and service else None),
        variable=service.api_key_env if service else None,
    )
    order = QualityOrder(
        base_url=arguments.url or (service.endpoint if service else ""),
        options=SendOptions(
            model=arguments.model or (service.model if service else None) or "",
            thinking=Thinking(arguments.thinking),
            extra_body=arguments.extra_body,
        ),
        plan=_plan(arguments),
        repeats=arguments.repeats,
        secret=key.secret,
        wait_s=arguments.wait_s,
    )
    extra_fields(order.options)
    return order, tuple(key.warnings)


def _config(arguments: QualityArguments) -> Config | None:
    """Return the configuration where it is needed. Raises UsageError when nothing names a server."""
    if arguments.url and not arguments.service:
        return None
    path = find_config(Path())
    if path is None:
        named = f"the service {arguments.service!r} is to be looked up" if arguments.service else "no server is named"
        message = f"{named}, and no {CONFIG_NAME} is in this folder or above it"
        raise UsageError(message, hint="give the server's address: sparktune quality http://HOST:8000/v1")
    return load_config(path)
