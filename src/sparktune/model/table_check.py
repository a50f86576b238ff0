"""A validity rule for tables: a question about both arms, or about one, whose answer can void a comparison."""

__all__ = ["TableCheck", "TableContext"]

from collections.abc import Callable
from dataclasses import dataclass

from sparktune.model.check import CheckResult
from sparktune.model.table import Table
from sparktune.units import TokensPerSecond


@dataclass(frozen=True, slots=True, kw_only=True)
class TableContext:
    """What is known beside the table. ``cold_reference_tok_s``: the cold prefill rate of this endpoint, or None."""

    cold_reference_tok_s: TokensPerSecond | None = None


def _voids_nothing(_: Table, __: TableContext) -> frozenset[int]:
    return frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class TableCheck:
    """One rule; the constant ``TABLE_CHECK`` of one file in ``experiment/checks``.

    ``id`` is V01 .. V99, the same as that of the check of cells that asks the same question; ``title`` what it looks
    for; ``source`` where the rule comes from. ``run`` is pure and raises nothing; what the table does not tell makes it
    UNKNOWN, with what would be needed in the evidence. ``voids`` returns the places of the rows whose numbers the rule
    voids: no effect is estimated with them.
    """

    id: str
    title: str
    source: str
    run: Callable[[Table, TableContext], CheckResult]
    voids: Callable[[Table, TableContext], frozenset[int]] = _voids_nothing
