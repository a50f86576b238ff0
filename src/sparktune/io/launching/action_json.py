"""Actions as JSON, for the record of a hold: what ends an arm, and what brings the original back, survive a crash."""

__all__ = ["decode_actions", "encode_actions"]

from collections.abc import Iterable, Mapping
from dataclasses import asdict
from typing import Any, Final, get_args

import msgspec

from sparktune.host.step_json import KINDS, encode_step
from sparktune.model.arm_action import Action, Apply

_TYPES: Final[Mapping[str, type[Action]]] = {kind.__name__: kind for kind in get_args(Action)}


def encode_actions(actions: Iterable[Action]) -> list[dict[str, Any]]:
    """Return actions as JSON has them; variables stay the names that they are, so that no secret is in it."""
    return [_encoded(action) for action in actions]


def decode_actions(given: Iterable[Mapping[str, Any]]) -> tuple[Action, ...]:
    """Return the actions that were encoded."""
    return tuple(map(_decoded, given))


def _encoded(action: Action) -> dict[str, Any]:
    fields = {"action": type(action).__name__, **asdict(action)}
    if isinstance(action, Apply):
        fields["steps"] = [encode_step(step, "") for step in action.steps]
    return fields


def _decoded(given: Mapping[str, Any]) -> Action:
    fields = dict(given)
    kind = _TYPES[fields.pop("action")]
    if kind is Apply:
        steps = tuple(msgspec.convert(step, KINDS[step["kind"]]) for step in fields["steps"])
        return Apply(node=fields["node"], steps=steps)
    return msgspec.convert(fields, kind)
