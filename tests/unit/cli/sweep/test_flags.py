"""Flags of a sweep are the values of its file, and faults of a flag name the flag."""

from pathlib import Path

import pytest

from sparktune.cli._sweep.flags import SweepFlags, sweep_values
from sparktune.errors import UsageError
from sparktune.io.sweep_file import sweep_request


def test_flags_are_the_values_of_a_file() -> None:
    flags = SweepFlags(
        knob=["max_num_seqs=4,8"],
        url="http://h/v1",
        launcher="command",
        baseline="vllm serve m",
        constraint=["ttft_s<=1"],
        budget="2h",
        no_pairs=True,
        live_http=["/props:total_slots=max_num_seqs,1"],
        concurrency="1,4",
        nodes="a,b",
        tail=0,
    )
    values, _ = sweep_values(None, flags)

    assert values == {
        "url": "http://h/v1",
        "launcher": "command",
        "baseline": {"command": "vllm serve m"},
        "knobs": ["max_num_seqs=4,8"],
        "constraints": ["ttft_s<=1"],
        "budget": "2h",
        "pairs": False,
        "live": {"/props total_slots": {"http": "/props", "keys": "total_slots", "knob": "max_num_seqs", "A": "1"}},
        "workload": {"concurrency": [1, 4]},
        "nodes": ["a", "b"],
        "guard": {"tail_s": 0},
    }


def test_flags_go_before_the_file(tmp_path: Path) -> None:
    path = tmp_path / "sweep.yaml"
    path.write_text("knobs: {max_num_seqs: [4]}\nbudget: 1h\nlauncher: compose\n")
    values, _ = sweep_values(path, SweepFlags(budget="3h", baseline="env:X=1"))

    assert (values["budget"], values["baseline"]) == ("3h", {"env": {"X": "1"}})
    assert values["knobs"] == {"max_num_seqs": [4]}


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        (SweepFlags(), "--knob: no knob is named"),
        (SweepFlags(knob=["max_num_seqs=4"], budget="soon"), "--budget: a time above 0"),
        (SweepFlags(knob=["max_num_seqs=4"], constraint=["x"]), "--constraint: 'x' is no constraint"),
        (SweepFlags(knob=["max_num_seqs=4"], confirm_blocks=1), "--confirm-blocks: 1 blocks confirm nothing"),
    ],
)
def test_a_fault_names_the_flag(flags: SweepFlags, words: str) -> None:
    values, fault = sweep_values(None, flags)
    with pytest.raises(UsageError) as told:
        sweep_request(values, fault)

    assert str(told.value).startswith(words)


def test_a_fault_of_the_file_names_its_line(tmp_path: Path) -> None:
    path = tmp_path / "sweep.yaml"
    path.write_text("knobs: {max_num_seqs: [4]}\nbudget: soon\n")
    values, fault = sweep_values(path, SweepFlags())
    with pytest.raises(UsageError, match=r"sweep\.yaml:2: budget: a time above 0"):
        sweep_request(values, fault)


def test_how_a_knob_is_read_back_has_a_form() -> None:
    with pytest.raises(UsageError, match="is not PATH:KEYS=KNOB"):
        sweep_values(None, SweepFlags(live_http=["props=4"]))
