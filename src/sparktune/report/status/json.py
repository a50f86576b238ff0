"""The front page as JSON, schema 1."""

__all__ = ["outside_json", "status_json"]

import json

from sparktune.model.front_page import (
    DriftStanding,
    EarnedStanding,
    FrontPage,
    NodeStanding,
    ServiceStanding,
    VerdictStanding,
)
from sparktune.report.bench.words import utc
from sparktune.report.status.next_step import next_step
from sparktune.units import Seconds

_SCHEMA = 1


def outside_json() -> str:
    """Render schema 1 where nothing is configured."""
    told = {"schema": _SCHEMA, "config": None, "why": "no sparktune.yaml is in this folder or above it"}
    return json.dumps({**told, "next": {"command": "sparktune init", "why": told["why"]}}, indent=2) + "\n"


def status_json(page: FrontPage) -> str:
    """Render schema 1; what is not known is null, with the reason in the ``why`` beside it."""
    command, why = next_step(page)
    record = {
        "schema": _SCHEMA,
        "config": page.config,
        "at": utc(page.at_wall_s),
        "nodes": [_node(one) for one in page.nodes],
        "service": _service(page.service) if page.service is not None else None,
        "verdicts": None if page.why_store and not page.verdicts else [_verdict(one) for one in page.verdicts],
        "drift": _drift(page.drift) if page.drift is not None else None,
        "earned": _earned(page.earned),
        "why": "; ".join(one for one in (page.why_service, page.why_store) if one),
        "next": {"command": command, "why": why},
    }
    return json.dumps(record, indent=2, allow_nan=False) + "\n"


def _node(node: NodeStanding) -> dict[str, object]:
    known = node.answered and node.state is not None
    return {
        "node": node.node,
        "answers": node.answered,
        "last_seen": _when(node.last_seen_wall_s),
        "state": node.state.value if node.state is not None else None,
        "profile": node.profile if known else None,
        "pins": node.pins if known else None,
        "why": node.why or node.why_state,
    }


def _service(service: ServiceStanding) -> dict[str, object]:
    return {
        "name": service.name,
        "endpoint": service.endpoint,
        "answers": not service.why,
        "engine": service.engine or None,
        "model": service.model or None,
        "why": service.why,
    }


def _drift(drift: DriftStanding) -> dict[str, object]:
    return {"differs": drift.differs, "words": drift.words, "at": _when(drift.at_wall_s), "why": drift.why}


def _earned(earned: EarnedStanding) -> dict[str, object]:
    return {
        "file": earned.file,
        "settings": None if earned.why else earned.count,
        "stale": None if earned.why else earned.stale,
        "why": earned.why,
    }


def _verdict(one: VerdictStanding) -> dict[str, object]:
    return {
        "kind": one.kind,
        "id": one.id,
        "created": utc(one.created_wall_s),
        "state": one.state,
        "verdict": one.verdict or None,
        "about": one.about,
        "holds": one.holds,
        "why": "" if one.verdict else f"it is {one.state}, and has no verdict",
    }


def _when(wall_s: Seconds | None) -> str | None:
    return utc(wall_s) if wall_s is not None else None
