"""What is watched beside the nodes - engine, drift, findings - as members of JSON: null has its reason beside it."""

__all__ = ["beside_members"]

from typing import Any, Final

from sparktune.bench.engine_look import EngineLook
from sparktune.model.drift import DriftRow, DriftStatus
from sparktune.model.finding import Finding
from sparktune.report.drift.verdict import drifted, verdict
from sparktune.report.finding_json import finding_members
from sparktune.report.watch.node import Answered, WatchedEngine
from sparktune.report.watch.state import WatchState
from sparktune.units import Seconds, format_duration

_WAITING: Final = "its first answer is awaited"
_RATES: Final = (
    "output_tokens_per_s", "prompt_tokens_per_s", "ttft_mean_s", "first_tokens", "accepted_share", "accepted_length",
    "preemptions",
)  # fmt: skip


def beside_members(state: WatchState, now_s: Seconds) -> dict[str, Any]:
    """Return ``engine``, ``drift`` and ``doctor`` of a state; ages are against the watcher's monotonic clock."""
    return {
        "engine": _engine(state.engine, state.why_no_engine),
        "drift": _drift(state.drift, state.why_no_drift, now_s),
        "doctor": _doctor(state.doctor, state.why_no_doctor, now_s),
    }


def _engine(one: WatchedEngine | None, why_none: str) -> dict[str, Any]:
    look = one.look if one is not None else None
    numbers = _numbers(look)
    return {
        "service": one.service if one is not None else None,
        "engine": (one.engine or None) if one is not None else None,
        "model": (one.model or None) if one is not None else None,
        **numbers,
        "window_s": look.window_s if look is not None else None,
        "restarted": look.restarted if look is not None else None,
        "why": _why_engine(one, why_none, numbers),
    }


def _numbers(look: EngineLook | None) -> dict[str, float | None]:
    if look is None:
        return dict.fromkeys(("running", "waiting", "kv_use_ratio", *_RATES))
    return {
        "running": _count(look.running),
        "waiting": _count(look.waiting),
        "kv_use_ratio": look.kv_use,
        "output_tokens_per_s": look.output_tok_s,
        "prompt_tokens_per_s": look.prompt_tok_s,
        "ttft_mean_s": look.ttft_s,
        "first_tokens": _count(look.first_tokens),
        "accepted_share": look.accepted_share,
        "accepted_length": look.accepted_length,
        "preemptions": _count(look.preemptions),
    }


def _why_engine(one: WatchedEngine | None, why_none: str, numbers: dict[str, float | None]) -> str:
    if one is None:
        return why_none or _WAITING
    if one.look is None:
        return one.untold or _WAITING
    untold = [name for name, value in numbers.items() if value is None]
    if not untold and one.engine and one.model:
        return ""
    if one.look.window_s <= 0:
        return "rates are not known before the second look"
    window = format_duration(one.look.window_s)
    names = ", ".join([*untold, *(name for name in ("engine", "model") if not getattr(one, name))])
    return f"{names}: the server does not tell, or there was nothing to count in the last {window}"


def _count(value: float | None) -> int | None:
    return None if value is None else round(value)


def _drift(one: Answered[DriftRow] | None, why_none: str, now_s: Seconds) -> dict[str, Any]:
    rows = one.items if one is not None else None
    differs = None if rows is None else _differs(rows)
    unread = "" if rows is None or differs is not None else "something could not be read"
    return {
        "verdict": None if rows is None else verdict(rows),
        "differs": differs,
        "drifted": None if rows is None else [_row(row) for row in rows if drifted(row)],
        **_when(one, why_none, now_s, unread),
    }


def _row(row: DriftRow) -> dict[str, Any]:
    """Return a row by its names; ``drift --json`` has its layers."""
    return {
        "key": row.key.removeprefix("env."),
        "setting": row.key,
        "node": row.node,
        "status": row.status.value,
        "also": [status.value for status in row.also],
    }


def _differs(rows: tuple[DriftRow, ...]) -> bool | None:
    """Return None where nothing is known to have drifted, but something could not be read."""
    if any(drifted(row) for row in rows):
        return True
    return None if any(row.status is DriftStatus.UNREADABLE for row in rows) else False


def _doctor(one: Answered[Finding] | None, why_none: str, now_s: Seconds) -> dict[str, Any]:
    found = one.items if one is not None else None
    findings = None if found is None else [finding_members(each) for each in found]
    return {"findings": findings, **_when(one, why_none, now_s, "")}


def _when(
    one: Answered[DriftRow] | Answered[Finding] | None, why_none: str, now_s: Seconds, unread: str
) -> dict[str, Any]:
    """Return how old the newest answer is, and why there is none or why the last attempt brought none."""
    if one is None:
        return {"age_s": None, "why": why_none or _WAITING}
    age_s = None if one.at_s is None else max(0.0, now_s - one.at_s)
    return {"age_s": age_s, "why": one.why or unread or (_WAITING if one.items is None else "")}
