"""What an experiment earned is kept, or the command that keeps it later is named: hours were measured for it."""

from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from sparktune.cli._ab import earn as _ab_earn
from sparktune.cli._experiment_options import ExperimentOptions
from sparktune.errors import UsageError
from sparktune.experiment.verdict import Verdict


def test_a_file_that_cannot_be_written_names_the_command_for_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    result: Any = mock.Mock(verdict=Verdict.IMPROVED, harms=())
    result.experiment.id = "261130-180000-exp"
    earned = tmp_path / "no such folder" / "earned.yaml"
    monkeypatch.setattr(_ab_earn, "why_not", lambda _result: "")
    monkeypatch.setattr(_ab_earn, "earned_entry", lambda _result: {"knob": "k", "scope": {}, "evidence": {}})

    with pytest.raises(UsageError, match=r"cannot be opened: .*; the setting was not kept there") as caught:
        _ab_earn.earn(result, ExperimentOptions(accept=True, earned=earned))

    assert caught.value.hint.endswith(f"then: sparktune earned accept 261130-180000-exp --earned '{earned}'")
