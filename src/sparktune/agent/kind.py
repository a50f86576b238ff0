"""What every kind of step can do, and the words for what became of an item.

A reading is what a step's items are now: by item a value that JSON can carry, None for what is not there. The journal
keeps readings whole, so that they can be put back exactly.
"""

__all__ = ["Items", "Kind", "Outcome", "Reading"]

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # to name it is no reason to load it: who asks what was done changes nothing
    from sparktune.agent.machine import Machine

Reading = dict[str, Any]
Step = dict[str, Any]
Outcome = dict[str, str]  # "outcome", "why"
Items = dict[str, Outcome]


class Kind(ABC):
    """One kind of step.

    ``lenient``: an item that is refused, gone, managed or ineffective does not undo the transaction, and one that is
    gone when it is to be put back is no edit of somebody else. ``eventual``: what was done need not be seen at once.
    The items of a reading are put back in reverse order. A step whose undoing is doing it ``again`` is left out when
    there are others before it in its transaction and none of them changed anything. ``follows``: what it is done again
    for comes at any time, so the command ``follow`` does that, not ``reapply``.
    """

    name: str
    lenient = False
    eventual = False
    follows = False

    @abstractmethod
    def look(self, machine: "Machine", step: Step) -> Reading:
        """Return every item of a step as it is now, with all that is needed to put it back.

        Raises StepFailed, and SomethingElse where no reading of this kind could be of what is there.
        """

    def look_at(self, machine: "Machine", step: Step, items: Iterable[str]) -> Reading:
        """Return at least these items as they are now, also those that the step would not find any more.

        Whoever did a step, or undoes it, asks so. Raises StepFailed, and SomethingElse, as ``look`` does.
        """
        del items
        return self.look(machine, step)

    @abstractmethod
    def do(self, machine: "Machine", step: Step, before: Reading) -> Items:
        """Do the step; return what became of each item. Items that are already as wanted are not written.

        Raises StepFailed when nothing more can be done; refusals of single items are outcomes.
        """

    @abstractmethod
    def put_back(self, machine: "Machine", step: Step, item: str, before: Any) -> None:  # noqa: ANN401 - as in a reading
        """Make one item what it was. Raises StepFailed."""

    @abstractmethod
    def reached(self, step: Step, item: str, value: Any) -> bool:  # noqa: ANN401 - as in a reading
        """Tell whether a value of an item is what the step wants."""

    def same(self, step: Step, one: Any, other: Any) -> bool:  # noqa: ANN401, ARG002 - as in a reading
        """Tell whether two values of an item are the same for whoever uses it."""
        return bool(one == other)

    def shown(self, value: Any) -> str | None:  # noqa: ANN401 - as in a reading
        """Return a value as a plan's ``expect`` and a report have it; None for what is not there. Never a secret."""
        return None if value is None else str(value)

    def lasts(self, step: Step) -> bool:
        """Tell whether what was there before means something after a reboot, too."""
        del step
        return False

    def outlives(self, step: Step, item: str) -> bool:
        """Tell the same of one item, where they differ."""
        del item
        return self.lasts(step)

    def again(self, step: Step) -> bool:
        """Tell whether undoing is doing it once more (``do``), after all other steps were undone: a manager's reload.

        Such a step has no state of its own to compare; what it reads is what the other steps put back.
        """
        del step
        return False

    def finds_once(self, step: Step) -> bool:
        """Tell whether finding a step's items takes seconds: then what the first look found is what it is done to."""
        del step
        return False

    def stands(self, step: Step) -> bool:
        """Tell whether a step that changed nothing is kept all the same: a rule, done again for what comes."""
        del step
        return False

    def tidy(self, machine: "Machine", step: Step, item: str, before: Any) -> None:  # noqa: ANN401, B027
        """Remove what a doing or undoing that was killed left beside an item: temporary files, folders made for it.

        Whoever undoes calls it for every item, whatever its value is now; it does nothing to the item itself. Raises
        StepFailed.
        """
