"""What an experiment takes from ``sparktune.yaml``."""

from pathlib import Path

import pytest

from sparktune.cli._ab.world import service_values


def test_limits_of_guards_are_those_of_the_folder_unless_the_experiment_says_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host has the floor that its owner wrote down once, whichever command sends load to it."""
    (tmp_path / "sparktune.yaml").write_text("guard: {available_floor: 8GiB, temperature: 85}\n")
    monkeypatch.chdir(tmp_path)

    plain = service_values({"url": "http://127.0.0.1:1/v1"})
    own = service_values({"url": "http://127.0.0.1:1/v1", "guard": {"available_floor": "4GiB", "tail_s": 0}})

    assert plain["guard"] == {"available_floor": "8GiB", "temperature": 85}
    assert own["guard"] == {"available_floor": "4GiB", "temperature": 85, "tail_s": 0}


def test_a_guard_that_is_no_mapping_is_left_for_whoever_complains(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "sparktune.yaml").write_text("guard: {available_floor: 8GiB}\n")
    monkeypatch.chdir(tmp_path)
    assert service_values({"guard": 3})["guard"] == 3
