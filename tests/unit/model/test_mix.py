"""Cells whose requests differ on purpose: what they are called, how many requests they have, what is refused."""

from dataclasses import replace
from typing import Any

import pytest

from sparktune.model.arrival import Arrivals
from sparktune.model.cell import Cell
from sparktune.model.mix import Household, OwnPrompts, Replay

_MIX = Household(opening_tokens=1000, turns=4, turn_tokens=100, reply_tokens=50, long_tokens=1200, long_reply_tokens=10)
_REPLAY = Replay(name="t.jsonl", digest="abcdef012345", count=7)
_OWN = OwnPrompts(name="own.jsonl", digest="abcdef012345", count=5)


def test_a_household() -> None:
    cell = Cell.of_household(_MIX)

    assert [_MIX.prompt_tokens(turn) for turn in range(4)] == [1000, 1100, 1200, 1300]
    assert (cell.streams, cell.concurrency, _MIX.long_stream, _MIX.interrupted) == (5, 2, 4, 2)
    assert cell.total_prompt_tokens == 1300
    assert cell.label == "household 1000+4x100 tg50 / pp1200 tg10"
    assert (cell.is_mix, cell.is_plain, cell.is_warm) == (True, False, True)


@pytest.mark.parametrize(("nonce", "label"), [(False, ""), (True, " nonce")])
def test_own_prompts(label: str, *, nonce: bool) -> None:
    own = OwnPrompts(name="own.jsonl", digest="abcdef012345", count=5, nonce=nonce)
    cell = Cell(prompt_tokens=0, output_tokens=8, concurrency=2, prompts=own)

    assert cell.label == f"own.jsonl:abcdef x5{label} tg8 c2"
    assert (cell.streams, cell.is_mix, cell.is_warm) == (5, True, not nonce)


def test_a_file_name_steers_no_terminal() -> None:
    own = OwnPrompts(name="a\x1b[2Jb  c.jsonl", digest="abcdef", count=1)

    assert own.label == "a?[2Jb c.jsonl:abcdef x1"


def test_cells_that_differ_in_arrivals_alone_are_other_cells() -> None:
    cells = [
        Cell(prompt_tokens=512, output_tokens=128, concurrency=4, arrivals=arrivals)
        for arrivals in (Arrivals(), Arrivals(stagger_s=2.0), Arrivals(rate_per_s=2.0))
    ]

    assert len(set(cells)) == 3
    assert [cell.label for cell in cells] == [
        "pp512 tg128 c4",
        "pp512 tg128 c4 stagger 2s",
        "pp512 tg128 c4 poisson 2/s",
    ]
    assert [cell.is_plain for cell in cells] == [True, False, False]


@pytest.mark.parametrize("change", [{"turns": 1}, {"opening_tokens": 0}, {"long_reply_tokens": 0}], ids=str)
def test_a_household_that_cannot_be_sent(change: dict[str, int]) -> None:
    sizes = {"opening_tokens": 1, "turn_tokens": 1, "reply_tokens": 1, "long_tokens": 1, "long_reply_tokens": 1}
    with pytest.raises(ValueError, match="two turns at least and positive lengths"):
        Household(**{"turns": 2, **sizes, **change})


def test_a_replay_says_its_file_and_its_pace() -> None:
    cell = Cell(prompt_tokens=0, output_tokens=9, replay=replace(_REPLAY, name="a\x1b[2Jb.jsonl", time_scale=0.5))

    assert cell.label == "replay a?[2Jb.jsonl:abcdef x7 time x0.5"
    assert (cell.streams, cell.is_mix, cell.is_warm, cell.is_plain) == (7, True, True, False)


@pytest.mark.parametrize("change", [{"count": 0}, {"time_scale": -1.0}, {"time_scale": float("inf")}], ids=str)
def test_a_replay_that_cannot_be_sent(change: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="a replay needs requests"):
        replace(_REPLAY, **change)


def test_a_file_without_prompts() -> None:
    with pytest.raises(ValueError, match=r"own\.jsonl holds no prompt"):
        OwnPrompts(name="own.jsonl", digest="0", count=0)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"prompts": _OWN, "prompt_tokens": 0, "depth": 10}, "no depth"),
        ({"household": _MIX, "arrivals": Arrivals(stagger_s=1.0)}, "its own arrivals"),
        ({"household": _MIX, "prompts": _OWN}, "its own arrivals"),
        ({"replay": _REPLAY, "prompt_tokens": 5}, "its own lengths and arrivals"),
        ({"replay": _REPLAY, "prompt_tokens": 0, "prompts": _OWN}, "its own lengths and arrivals"),
        ({"replay": _REPLAY, "prompt_tokens": 0, "arrivals": Arrivals(rate_per_s=1.0)}, "its own lengths and arrivals"),
        ({"prompts": _OWN, "prompt_tokens": 5}, "their own lengths"),
        ({"prompts": _OWN, "prompt_tokens": 0, "concurrency": 6}, "at least one per stream"),
    ],
    ids=str,
)
def test_what_excludes_each_other(change: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        Cell(**{"prompt_tokens": 1, "output_tokens": 1, **change})
