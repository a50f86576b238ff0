"""The shapes of ``--json``, in a compact notation, as JSON Schemas (2020-12): what is promised, and not more.

A text names a type: ``str``, ``int``, ``num``, ``bool``, ``any``; ``?`` behind it allows null; ``a|b`` behind ``=`` are
the only words. A list of one is an array; a dict an object whose keys are required but for those that end with ``?``;
``{"*": X}`` is an object with keys of any name. ``Null(X)`` allows null in the place of X. ``"!why": {KEY: REASON}``:
where KEY is null, REASON is a text that is not empty. More members are welcome everywhere.
"""

from dataclasses import dataclass
from typing import Any

__all__ = ["SCHEMAS", "schema_of"]

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_TYPES = {"str": "string", "int": "integer", "num": "number", "bool": "boolean"}


@dataclass(frozen=True, slots=True)
class Null:
    """Null, or what is in it."""

    of: Any


_FINDING = {
    "rule": "str", "severity": "=error|warning|info", "node": "str?", "file": "str?", "line": "int?", "evidence": "str",
    "hint": "str", "source": "str", "why": "str",
}  # fmt: skip
_STATUS = "=ok|warn|invalid|unknown"
_CHECK = {"id": "str", "status": _STATUS, "evidence": "str", "hint": "str"}
_METRIC = {
    "median": "num?", "min": "num?", "max": "num?", "p90": "num?", "p99": "num?", "n": "int", "trials": "int",
    "per_trial": ["num?"], "unit": "str", "title": "str", "why": "str",
    "!why": dict.fromkeys(("median", "min", "max", "p90", "p99"), "why"),
}  # fmt: skip
_CELL = {
    "name": "str", "prompt_tokens": "int?", "output_tokens": "int", "depth": "int", "concurrency": "int",
    "trials": "int", "trials_asked": "int", "incomplete": "int", "requests": "int", "failures": {"*": "int"},
    "valid": "bool", "label": "str?", "metrics": {"*": _METRIC}, "checks": [_CHECK], "why": "str",
    "!why": {"prompt_tokens": "why", "label": "why"},
}  # fmt: skip
_EFFECT = {
    "ratio": "num", "low": "num", "high": "num", "confidence": "num", "blocks": "int", "deviation": "num",
    "wins": "int",
}  # fmt: skip
_VERDICT = "=IMPROVED|REGRESSED|EQUIVALENT|DIFFERENT|INCONCLUSIVE|INVALID|STOPPED"
_AB = {
    "run": "str", "created": "str", "verdict": Null(_VERDICT), "anecdote": "bool", "sentence": "str", "why": "str",
    "primary": "str", "better": "=higher|lower", "effect": Null(_EFFECT), "blocks": "int", "planned_blocks": "int",
    "guards": [
        {"metric": "str", "margin": "num", "status": "=ok|unproven|harmed", "effect": Null(_EFFECT), "why": "str"}
    ],
    "checks": [_CHECK], "cells": [{"cell": "str", "effect": Null(_EFFECT), "why": "str"}], "margin": "num",
    "afterwards": "str", "notes": ["str"], "next": ["str"], "!why": {"verdict": "why", "effect": "why"},
}  # fmt: skip
_LINE = {"line": "int", "time_s": "num?", "process": "str?", "text": "str"}
_EVENT = {
    "file": "str", "node": "str?", "id": "str?", "title": "str?", "role": "=root|secondary|note|benign|unknown",
    "severity": "=error|warning|info", "cause": "str?", "fix": "str?", "source": "str?", "count": "int",
    "first": _LINE, "last": _LINE,
}  # fmt: skip
_THREAD = {"pid": "int", "tid": "int", "start_ticks": "int", "name": "str", "process": "str"}
_LAYER = Null({"state": "str", "text": "str", "place": "str", "why": "str"})
_INTERVAL = Null({"count": "int", "total": "int", "low": "num", "high": "num", "confidence": "num"})
_DIFFERENCE = Null({"mean": "num", "low": "num", "high": "num", "confidence": "num", "blocks": "int"})
_CELL_OF_TABLE = {
    "arm": "str", "prompt_tokens": "int?", "output_tokens": "int?", "depth": "int?", "concurrency": "int?",
    "label": "str", "!why": dict.fromkeys(("prompt_tokens", "output_tokens", "depth", "concurrency"), "why"),
}  # fmt: skip
_COMPARISON = {
    "metric": "str", "better": "=higher|lower", "first": "str", "second": "str", "ratio": "num?", "low": "num?",
    "high": "num?", "confidence": "num", "paired_by": "str", "n": "int", "wins": "int", "words": "str",
    "!why": {"low": "why"},
}  # fmt: skip
_ENTRY = {
    "knob": "str", "value": "any", "instead_of": "any", "line": "int",
    "scope": {"*": "any", **dict.fromkeys(
        ("cluster", "service", "image_digest", "launcher", "model", "revision", "workload"), "str?"
    )},
    "evidence": {
        "*": "any", "run": "str", "date": "str", "metric": "str", "ratio": "num?", "low": "num?", "high": "num?",
        "confidence": "num?", "blocks": "int?", "!why": {"ratio": "why"},
    },
}  # fmt: skip
_HOST_NODE = {
    "node": "str", "error": "str?", "hint": "str?",
    "state": "=untouched|applied|unconfirmed|rolled back|reverted|given up|incomplete|unknown", "planned": "bool",
    "steps": [{
        "change": "str", "target": "str", "from": "any", "to": "any", "takes_effect": "=live|restart|reboot",
        "cuts_off": "any", "diff": "str?",
    }],
    "refusals": [{"change": "str", "reason": "str", "hint": "str", "evidence": ["str"], "allow": "str?"}],
    "verified": "bool",
    "checks": [{
        "change": "str", "target": "str", "wanted": "str", "effective": "str",
        "status": "=OK|DIFFERENT|ABSENT|UNREADABLE|PENDING_REBOOT", "why": "str",
    }],
    "outcome": Null({"transaction": "str", "state": "str", "failed": "str?", "steps": ["any"], "undone": ["any"]}),
    "undone": ["any"],
    "transactions": [{"id": "str", "state": "str", "label": "str", "began_s": "num?", "ended_s": "num?"}],
    "holder": "str?", "notes": ["str"],
}  # fmt: skip

SCHEMAS: dict[str, tuple[str, dict[str, Any]]] = {
    "bench": (
        "bench, demo --bench, runs show, runs export",
        {
            "run": "str", "state": "str", "created": "str", "base_url": "str", "model": "str",
            "engine": {"name": "str", "version": "str?", "!why": {"version": "why"}}, "cells": [_CELL],
            "notes": ["str"], "workload": {"*": "any"}, "provenance": {"*": "any"},
        },
    ),
    "runs": (
        "runs list",
        {"runs": [{
            "run": "str", "created": "str", "state": "str", "base_url": "str", "model": "str", "engine": "str",
            "cells": "int", "waves": "int", "valid": "int?", "why": "str", "!why": {"valid": "why"},
        }]},
    ),
    "ab": ("ab run, ab resume, ab show, demo", _AB),
    "experiments": (
        "ab list",
        {"experiments": [{
            "id": "str", "created_wall_s": "num", "base_url": "str", "name": "str", "knob": "str", "metric": "str",
            "state": "=running|interrupted|done", "why": "str", "verdict": "str", "holds": "bool", "owner": "str?",
        }]},
    ),
    "sweep": (
        "sweep run, sweep resume, sweep show",
        {
            "sweep": "str", "created": "str", "state": "=running|interrupted|done", "verdict": "str", "sentence": "str",
            "why": "str?", "winner": "str?", "primary": "str", "better": "=higher|lower", "margin": "num",
            "took_s": "num", "ranges": ["any"], "pruned": ["any"], "visits": ["any"], "predictions": ["any"],
            "known": [{
                "key": "str", "values": {"*": "any"}, "standing": "str", "log_ratio": "num?", "visits": "int",
                "why": "str?",
            }],
            "confirmation": Null({**_AB, "schema": "int"}), "afterwards": "str", "next": ["str"],
        },
    ),
    "sweeps": (
        "sweep list",
        {"sweeps": [{
            "sweep": "str", "created": "str", "verdict": "str", "winner": "str?", "confirm": "str?", "knobs": ["str"],
            "url": "str", "owner": "str?",
        }]},
    ),
    "check": (
        "check",
        {
            "source": "str", "name": "str", "verdict": "=VALID|INVALID|INCONCLUSIVE", "why": "str", "takes": "str?",
            "rows": "int",
            "arms": Null([{
                "arm": "str", "rows": "int", "trials": "int?", "failed_requests": "int?", "metrics": {"*": {
                    "median": "num?", "min": "num?", "max": "num?", "n": "int",
                }},
                "settings": {"*": "any"}, "!why": {"trials": "why"},
            }]),
            "effect": Null(_COMPARISON), "effect_why?": "str", "effects": [_COMPARISON], "observed": [_COMPARISON],
            "cells": [_CELL_OF_TABLE], "excluded": [{**_CELL_OF_TABLE, "rules": ["str"]}],
            "checks": [{**_CHECK, "title": "str"}], "facts": {"*": "any"}, "notes": ["str"],
            "!why": {"effect": "effect_why"},
        },
    ),
    "quality": (
        "quality",
        {
            "base_url": "str", "model": "str", "engine": {"name": "str", "version": "str?"}, "took_s": "num?",
            "tools": {
                "right": _INTERVAL, "calls": _INTERVAL, "restraint": _INTERVAL, "why": "str",
                "items": [{"id": "str", "tests": "str", "state": "=pass|fail|unknown", "why": "str"}],
                "!why": {"right": "why"},
            },
            "canary": {
                "whole": _INTERVAL, "identical_share": "num?", "why": "str",
                "askings": [[{"id": "str", "text": "str?", "garbled": "str", "why": "str"}]],
                "!why": {"whole": "why", "identical_share": "why"},
            },
        },
    ),
    "doctor": (
        "doctor",
        {
            "nodes": [{"node": "str", "answered": "bool", "error?": "str", "hint?": "str"}],
            "facts": {"*": {"*": "any"}},
            "findings": [{**_FINDING, "title": "str"}],
        },
    ),
    "lint": (
        "lint",
        {
            "files": [{"file": "str", "format": "str"}],
            "parts": [{"file": "str", "name": "str", "engine": "str?", "image": "str?", "settings": [
                {"key": "str", "value": "any", "file": "str", "line": "int?"}
            ]}],
            "nodes": [{"node": "str", "answered": "bool", "error?": "str"}], "facts": {"*": {"*": "any"}},
            "findings": [{**_FINDING, "fixable": "bool"}], "notes": ["str"],
        },
    ),
    "logs": (
        "logs",
        {
            "first": Null({**_EVENT, "sure": "bool", "order_why": "str"}), "later": [_EVENT], "trend": ["str"],
            "findings": [_FINDING], "nodes": [{"node": "str?", "clock_ahead_s": "num?"}],
            "logs": [{
                "file": "str", "node": "str?", "engine": "str?", "version": "str?", "lines": "int", "starts": "int",
                "facts": [{"key": "str", "value": "any", "unit": "str?", "line": "int"}], "events": [_EVENT],
                "unreadable": "str?",
            }],
            "missing": ["str"], "notes": ["str"],
        },
    ),
    "drift": (
        "drift",
        {
            "service": "str", "verdict": "str",
            "rows": [{
                "key": "str", "setting": "str", "node": "str", "earned": "any", "file": "any", "echoed": "any",
                "live": "any", "status": "=UNREADABLE|NOT LIVE|FILE DRIFT|NODES DIFFER|UNEARNED|OK",
                "also": ["str"], "aspect": "str", "part": "str", "why": "str", "hint": "str", "survives": "bool?",
                "layers": {"earned": _LAYER, "file": _LAYER, "echoed": _LAYER, "live": _LAYER},
            }],
        },
    ),
    "guard": (
        "guard",
        {
            "command": Null(["str"]), "exit_code": "int?", "watched_s": "num", "interrupted": "bool",
            "trip": Null({"guard": "str", "node": "str?", "evidence": "str", "hint": "str"}),
            "stopped": Null({"command_s": "num?", "engine": "str", "engine_s": "num?"}), "limits": {"*": "any"},
            "off": ["any"], "nodes": [{"node": "str"}],
        },
    ),
    "host": (
        "host plan, apply, verify, revert, status, confirm, and place unpin",
        {"verb": "str", "nodes": [_HOST_NODE]},
    ),
    "place-scan": (
        "place scan",
        {"nodes": [{
            "node": "str", "error?": "str", "hint?": "str", "threads?": "int", "windows?": "int",
            "heat_c?": {"*": "num"}, "notes?": ["str"],
            "interrupts?": [{"irq": "str", "device": "str", "per_s": "num", "movable": "any", "then": "str"}],
            "pollers?": [{
                **_THREAD, "verdict": "str", "engine": "str?", "role": "str?", "allowed": "str?", "cores": "num",
                "core_kind": "str?", "known": "str?", "computes": "bool", "why": "str", "evidence": ["str"],
                "fix": "str", "then": "str?",
                "windows": [{"length_s": "num", "demand_ratio": "num", "core": "int?", "idle": "any"}],
            }],
        }]},
    ),
    "place-pin": (
        "place pin",
        {"nodes": [{
            "node": "str", "error": "str?", "hint": "str?", "state": "str?", "transaction": "str?",
            "pins": [{
                **_THREAD, "verdict": "str", "fix": "str", "from": "str", "to": "str", "now": "str?",
                "rule": Null({"exe": "str", "process": "str", "thread": "str", "which": "=named|main|busy"}),
            }],
            "left": [{"what": "str", "reason": "str", "hint": "str"}], "refusals": [{"reason": "str", "hint": "str"}],
            "steps": [{"target": "str", "from": "any", "to": "any"}], "notes": ["str"],
        }]},
    ),
    "place-status": (
        "place status",
        {"nodes": [{
            "node": "str", "error": "str?", "hint": "str?",
            "rows": [{
                "transaction": "str", "target": "str", "wanted": "str", "found": {"*": "str"},
                "state": "=OK|NOT PINNED|CLIPPED|WAITING|NO PROCESS|UNREADABLE", "why": "str?", "lasting": "bool",
            }],
        }]},
    ),
    "place-trial": (
        "place trial",
        {
            "trial": "str", "node": "str", "thread": _THREAD, "cpus": {"a": "str", "b": "str"}, "held": "bool",
            "idle": Null({
                "verdict": Null(_VERDICT), "anecdote": "bool", "why": "str", "sensor": "str", "settle_s": "num",
                "window_s": "num", "margin_c": "num", "equivalence_c": "num", "effect": _DIFFERENCE,
                "blocks": [{"block": "int", "order": "str", "a_c": "num", "b_c": "num", "difference_c": "num"}],
                "sensors": [{"sensor": "str", "unit": "str", "a": "num?", "b": "num?", "effect": _DIFFERENCE}],
            }),
            "idle_why": "str",
            "load": Null({
                "experiment": "str", "metric": "str", "verdict": Null(_VERDICT), "why": "str",
                "not_lower": "=shown|not shown|lower", "margin_ratio": "num", "effect": Null({"*": "any"}),
            }),
            "load_why": "str", "next": ["str"], "!why": {"idle": "idle_why", "load": "load_why"},
        },
    ),
    "earned": (
        "earned list, earned show",
        {"file": "str", "settings": [{
            **_ENTRY, "state": "=current|stale|unknown", "stale": ["str"], "unknown": ["str"], "renew": "str",
        }]},
    ),
    "earned-history": (
        "earned history",
        {
            "file": "str", "history": [{**_ENTRY, "ended": Null({"how": "=superseded|forgotten", "date": "str"})}],
            "experiments": [{
                "run": "str", "created": "str", "knob": "str", "metric": "str", "state": "str", "verdict": "str?",
                "kept": "bool", "!why": {"verdict": "why"},
            }],
        },
    ),
    "knobs": (
        "knobs list, and with knob in the place of knobs: knobs show",
        {"knobs?": [{"id": "str", "title": "str", "takes": "=live|restart|reboot"}], "knob?": {"*": "any"}},
    ),
    "watch": (
        "watch, one object a line",
        {
            "node": "str", "error?": "str", "wall_s?": "num", "hottest_zone_c?": "num?", "available_bytes?": "int?",
            "cores?": [{"cpu": "int", "type": "str?", "load": "num?", "clock_hz": "num?"}],
            "threads?": [{"pid": "int", "tid": "int", "name": "str", "cpu": "int?", "share": "num"}],
            "engine?": {
                "service": "str?", "engine": "str?", "model": "str?", "running": "int?", "waiting": "int?",
                "kv_use_ratio": "num?", "output_tokens_per_s": "num?", "prompt_tokens_per_s": "num?",
                "ttft_mean_s": "num?", "first_tokens": "int?", "accepted_share": "num?", "accepted_length": "num?",
                "preemptions": "int?", "window_s": "num?", "restarted": "bool?", "why": "str",
                "!why": dict.fromkeys(
                    ("service", "engine", "model", "running", "output_tokens_per_s", "ttft_mean_s"), "why"
                ),
            },
            "drift?": {
                "verdict": "str?", "differs": "bool?",
                "drifted": Null([{"key": "str", "setting": "str", "node": "str", "status": "str", "also": ["str"]}]),
                "age_s": "num?", "why": "str", "!why": dict.fromkeys(("verdict", "differs", "drifted", "age_s"), "why"),
            },
            "doctor?": {
                "findings": Null([{name: _FINDING[name] for name in ("rule", "severity", "evidence", "hint")}]),
                "age_s": "num?", "why": "str", "!why": {"findings": "why", "age_s": "why"},
            },
        },
    ),
    "export": (
        "export prometheus",
        {
            "series": [{"name": "str", "kind": "str", "labels": {"*": "str"}, "value": "num"}],
            "unknown": [{"what": "str", "node": "str?", "why": "str"}],
        },
    ),
    "render": (
        "render",
        {
            "node": "str", "environment": {"*": {"value": "str?", "why": "str", "!why": {"value": "why"}}},
            "docker": [{"words": ["str"], "why": "str"}], "notes": ["str"],
        },
    ),
    "record": (
        "record",
        {
            "file": "str", "endpoint": "str", "took_s": "num", "connections": "int", "broken": "str?",
            "requests": "int", "sessions": "int", "input_tokens": "int", "output_tokens": "int",
        },
    ),
    "calibrate": (
        "calibrate",
        {
            "tool_version": "str", "machine": "str", "cores": "int", "points": ["any"],
            "knee": {
                "held_chunks_per_s": "num?", "limit": "str", "why": "str", "!why": {"held_chunks_per_s": "why"},
            },
        },
    ),
    "status": (
        "status",
        {
            "config": "str?", "why": "str", "next": {"command": "str", "why": "str"}, "at?": "str",
            "nodes?": [{
                "node": "str", "answers": "bool", "last_seen": "str?", "state": "str?", "profile": "bool?",
                "pins": "int?", "why": "str", "!why": {"state": "why", "profile": "why"},
            }],
            "service?": Null({
                "name": "str", "endpoint": "str", "answers": "bool", "engine": "str?", "model": "str?", "why": "str",
            }),
            "verdicts?": Null([{
                "kind": "=bench|ab|sweep|trial", "id": "str", "created": "str", "state": "str", "verdict": "str?",
                "about": "str", "holds": "bool", "why": "str", "!why": {"verdict": "why"},
            }]),
            "drift?": Null({"differs": "bool?", "words": "str", "at": "str?", "why": "str", "!why": {"at": "why"}}),
            "earned?": {
                "file": "str", "settings": "int?", "stale": "int?", "why": "str", "!why": {"settings": "why"},
            },
            "!why": {"config": "why", "verdicts": "why"},
        },
    ),
}  # fmt: skip


def schema_of(name: str) -> dict[str, Any]:
    """Return a schema by its name, whole."""
    commands, members = SCHEMAS[name]
    return {
        "$schema": _DRAFT,
        "$id": f"urn:sparktune:{name}:v1",
        "title": f"sparktune {commands}: --json, schema 1",
        **_object({"schema": "one", **members}),
    }


def _of(kind: Any) -> dict[str, Any]:  # noqa: ANN401, PLR0911 - the notation, a line for each of its forms
    if isinstance(kind, Null):
        return {"anyOf": [{"type": "null"}, _of(kind.of)]}
    if isinstance(kind, list):
        return {"type": "array", "items": _of(kind[0])}
    if isinstance(kind, dict):
        return _object(kind)
    if kind == "one":
        return {"const": 1}
    if kind == "any":
        return {}
    if kind.startswith("="):
        return {"enum": kind[1:].split("|")}
    name = _TYPES[kind.removesuffix("?")]
    return {"type": [name, "null"] if kind.endswith("?") else name}


def _object(members: dict[str, Any]) -> dict[str, Any]:
    named = {key: kind for key, kind in members.items() if key not in {"*", "!why"}}
    found: dict[str, Any] = {"type": "object"}
    if named:
        found["properties"] = {key.removesuffix("?"): _of(kind) for key, kind in named.items()}
        found["required"] = [key for key in named if not key.endswith("?")]
    if "*" in members:
        found["additionalProperties"] = _of(members["*"])
    if "!why" in members:
        found["allOf"] = [_reasoned(key, reason) for key, reason in members["!why"].items()]
    return found


def _reasoned(key: str, reason: str) -> dict[str, Any]:
    return {
        "if": {"properties": {key: {"type": "null"}}, "required": [key]},
        "then": {"properties": {reason: {"type": "string", "minLength": 1}}, "required": [reason]},
    }
