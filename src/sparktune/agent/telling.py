"""What the journal tells to who only reads it, without what changes a node: that takes longer to load than to use."""

__all__ = ["told"]

from collections.abc import Mapping
from typing import Any

from sparktune.agent.home import Home
from sparktune.agent.kind import Kind
from sparktune.agent.lock import holder
from sparktune.agent.tree import Tree


def told(tree: Tree, kinds: Mapping[str, Kind] | None = None) -> dict[str, Any]:
    """Return the transactions, the oldest first, and who works here now. Raises Refused when they cannot be read."""
    pasts = Home(tree).transactions()
    if not pasts:
        return {"transactions": [], "holder": holder(tree)}
    from sparktune.agent.listing import listed  # noqa: PLC0415 - most nodes have nothing to list
    from sparktune.agent.steps import all_kinds  # noqa: PLC0415 - as above

    kinds = all_kinds() if kinds is None else kinds
    return {"transactions": [listed(past, kinds) for past in pasts], "holder": holder(tree)}
