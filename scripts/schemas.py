"""The shapes of ``--json`` as JSON Schemas (2020-12): what is promised, and not more; see ``schema_notation``."""

from typing import Any

from schema_notation import Null, Shapes, object_schema  # beside this file
from schema_results import CELL_HARMS, RESULTS, VERDICT

__all__ = ["SCHEMAS", "schema_of"]

_DRAFT = "https://json-schema.org/draft/2020-12/schema"
_FINDING = {
    "rule": "str", "severity": "=error|warning|info", "node": "str?", "file": "str?", "line": "int?", "evidence": "str",
    "hint": "str", "source": "str", "why": "str",
}  # fmt: skip
_LINE = {"line": "int", "time_s": "num?", "process": "str?", "text": "str"}
_EVENT = {
    "file": "str", "node": "str?", "id": "str?", "title": "str?", "role": "=root|secondary|note|benign|unknown",
    "severity": "=error|warning|info", "cause": "str?", "fix": "str?", "source": "str?", "count": "int",
    "first": _LINE, "last": _LINE,
}  # fmt: skip
_THREAD = {"pid": "int", "tid": "int", "start_ticks": "int", "name": "str", "process": "str"}
_LAYER = Null({"state": "str", "text": "str", "place": "str", "why": "str"})
_DIFFERENCE = Null({"mean": "num", "low": "num", "high": "num", "confidence": "num", "blocks": "int"})
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

SCHEMAS: Shapes = {
    **RESULTS,
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
                "verdict": Null(VERDICT), "anecdote": "bool", "why": "str", "sensor": "str", "settle_s": "num",
                "window_s": "num", "margin_c": "num", "equivalence_c": "num", "effect": _DIFFERENCE,
                "blocks": [{"block": "int", "order": "str", "a_c": "num", "b_c": "num", "difference_c": "num"}],
                "sensors": [{"sensor": "str", "unit": "str", "a": "num?", "b": "num?", "effect": _DIFFERENCE}],
            }),
            "idle_why": "str",
            "load": Null({
                "experiment": "str", "metric": "str", "verdict": Null(VERDICT), "why": "str",
                "not_lower": "=shown|not shown|lower", "margin_ratio": "num", "effect": Null({"*": "any"}),
                "cell_harms": CELL_HARMS,
            }),
            "load_why": "str", "objections": ["str"], "next": ["str"], "!why": {"idle": "idle_why", "load": "load_why"},
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
        **object_schema({"schema": "one", **members}),
    }
