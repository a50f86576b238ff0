"""What commands tell of what was measured and decided, as shapes of JSON: see ``schema_notation``."""

from schema_notation import Null, Shapes  # beside this file

__all__ = ["CELL_HARMS", "RESULTS", "VERDICT"]

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
CELL_HARMS = [{
    "metric": "str", "better": "=higher|lower", "cell": "str", "margin": "num", "effect": _EFFECT, "cells": "int",
    "asked": "int", "weighs": "bool", "words": "str",
}]  # fmt: skip
_SWEEP_VERDICT = "=winner|unproven|none|unconfirmed|running|interrupted"
VERDICT = "=IMPROVED|REGRESSED|EQUIVALENT|DIFFERENT|INCONCLUSIVE|INVALID|STOPPED"
_AB = {
    "run": "str", "created": "str", "verdict": Null(VERDICT), "anecdote": "bool", "sentence": "str", "why": "str",
    "primary": "str", "better": "=higher|lower", "effect": Null(_EFFECT), "blocks": "int", "planned_blocks": "int",
    "guards": [
        {"metric": "str", "margin": "num", "status": "=ok|unproven|harmed", "effect": Null(_EFFECT), "why": "str"}
    ],
    "cell_harms": CELL_HARMS,
    "checks": [_CHECK], "cells": [{"cell": "str", "effect": Null(_EFFECT), "why": "str"}], "margin": "num",
    "afterwards": "str", "notes": ["str"], "next": ["str"], "!why": {"verdict": "why", "effect": "why"},
}  # fmt: skip
_INTERVAL = Null({"count": "int", "total": "int", "low": "num", "high": "num", "confidence": "num"})
_CELL_OF_TABLE = {
    "arm": "str", "prompt_tokens": "int?", "output_tokens": "int?", "depth": "int?", "concurrency": "int?",
    "label": "str", "!why": dict.fromkeys(("prompt_tokens", "output_tokens", "depth", "concurrency"), "why"),
}  # fmt: skip
_COMPARISON = {
    "metric": "str", "better": "=higher|lower", "first": "str", "second": "str", "ratio": "num?", "low": "num?",
    "high": "num?", "confidence": "num", "paired_by": "str", "n": "int", "wins": "int", "words": "str",
    "!why": {"low": "why"},
}  # fmt: skip

RESULTS: Shapes = {
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
            "sweep": "str", "created": "str", "state": "=running|interrupted|done", "verdict": _SWEEP_VERDICT,
            "sentence": "str", "why": "str?", "winner": "str?", "primary": "str", "better": "=higher|lower",
            "margin": "num", "took_s": "num", "ranges": ["any"], "pruned": ["any"], "visits": ["any"],
            "predictions": ["any"],
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
            "sweep": "str", "created": "str", "verdict": _SWEEP_VERDICT, "winner": "str?", "confirm": "str?",
            "knobs": ["str"], "url": "str", "owner": "str?",
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
}  # fmt: skip
