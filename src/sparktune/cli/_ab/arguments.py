"""The flags of ``sparktune ab`` as the values that an experiment file would have."""

__all__ = ["values_of"]

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from sparktune.bench.cells import parse_numbers
from sparktune.cli._ab.flag_words import in_flags
from sparktune.cli._ab.flags import AbFlags
from sparktune.cli._ab.services import SETTINGS, arm_values, where_values
from sparktune.errors import UsageError
from sparktune.io.config import find_config, load_config
from sparktune.io.experiment_file import read_experiment_file
from sparktune.io.experiment_values import Fault

_LIVE: Final = re.compile(r"(?P<path>/[^:]*):(?P<keys>[^=]+)=(?P<a>[^,]*)(?:,(?P<b>.*))?", re.DOTALL)
_FLAGS: Final = {
    "settle_s": "--settle",
    "guards": "--guard",
    "live": "--live-http",
    "tail_s": "--tail",
    "equivalence_test": "--equivalence",
}
_LISTS: Final = ("prompt_tokens", "output_tokens", "depth", "concurrency")
_ARM_WORD: Final = {"attach": "text"}


def values_of(file: Path | None, flags: AbFlags) -> tuple[dict[str, Any], Fault]:
    """Return what the file and the flags say together, flags first, and how to complain about a place in it."""
    written, fault = read_experiment_file(file) if file is not None else ({}, None)
    given = _given(flags, launcher=flags.launcher or str(written.get("launcher") or _of_service(flags, written)))
    values = {**written, **given}
    base = flags.workload or written.get("workload")
    asked = _workload(flags)
    if asked and isinstance(base, str | Mapping):
        values["workload"] = {**({"from": base} if isinstance(base, str) else base), **asked}
    protected = {"stop_engine": flags.stop_engine or None, "tail_s": flags.tail_s}
    if flags.quality and not isinstance(written.get("quality"), Mapping):
        values["quality"] = True
    if said := {name: value for name, value in protected.items() if value is not None}:
        section = written.get("guard")
        values["guard"] = {**section, **said} if isinstance(section, Mapping) else said
    return values, _fault(fault, frozenset(given), flags)


def _of_service(flags: AbFlags, written: Mapping[str, Any]) -> str:
    """Return the launcher of a service that is named, as sparktune.yaml has it: the words of an arm are its words.

    "" where none is said, or no such file is there: that is told where the service is looked up. Raises UsageError.
    """
    name = flags.service or written.get("service")
    path = find_config(Path.cwd()) if isinstance(name, str) and name else None
    return (load_config(path).service(name).launcher or "") if path is not None else ""


def _given(flags: AbFlags, *, launcher: str) -> dict[str, Any]:
    plain = {
        "url": flags.url,
        "service": flags.service,
        "launcher": flags.launcher,
        "knob": flags.knob,
        "primary": flags.primary,
        "margin": flags.margin,
        "max_blocks": flags.max_blocks,
        "settle_s": flags.settle_s,
        "seed": flags.seed,
        "aa": flags.aa or None,
        "equivalence_test": flags.equivalence or None,
        "guards": flags.guards or None,
        "nodes": [name.strip() for name in flags.nodes.split(",") if name.strip()] or None,
        "workload": flags.workload or _workload(flags) or None,
        "live": _live(flags.live_http or []) or None,
        "where": where_values(flags.where or [], launcher) or None,
    }
    values = {name: value for name, value in plain.items() if value is not None and value != ""}
    given = (("a", flags.a), ("b", flags.b))
    return {**values, **{name: _arm(text, launcher, f"--{name}") for name, text in given if text}}


def _arm(text: str, launcher: str, flag: str) -> dict[str, Any]:
    if launcher in SETTINGS:
        return arm_values(text, launcher, flag)
    return {_ARM_WORD.get(launcher, "command"): text}


def _workload(flags: AbFlags) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for name in _LISTS:
        text = getattr(flags, name)
        if text:
            flag = f"--{name.replace('_', '-')}"
            found[name] = list(parse_numbers(text, flag=flag, smallest=0 if name == "depth" else 1))
    shape = {
        "stagger": flags.stagger or None,
        "arrival_rate": flags.arrival_rate,
        "household": None if flags.household is None else {"scale": flags.household},
        "prompts": None if flags.prompts is None else str(flags.prompts),
        "nonce": flags.nonce or None,
    }
    found |= {name: value for name, value in shape.items() if value is not None}
    if flags.trials is not None:
        found["trials"] = flags.trials
    if flags.warmup:
        found["warmup"] = int(flags.warmup) if flags.warmup.isascii() and flags.warmup.isdigit() else flags.warmup
    if flags.model:
        found["model"] = flags.model
    return found


def _live(texts: Sequence[str]) -> dict[str, Any]:
    readers: dict[str, dict[str, str]] = {}
    for text in texts:
        match = _LIVE.fullmatch(text)
        if match is None:
            message = f"--live-http {text!r} is not PATH:KEYS=A,B"
            raise UsageError(message, hint="for instance --live-http /props:total_slots=1,4")
        reader = {"http": match["path"], "keys": match["keys"], "A": match["a"]}
        readers[f"{match['path']} {match['keys']}"] = reader if match["b"] is None else {**reader, "B": match["b"]}
    return readers


def _fault(of_file: Fault | None, given: frozenset[str], flags: AbFlags) -> Fault:
    def of_flags(where: tuple[Any, ...], message: str, hint: str) -> UsageError:
        key = str(where[0]) if where else ""
        below = str(where[1]) if len(where) > 1 and key in {"workload", "guard"} else ""
        flag = _FLAGS.get(below or key, f"--{(below or key).replace('_', '-')}") if key else ""
        said = in_flags(f"{flag}: {message}" if flag else message)
        return UsageError(said, hint=in_flags(hint + _only_in_a_file(key, flags)))

    def fault(where: tuple[Any, ...], message: str, hint: str) -> UsageError:
        if of_file is None:
            return of_flags(where, message, hint)
        by_flag = bool(where) and where[0] in given and (where[0] != "workload" or _flag_of_workload(where, flags))
        return of_flags(where, message, hint) if by_flag else of_file(where, message, hint)

    return fault


def _only_in_a_file(key: str, flags: AbFlags) -> str:
    """Say where there is no flag for it: what a launcher needs besides a command or a text is written in a file."""
    if flags.launcher in {"", "command", "attach", *SETTINGS} or key not in {"a", "b", "where"}:
        return ""
    return "; its arms have more than a command, and are written in a file: sparktune ab FILE.yaml"


def _flag_of_workload(where: tuple[Any, ...], flags: AbFlags) -> bool:
    return len(where) > 1 and bool(getattr(flags, str(where[1]), None))
