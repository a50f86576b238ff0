"""Print what the search of ``sweep`` finds, in landscapes in which the truth is known: ``make sim-search``.

Every line is some hundreds of virtual sweeps on drawn landscapes of one kind (``tests/support/landscapes.py``), by the
product's own search, confirmation and rules.
"""

import argparse
import random
import statistics
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from tests.support.landscapes import GRIDS, KINDS, Outcome, landscape, swept
from tests.support.virtual import WORLDS

_NEAR = 0.03


def outcome(kind: str, world: str, trials: int, blocks: int, sizes: tuple[int, ...] | None, seed: int) -> Outcome:
    """Return one virtual sweep."""
    draw = random.Random(seed)  # noqa: S311 - a seeded world is the point
    return swept(landscape(kind, draw, sizes), draw, world=WORLDS[world], trials=trials, blocks=blocks)


def line(name: str, found: Sequence[Outcome]) -> str:
    """Return one line of the table."""
    near = statistics.fmean(one.lost <= _NEAR for one in found)
    kept = statistics.fmean(one.kept_lost <= _NEAR for one in found)
    lost = statistics.fmean(one.lost for one in found)
    visits = statistics.fmean(one.visits for one in found)
    share = max(one.visits / one.cells for one in found)
    mean_share = statistics.fmean(one.visits / one.cells for one in found)
    fresh = statistics.fmean(one.confirm_visits for one in found)
    won = statistics.fmean(one.accepted for one in found)
    return (
        f"{name:13}{100 * near:9.1f}{100 * kept:9.1f}{100 * lost:8.1f}{100 * won:8.1f}{visits:9.1f}"
        f"{100 * mean_share / 3:9.0f}{100 * share / 3:6.0f}{fresh:9.1f}"
    )


def main() -> None:
    """Simulate and print one line per kind of landscape."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sweeps", type=int, default=1000, help="virtual sweeps per line")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--world", choices=sorted(WORLDS), default="base")
    parser.add_argument("--trials", type=int, default=3, help="per visit")
    parser.add_argument("--blocks", type=int, default=0, help="most blocks of a race; 0: what a third pays for")
    parser.add_argument("--grid", type=int, choices=range(len(GRIDS)), help="one grid instead of all: " + str(GRIDS))
    parser.add_argument("--kinds", default=",".join(KINDS))
    given = parser.parse_args()
    sizes = None if given.grid is None else GRIDS[given.grid]
    print(
        f"{given.sweeps} virtual sweeps per line, world {given.world}, {given.trials} trials, seed {given.seed}; in %"
    )
    print("near: chosen within 3 % of the best; kept: the same after the confirmation; lost: mean loss to the best")
    print("won: accepted by the confirmation; of grid: visits of screening and race to three of every configuration,")
    print("on average and at most; confirm: visits of the confirmation, which come on top")
    print(f"{'':13}{'near':>9}{'kept':>9}{'lost':>8}{'won':>8}{'visits':>9}{'of grid':>9}{'most':>6}{'confirm':>9}")
    seeds = range(given.seed * 1_000_000, given.seed * 1_000_000 + given.sweeps)
    with ProcessPoolExecutor() as pool:
        for kind in given.kinds.split(","):
            one = partial(outcome, kind, given.world, given.trials, given.blocks, sizes)
            print(line(kind, list(pool.map(one, seeds, chunksize=10))), flush=True)


if __name__ == "__main__":
    main()
