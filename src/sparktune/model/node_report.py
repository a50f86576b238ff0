"""What a verb of ``host`` came to on one node; the reports print a list of these."""

__all__ = ["NodeReport", "NodeState"]

from dataclasses import dataclass
from enum import Enum

from sparktune.model.host_plan import HostCheck, NodePlan
from sparktune.model.transaction import Transaction, TransactionOutcome, UndoneTransaction


class NodeState(Enum):
    """Where a node stands now, as far as can be known.

    UNTOUCHED: nothing was done to it. APPLIED, UNCONFIRMED (it undoes it by itself unless confirmed), ROLLED_BACK (a
    step failed, all was taken back), REVERTED, GIVEN_UP (somebody let go of what could not be undone). INCOMPLETE:
    neither as before nor as wanted, its journal says what is left to do. UNKNOWN: the connection broke in between; the
    node's journal has the answer.
    """

    UNTOUCHED = "untouched"
    APPLIED = "applied"
    UNCONFIRMED = "unconfirmed"
    ROLLED_BACK = "rolled back"
    REVERTED = "reverted"
    GIVEN_UP = "given up"
    INCOMPLETE = "incomplete"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class NodeReport:
    """``failure`` and ``hint`` say why the node has no answer; the other fields are filled as the verb needs them.

    ``checks`` are None where nothing was verified. ``transactions`` is its journal, the oldest first; ``holder`` who
    works on it now. ``notes`` say what could not be known, or was left aside.
    """

    node: str
    state: NodeState = NodeState.UNTOUCHED
    failure: str = ""
    hint: str = ""
    plan: NodePlan | None = None
    outcome: TransactionOutcome | None = None
    checks: tuple[HostCheck, ...] | None = None
    undone: tuple[UndoneTransaction, ...] = ()
    transactions: tuple[Transaction, ...] = ()
    holder: str = ""
    notes: tuple[str, ...] = ()
