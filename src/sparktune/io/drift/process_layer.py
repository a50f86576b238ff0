"""What a serving process was started with, and since when: of its variables those that are asked for alone."""

__all__ = ["ProcessLayer", "process_layer", "started_ns"]

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from sparktune.deploy.settings.environment import env_setting, with_environment
from sparktune.deploy.settings.grammars import all_grammars
from sparktune.deploy.settings.live import process_settings
from sparktune.deploy.settings.normal import Normal
from sparktune.deploy.settings.view import engine_of
from sparktune.io.launching.service_look import Serves, ended_words, not_one
from sparktune.io.transport.readable import ReadableNode
from sparktune.model.document import Command, Word
from sparktune.model.reads import ReadFiles
from sparktune.model.setting import Layer, Origin, Setting
from sparktune.units import Nanoseconds

_TICKS: Final = 100  # USER_HZ of Linux on arm64 and x86-64
_NS: Final = 1_000_000_000
_STAT: Final = ReadFiles(pattern="/proc/stat", lines=("btime ",))


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessLayer:
    """``unread`` says why nothing of the process is known; ``no_variables`` why its variables are not."""

    settings: Mapping[str, Setting] = field(default_factory=dict)
    engine: str = ""
    unread: str = ""
    no_variables: str = ""


def process_layer(seen: Serves, node: str, image: str, engine: str) -> ProcessLayer:
    """Return what the serving process was started with; ``engine`` is the one of its files, where it tells none."""
    process = seen.serving.process
    wrong = not_one(seen.facts)
    if wrong or process is None:
        return ProcessLayer(unread=f"{wrong or seen.serving.why}{ended_words(seen.facts)}")
    text = seen.environment.value
    variables = dict(one.split("=", 1) for one in (text or "").split("\0") if "=" in one)
    command = Command(part="", words=tuple(Word(text=word, line=0) for word in process.argv))
    engine = engine_of(command, image) or engine
    grammar = next((one for one in all_grammars() if one.engine == engine), None)
    if grammar is not None:
        normal = process_settings(process.argv, variables, grammar, pid=process.pid, node=node)
    else:
        origin = Origin(layer=Layer.LIVE, place=f"pid {process.pid} of {node}", node=node)
        given = (env_setting(name, value, origin) for name, value in variables.items())
        normal = with_environment(Normal(settings=()), given, None)
    return ProcessLayer(
        settings={one.key: one for one in normal.settings},
        engine=engine,
        no_variables="" if text is not None else seen.environment.why or f"pid {process.pid} is gone",
    )


async def started_ns(node: ReadableNode, seen: Serves) -> Nanoseconds:
    """Return when the serving process was started by its node's wall clock, 0 where it is not told. Raises NodeError.

    Source: proc_stat(5) (``btime``, whole seconds) and proc_pid_stat(5) (``starttime``, in ticks since the boot).
    """
    process = seen.serving.process
    if process is None:
        return 0
    said = (await node.observe([_STAT])).matching(_STAT.pattern).get(_STAT.pattern)
    words = ((said.value if said else "") or "").split()
    if len(words) < 2 or not words[1].isdecimal():  # noqa: PLR2004 - "btime", and the number
        return 0
    return int(words[1]) * _NS + process.start_ticks * _NS // _TICKS
