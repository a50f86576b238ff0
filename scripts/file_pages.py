"""The reference pages of files that people write, and of what logs tell: from the types and tables that read them."""

import dataclasses
import inspect
import re
import sys
import types
import typing
from collections.abc import Iterable, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import ModuleType
from typing import Annotated, Any, Literal

import msgspec

from sparktune.agent import steps
from sparktune.bench import imports
from sparktune.deploy import launchers
from sparktune.deploy.settings import grammars
from sparktune.experiment.protection import Protection
from sparktune.formats import kinds
from sparktune.host import facts as facts_of_nodes
from sparktune.io import experiment_parts, own_prompts
from sparktune.io.config import NodeConfig, ServiceConfig, WorkloadConfig
from sparktune.io.experiment_file import KEYS
from sparktune.io.sweep_file import SWEEP_KEYS
from sparktune.io.workload_cells import HouseholdConfig
from sparktune.logs import readers, rules
from sparktune.logs.facts import FACTS
from sparktune.model.earned import EarnedEnd, EarnedEvidence, EarnedScope
from sparktune.model.guard import Limits
from sparktune.model.quality import QualityPlan

__all__ = ["file_formats_page", "log_facts_page", "parts_page"]

_WORKLOAD = experiment_parts._Workload  # noqa: SLF001 - what a file may hold is nobody's business but its reader's
_PROMPT = own_prompts._Line  # noqa: SLF001

_PLAIN = {
    str: "text",
    int: "whole number",
    float: "number",
    bool: "true or false",
    dict: "names and values",
    Any: "any",
}
_NAMED = {"HouseholdConfig": "household, below", "_Message": "`role` and `content`"}
_EXPERIMENT = {
    "name": "what it is called in lists and reports",
    "url": "the server, as far as `/v1`",
    "service": "or its name in `sparktune.yaml`, which says `url`, `launcher` and `where`",
    "launcher": "how arms are set: [arms](../concepts/arms.md)",
    "knob": "what differs; found by itself when it is one setting. Several are refused unless it names them all",
    "a": "arm A, in its launcher's words: what runs now",
    "b": "arm B: the candidate",
    "where": "the parts of the service, in the order in which they start",
    "live": "how each arm is read back: `http`, `command`, or others of its launcher",
    "workload": "what is sent, below; or the name of one in `sparktune.yaml`",
    "primary": "the [metric](metrics.md) that decides (`output_tok_s`); `{metric: ..., weights: {CELL: 2}}`",
    "guards": 'metrics that must not get worse, each with its margin: `ttft_s` (10 %), `"ttft_s:0.05"`',
    "margin": "the smallest effect worth having, as a share (0.03 for rates, 0.05 for times)",
    "equivalence": "the largest that does not matter (0.05 for rates, 0.1 for times)",
    "equivalence_test": "ask whether both arms are the same, instead of which is better",
    "max_blocks": "3, 5 or 8 (8); with 1 or 2 there is no verdict",
    "seed": "fixes the order of visits and cells, and the texts",
    "aa": "measure arm A twice: how large is the noise?",
    "settle_s": "the wait after a setting without a restart (60)",
    "nodes": "the machines that are watched",
    "guard": "when a host is protected, below; `off` watches nothing",
    "quality": "questions after the trials of a visit, below",
}
_SWEEP = {
    "baseline": "the configuration that runs now, as an arm; of a service it is what its files say",
    "knobs": "each a [knob](knobs.md), `flag:--x` or `env:X`: `[1, 2]`, `2..5`, `4..16/4`, `2048..16384x2`",
    "params": "or vLLM's own file of parameters to sweep",
    "constraints": "limits like `ttft_max_s<=20` or `mem_available_bytes>=6GiB`",
    "budget": "how long it may choose: `3h`, `90m`, `600s`",
    "race_blocks": "blocks of the race (3)",
    "pairs": "race combinations of what looks better singly (true)",
    "confirm_blocks": "blocks of the confirmation at most: 3, 5 or 8 (8)",
    "engine": "the engine's id, where its server does not tell it",
}
_OF_EXPERIMENT = (
    "`sparktune ab FILE`; every key has a flag, which goes before the file. "
    "[How to use it](../guides/compare-two-settings.md)."
)
_OF_SWEEP = (
    "`sparktune sweep FILE`: the keys of an experiment without `a`, `b`, `knob`, `aa`, `equivalence_test` and "
    "`max_blocks`, and these. [How to use it](../guides/sweep.md)."
)
_OF_EARNED = (
    "`schema: 1`, then `settings` and `history`: lists of entries with `knob`, `value`, `instead_of`, `scope` and "
    "`evidence`; those of `history` have `ended`, too. What this version does not know of an entry it leaves where it "
    "is. [How to use it](../guides/keep-an-earned-setting.md)."
)
_PARTS = (
    ("Launchers: how a service is started and set", launchers),
    ("Formats of results that check reads", imports),
    ("Kinds of text that lint, ab and drift read and edit", kinds),
    ("Grammars of engines' command lines", grammars),
    ("Sources of facts on a node", facts_of_nodes),
    ("Kinds of step that the node's agent does and undoes", steps),
)
_CONFIG = {
    "nodes": "names that `ssh` knows, or `{name: ..., host: ...}`",
    "services": "servers by name, below",
    "default_service": "the one that is meant when none is named",
    "workloads": "what is sent, by name, below",
    "guard": "limits of `sparktune guard`: the fields of the section guard, below, that are limits",
}


def file_formats_page() -> str:
    """Return the page of all files that people write or keep. Raises ValueError where a key is not described."""
    sections = [
        ("sparktune.yaml", "Found in this folder or the nearest one above it.", _keys(_CONFIG, _CONFIG)),
        ("sparktune.yaml: a node", "", _fields(NodeConfig)),
        ("sparktune.yaml: a service", "", _fields(ServiceConfig)),
        ("sparktune.yaml: a workload", "", _fields(WorkloadConfig)),
        ("An experiment file", _OF_EXPERIMENT, _keys(_EXPERIMENT, KEYS)),
        ("Experiment: workload", "", _fields(_WORKLOAD)),
        ("Workload: household", "", _fields(HouseholdConfig)),
        ("Experiment: guard", "", f"{_fields(Protection, without=('on', 'limits'))}\n\n{_fields(Limits)}"),
        ("Experiment: quality", "", _fields(QualityPlan)),
        ("A sweep file", _OF_SWEEP, _keys(_SWEEP, SWEEP_KEYS)),
        ("earned.yaml", _OF_EARNED, ""),
        ("earned.yaml: scope", "", _fields(EarnedScope)),
        ("earned.yaml: evidence", "", _fields(EarnedEvidence)),
        ("earned.yaml: ended", "", _fields(EarnedEnd)),
        ("A file of own prompts", "One JSON object a line.", _fields(_PROMPT)),
        ("A trace of traffic", "One JSON object a line: [traffic files](traffic-files.md).", ""),
        ("Files of a report", "What `doctor --from DIR` reads: [by their names](report-files.md).", ""),
    ]
    body = "\n\n".join("\n\n".join(filter(None, (f"## {title}", text, table))) for title, text, table in sections)
    introduction = (
        "Every file that you write, and those that are kept for you, with every key. A key that is not here is\n"
        "refused with its line, but in `earned.yaml` and in traces, where it is left alone."
    )
    return f"# File formats\n\n{introduction}\n\n{body}\n"


def log_facts_page() -> str:
    """Return the page of what logs tell besides failures: facts, their readers, and the rules that judge them."""
    told = {key: [name for name, module in _modules(readers) if _reads(module, key)] for key in FACTS}
    untold = [key for key, names in told.items() if not names]
    if untold:
        message = f"no reader tells {', '.join(untold)}"
        raise ValueError(message)
    rows = [
        f"| `{key}` | {kind.title} | {kind.unit or ('text' if kind.text else '')} | {', '.join(told[key])} |"
        for key, kind in FACTS.items()
    ]
    facts = "\n".join(["| key | what it is | unit | read by |", "|---|---|---|---|", *rows])
    listed = "\n".join(f"- **{name}**: {_lead(module)}" for name, module in _modules(readers))
    judged = "\n\n".join(_rule(module) for _, module in _modules(rules))
    introduction = (
        "What `sparktune logs` reads in the logs of engines besides [messages](log-messages.md): facts, each with its\n"
        "line, and the rules that judge them. What a log does not tell is no fact, and makes a rule silent.\n"
        "[How to use it](../guides/failed-start.md)."
    )
    parts = (
        f"# Facts and rules of logs\n\n{introduction}",
        f"## Facts\n\nIn this order they are shown; `--json` has them by key.\n\n{facts}",
        f"## Readers\n\nEach is one file in `src/sparktune/logs/readers/`.\n\n{listed}",
        f"## Rules\n\nEach is one file in `src/sparktune/logs/rules/`; an error sets exit code 3.\n\n{judged}",
    )
    return "\n\n".join(parts) + "\n"


def parts_page() -> str:
    """Return the page of the other parts that are one file each: what they are, by the names of their files."""
    sections = []
    for title, package in _PARTS:
        place = package.__name__.replace(".", "/")
        listed = "\n".join(f"- **{name.replace('_', '-')}**: {_lead(module)}" for name, module in _modules(package))
        sections.append(f"## {title}\n\nOne file each in `src/{place}/`.\n\n{listed}")
    introduction = (
        "Parts that are one file each and have no page of their own. To add one, see\n"
        "[contributing](../../CONTRIBUTING.md)."
    )
    return "\n\n".join(["# Launchers, formats and sources", introduction, *sections]) + "\n"


def _modules(package: ModuleType) -> list[tuple[str, ModuleType]]:
    names = sorted(found.name for found in iter_modules(package.__path__) if not found.name.startswith("_"))
    return [(name, import_module(f"{package.__name__}.{name}")) for name in names]


def _reads(module: ModuleType, key: str) -> bool:
    return re.search(rf"\b{key}\b", inspect.getsource(module)) is not None


def _lead(module: ModuleType) -> str:
    return " ".join((module.__doc__ or "").replace("``", "`").split())


def _rule(module: ModuleType) -> str:
    rule = module.RULE
    facts = f"- **Why it matters**: {rule.why}\n- **Source**: {rule.source}"
    return f"### {rule.id}: {rule.title}\n\n{_lead(module)}\n\n{facts}"


def _keys(meanings: Mapping[str, str], known: Iterable[str]) -> str:
    if set(meanings) != set(known):
        message = f"described here and not there, or there and not here: {set(meanings) ^ set(known)}"
        raise ValueError(message)
    rows = [f"| `{key}` | {meanings[key]} |" for key in known]
    return "\n".join(["| key | means |", "|---|---|", *rows])


def _fields(kind: type, without: tuple[str, ...] = ()) -> str:
    """Return what a type's docstring says, and a table of its fields: name, kind, and what holds without it."""
    hints = typing.get_type_hints(kind, vars(sys.modules[kind.__module__]), include_extras=True)
    rows = [
        f"| `{name}` | {_kind(hints[name])} | {_default(default)} |"
        for name, default in _defaults(kind)
        if name not in without
    ]
    text = " ".join((inspect.getdoc(kind) or "").replace("``", "`").split()).replace("None ", "`null` ")
    return "\n\n".join([text, "\n".join(["| key | kind | without it |", "|---|---|---|", *rows])])


def _defaults(kind: type) -> Iterable[tuple[str, Any]]:
    listed: Iterable[Any] = (
        dataclasses.fields(kind) if dataclasses.is_dataclass(kind) else msgspec.structs.fields(kind)  # type: ignore[arg-type]
    )
    missing = (dataclasses.MISSING, msgspec.NODEFAULT)
    for field in listed:
        made = field.default_factory
        yield field.name, (field.default if made in missing else made())


def _default(value: Any) -> str:  # noqa: ANN401 - a default may be of any kind
    if value in (dataclasses.MISSING, msgspec.NODEFAULT):
        return "refused"
    if value is None or value in ("", (), {}):
        return ""
    if isinstance(value, tuple):
        return f"`[{', '.join(map(str, value))}]`"
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    if isinstance(value, int) and value and value % 2**30 == 0:
        return f"`{value // 2**30}GiB`"
    return f"`{value:.15g}`" if isinstance(value, float) else f"`{getattr(value, 'value', value)}`"


def _kind(hint: Any) -> str:  # noqa: ANN401, PLR0911 - whatever stands in an annotation
    origin, args = typing.get_origin(hint), typing.get_args(hint)
    if origin is Annotated:
        return _kind(args[0]) + _limits(hint.__metadata__)
    if origin is Literal:
        return ", ".join(f"`{word}`" for word in args)
    if origin in (typing.Union, types.UnionType):
        return " or ".join(_kind(part) for part in args if part is not types.NoneType)
    if origin is tuple:
        return f"list: {_kind(args[0])}"
    if origin is not None and isinstance(origin, type) and issubclass(origin, Mapping):
        return "names and values"
    if isinstance(hint, type) and hasattr(hint, "__members__"):
        return ", ".join(f"`{one.value}`" for one in hint)  # type: ignore[attr-defined]
    return _PLAIN.get(hint, _NAMED.get(hint.__name__, hint.__name__))


def _limits(metadata: Iterable[Any]) -> str:
    said = []
    for meta in metadata:
        for sign, value in (("at least", meta.ge), ("above", meta.gt), ("at most", meta.le), ("below", meta.lt)):
            if value is not None:
                said.append(f"{sign} {value:,.15g}")
    return f" ({', '.join(said)})" if said else ""
