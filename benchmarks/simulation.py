"""Print what the method of ``ab`` finds and errs, in worlds in which the truth is known: ``make sim``.

Every line is some thousand virtual experiments by the product's own design, looks and rules; see
``tests/support/virtual.py`` for the noise. The tests hold the same rates to their limits.
"""

import argparse
from collections.abc import Mapping

from tests.support.experiments import experiment
from tests.support.virtual import ROUGH, WORLDS, Rates, harm_told, one_run_each, simulate

from sparktune.experiment.effect import Better
from sparktune.experiment.plan import GuardMetric
from sparktune.experiment.rules import Rules
from sparktune.experiment.verdict import Verdict
from sparktune.model.cell import Cell

_TRUTHS = (1.0, 1.05, 1.10, 1.20)
_SHOWN = (Verdict.IMPROVED, Verdict.REGRESSED, Verdict.EQUIVALENT, Verdict.INCONCLUSIVE)


def main() -> None:
    """Simulate and print one line per world and true effect."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--experiments", type=int, default=5000, help="virtual experiments per line")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    print(f"{given.experiments} virtual experiments per line, seed {given.seed}; shares in %")
    print(f"{'world':8}{'truth':>7}" + "".join(f"{verdict.value:>14}" for verdict in _SHOWN) + f"{'blocks':>9}")
    known = {}
    for name, world in WORLDS.items():
        for truth in _TRUTHS:
            known[name, truth] = rates = simulate(world, truth, experiments=given.experiments, seed=given.seed)
            print(f"{name:8}{truth:7.2f}{_shares(rates)}{rates.blocks:9.1f}")
    _print_told(known)
    _print_rough(given.experiments, given.seed)
    _print_one_run_each(given.experiments, given.seed)
    _print_harm(given.experiments // 5, given.seed)


def _shares(rates: Rates) -> str:
    return "".join(f"{100 * rates.share(verdict):14.1f}" for verdict in _SHOWN)


def _print_told(known: Mapping[tuple[str, float], Rates]) -> None:
    print("\nintervals that hold the truth, and what those that end IMPROVED say the effect is, on average:")
    print(f"{'world':8}{'truth':>7}{'covered':>14}{'told':>14}")
    for (name, truth), rates in known.items():
        told = "-" if rates.told is None else f"{rates.told:.3f}"
        print(f"{name:8}{truth:7.2f}{100 * rates.covered:14.1f}{told:>14}")


def _print_rough(experiments: int, seed: int) -> None:
    print("\nthe same where noise is not normal, or blocks hang together:")
    print(f"{'world':14}{'truth':>7}" + "".join(f"{verdict.value:>14}" for verdict in _SHOWN) + f"{'covered':>9}")
    for name, world in ROUGH.items():
        for truth in (1.0, 1.10):
            rates = simulate(world, truth, experiments=experiments, seed=seed)
            print(f"{name:14}{truth:7.2f}{_shares(rates)}{100 * rates.covered:9.1f}")


def _print_one_run_each(experiments: int, seed: int) -> None:
    margin = Rules().margin
    print(f"\none run of each instead, A first, and {margin:.0%} or more taken for an effect:")
    print(f"{'world':8}{'truth':>7}{'B better':>14}{'B worse':>14}{'neither':>14}")
    for name, world in WORLDS.items():
        for truth in _TRUTHS:
            shares = one_run_each(world, truth, experiments=experiments, seed=seed, margin=margin)
            print(f"{name:8}{truth:7.2f}" + "".join(f"{100 * share:14.1f}" for share in (*shares, 1 - sum(shares))))


def _print_harm(experiments: int, seed: int) -> None:
    """Print how often a cell is said to be worse: all are the same, lose just what is allowed, or one loses much."""
    margin = Rules().margin
    cells = [Cell(prompt_tokens=64, output_tokens=32, concurrency=streams) for streams in (1, 2, 4, 8)]
    guard = GuardMetric(metric="decode_min_tok_s", better=Better.HIGHER, margin=margin)
    plan = experiment(cells=cells, guards=[guard])
    edge, labels = 1 / (1 + margin), [cell.label for cell in cells]
    one = {**dict.fromkeys(labels, 1.1), labels[-1]: 0.7}
    truths = (dict.fromkeys(labels, 1.0), dict.fromkeys(labels, edge), one)
    print(
        f"\na cell of {len(cells)} told to be worse, with one guard; margins {margin:.0%}, {experiments} experiments:"
    )
    print(f"{'world':8}{'same arms':>14}{'all at margin':>14}{'one -30 %':>14}")
    for name, world in WORLDS.items():
        shares = [harm_told(world, truth, plan, experiments=experiments, seed=seed) for truth in truths]
        print(f"{name:8}" + "".join(f"{100 * share:14.1f}" for share in shares))


if __name__ == "__main__":
    main()
