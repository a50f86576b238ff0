"""One line of a list of runs."""

__all__ = ["RunRow"]

from dataclasses import dataclass

from sparktune.model.run import RunState
from sparktune.units import Seconds


@dataclass(frozen=True, slots=True, kw_only=True)
class RunRow:
    """What is known of a run without decoding it.

    ``cells`` are those of its workload; ``waves`` counts finished measured waves; ``valid`` the cells that were found
    valid when the run was last evaluated, None when it never was.
    """

    id: str
    created_wall_s: Seconds
    base_url: str
    model: str
    engine: str
    state: RunState
    cells: int
    waves: int
    valid: int | None
