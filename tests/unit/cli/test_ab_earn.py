"""What is said when a win is kept: a loss that the mean hides does not forbid it, and is not passed over either."""

from dataclasses import replace
from pathlib import Path

import pytest
from tests.support import reported

from sparktune.cli import _ab_earn
from sparktune.cli._ab_earn import earn
from sparktune.cli._experiment_options import ExperimentOptions
from sparktune.experiment.result import CellHarm


@pytest.mark.parametrize(("harms", "warned"), [((), False), ((reported.harm(),), True)], ids=["clean", "hidden harm"])
@pytest.mark.parametrize("accept", [True, False])
def test_a_hidden_loss_is_told_where_a_win_is_kept(
    harms: tuple[CellHarm, ...],
    *,
    warned: bool,
    accept: bool,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """With --json and --accept nobody reads the verdict's text: the warning has to be where the saving is told."""
    kept: list[object] = []
    monkeypatch.setattr(_ab_earn, "keep_earned", lambda _path, entry: kept.append(entry))
    monkeypatch.setattr(_ab_earn, "earned_entry", lambda result: result.experiment.id)
    result = replace(reported.decided().result, guards=(), harms=harms)

    earn(result, ExperimentOptions(accept=accept, yes=True, earned=Path("earned.yaml")))

    told = capsys.readouterr().err
    assert ("WARNING: in pp2048 tg128 c8 decode_min_tok_s is -31.0 %" in told) is warned
    assert bool(kept) is accept
