"""A finding: something that is wrong or worth knowing, with its evidence and the way out."""

__all__ = ["Finding", "FindingRule", "Severity"]

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

from sparktune.model.node import ClusterFacts


class Severity(Enum):
    """ERROR breaks or falsifies something, WARNING may, INFO is worth knowing."""

    ERROR = "error"
    WARNING = "warning"
    INFO = "info"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """``evidence`` is what was seen, with values; ``hint`` what to do; ``node`` None when it is about several nodes.

    ``file`` and ``line`` say where, when it is about a file. ``rule`` is the id of the rule that found it.
    """

    rule: str
    severity: Severity
    evidence: str
    hint: str
    node: str | None = None
    file: str | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FindingRule:
    """One rule of ``doctor``; the constant ``FINDING`` of one file in ``host/findings``.

    ``id`` is a stable word (``gid-index-empty``); ``title`` what it looks for; ``why`` what it costs when it is so;
    ``source`` where the fact behind it comes from. ``run`` looks at all nodes, is pure and raises nothing; facts that
    are missing make it silent, never guess.
    """

    id: str
    title: str
    why: str
    source: str
    run: Callable[[ClusterFacts], tuple[Finding, ...]]
