"""What a node says of its transactions, decoded as something that nobody vouches for. Pure."""

__all__ = [
    "Confirmed",
    "GivenUp",
    "Journal",
    "Request",
    "Reverted",
    "decode_end",
    "decode_step",
    "decode_undone",
    "encode_request_of",
]

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import msgspec

from sparktune.host.step_json import encode_steps, plan_hash
from sparktune.io.transport.wire import NotTheAgent, decode_part
from sparktune.model.host_plan import NodePlan
from sparktune.model.transaction import (
    LeftItem,
    State,
    StepResult,
    Transaction,
    TransactionOutcome,
    UndoneTransaction,
)
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A plan to carry out, waiting ``wait_s`` for another one's transaction.

    With ``confirm_within_s`` the node undoes it by itself unless it is confirmed in time. ``profiled``: it applies the
    plan's profile, which the journal keeps as what the node is to be; the steps of an experiment do not.
    """

    plan: NodePlan
    who: str
    label: str = "apply"
    confirm_within_s: Seconds | None = None
    wait_s: Seconds = 0.0
    profiled: bool = True


class _End(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last line of ``transact``."""

    transaction: str
    state: State
    failed: str = ""
    undone: tuple[StepResult, ...] = ()
    recovered: tuple[UndoneTransaction, ...] = ()


class Confirmed(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What ``confirm`` came to."""

    transaction: str
    state: State


class Reverted(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last line of ``revert``: how many transactions it was about, and how it ended."""

    transactions: int
    state: Literal["reverted", "incomplete", "nothing"]


class GivenUp(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The last line of ``give_up``: what the transaction is now, and what it leaves as it is."""

    transaction: str
    state: Literal["given_up", "reverted", "rolled_back"]
    left: tuple[LeftItem, ...] = ()


class Journal(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """All transactions, the oldest first, and who holds the lock now ("" for nobody)."""

    transactions: tuple[Transaction, ...]
    holder: str


def encode_request_of(request: Request) -> dict[str, Any]:
    """Return the fields of the request that carries it."""
    plan = request.plan
    fields: dict[str, Any] = {
        "label": request.label,
        "who": request.who,
        "plan": plan_hash(plan),
        "boot_id": plan.boot_id,
        "profile": msgspec.to_builtins(plan.profile) if request.profiled else {},
        "steps": encode_steps(plan),
        "wait_s": request.wait_s,
    }
    if request.confirm_within_s is not None:
        fields["confirm_within_s"] = request.confirm_within_s
    return fields


def decode_step(raw: msgspec.Raw, place: int) -> StepResult:
    """Decode the result of the step at a place. Raises NotTheAgent, also for another step's."""
    result = decode_part(raw, StepResult)
    if result.step != place:
        message = f"it tells of step {result.step} where step {place} is next"
        raise NotTheAgent(message)
    return result


def decode_end(raw: msgspec.Raw, steps: Sequence[StepResult], asked: int) -> TransactionOutcome:
    """Decode how a transaction of ``asked`` steps ended. Raises NotTheAgent when that cannot be after these steps."""
    end = decode_part(raw, _End)
    done = end.state in {"committed", "unconfirmed"}
    if done and (len(steps) != asked or end.failed):
        message = f"it says {end.state} after {len(steps)} of {asked} steps"
        raise NotTheAgent(message)
    return TransactionOutcome(
        transaction=end.transaction,
        state=end.state,
        failed=end.failed,
        steps=tuple(steps),
        undone=end.undone,
        recovered=end.recovered,
    )


def decode_undone(raw: msgspec.Raw) -> UndoneTransaction:
    """Decode one transaction that was undone. Raises NotTheAgent."""
    return decode_part(raw, UndoneTransaction)
