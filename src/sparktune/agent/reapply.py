"""What does not outlive a boot, or a device that comes back: which steps are to be done again.

Threads come at any time, not at a boot or with a device: kinds that ``follow`` does again are left to that.
"""

__all__ = ["steps_to_do_again"]

from collections.abc import Collection
from typing import Any

from sparktune.agent.past import Past


def steps_to_do_again(applied: list[Past], follows: Collection[str]) -> list[dict[str, Any]]:
    """Return transactions, the oldest first, each with the steps of one that is applied and wants them done again.

    Of several that touched the same items the newest counts. Steps of the kinds in ``follows`` are left out.
    """
    taken: set[str] = set()
    found: list[dict[str, Any]] = []
    for past in reversed([past for past in applied if not past.again]):
        asked = [step for number, step in enumerate(past.begin["steps"]) if _is_left(past, number, taken, follows)]
        # What the plan saw was before all that, and what came since may be meant, too.
        steps = [{**step, "expect": {}, "arrivals": True} for step in asked]
        for step in past.steps.values():
            taken |= {item for item in step.before if step.touched(item)}
        if steps:
            found.append({"of": past.id, "steps": steps})
    return found[::-1]


def _is_left(past: Past, number: int, taken: set[str], follows: Collection[str]) -> bool:
    step = past.begin["steps"][number]
    if not step.get("reapply") or step.get("kind") in follows:
        return False
    done = past.steps.get(number)
    return done is None or not done.before or not set(done.before) <= taken
