"""The configurations of a space: one knob moved in each, and memory is approached from below."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sparktune.deploy.sweep_space import candidate_of, candidates_of, in_order, range_of, ranges_of
from sparktune.errors import UsageError
from sparktune.model.sweep import KnobRange, Pruned

_SEQS = KnobRange(knob="max_num_seqs", values=("16", "4", "8", "32"), baseline="8", raises_memory=True)
_DEPTH = KnobRange(knob="num_speculative_tokens", values=("2", "3"), baseline="3")


def test_one_knob_is_moved_in_each_and_the_baseline_is_none_of_them() -> None:
    found = candidates_of((_SEQS, _DEPTH))
    assert [one.key for one in found] == [
        "max_num_seqs=16",
        "max_num_seqs=4",
        "max_num_seqs=32",
        "num_speculative_tokens=2",
    ]
    assert {one.moved for one in found} == {1}


def test_more_memory_is_tried_upwards_and_less_at_any_time() -> None:
    """32 sequences that end a machine are never tried before 16 of them ran."""
    after = {one.key: one.after for one in candidates_of((_SEQS, _DEPTH))}
    assert after == {
        "max_num_seqs=4": "",
        "max_num_seqs=16": "",
        "max_num_seqs=32": "max_num_seqs=16",
        "num_speculative_tokens=2": "",
    }


def test_where_the_baseline_is_not_known_the_smallest_goes_first() -> None:
    unknown = KnobRange(knob="max_num_seqs", values=("16", "8"), raises_memory=True)
    assert [(one.key, one.after) for one in candidates_of((unknown,))] == [
        ("max_num_seqs=16", "max_num_seqs=8"),
        ("max_num_seqs=8", ""),
    ]


def test_without_a_limit_is_the_largest() -> None:
    cache = KnobRange(knob="cache_ram", values=("-1", "8192"), baseline="0", raises_memory=True)
    assert {one.key: one.after for one in candidates_of((cache,))}["cache_ram=-1"] == "cache_ram=8192"


def test_a_combination_comes_after_the_smaller_one() -> None:
    combos = [candidate_of(values) for values in ({"max_num_seqs": "32"}, {"max_num_seqs": "16"}, _both("32", "2"))]
    combos += [candidate_of(_both("16", "2"))]
    after = {one.key: one.after for one in in_order(combos, (_SEQS, _DEPTH))}
    assert after["max_num_seqs=32 num_speculative_tokens=2"] == "max_num_seqs=16 num_speculative_tokens=2"
    assert after["max_num_seqs=32"] == "max_num_seqs=16"


def test_what_was_pruned_is_nobodys_step() -> None:
    """A candidate that waits for one that never runs would never run itself."""
    found = in_order(candidates_of((_SEQS,)), (_SEQS,), (Pruned(key="max_num_seqs=16", why="too many"),))
    assert [(one.key, one.after) for one in found] == [("max_num_seqs=4", ""), ("max_num_seqs=32", "")]


def test_one_knob_is_named_once() -> None:
    with pytest.raises(UsageError, match="names max_num_seqs twice"):
        ranges_of(("max_num_seqs=4", "--max-num-seqs=8"))


@pytest.mark.parametrize("allow_reboot", [False, True])
def test_what_no_start_of_an_engine_sets_is_refused(*, allow_reboot: bool) -> None:
    with pytest.raises(UsageError, match="no setting that an engine is started with") as caught:
        range_of("default_target=multi-user.target", allow_reboot=allow_reboot)

    assert "sparktune knobs show default_target" in caught.value.hint


@given(st.lists(st.integers(1, 10_000), min_size=1, max_size=8, unique=True), st.integers(0, 10_000))
def test_every_chain_ends_at_the_baseline(numbers: list[int], baseline: int) -> None:
    """Whatever is given: steps lead strictly downwards to one that may run at once, so that nothing waits for ever."""
    space = KnobRange(knob="k", values=tuple(map(str, numbers)), baseline=str(baseline), raises_memory=True)
    found = {one.key: one for one in candidates_of((space,))}
    for one in found.values():
        steps = [one]
        while steps[-1].after:
            steps.append(found[steps[-1].after])
        sizes = [int(step.values["k"]) for step in steps]
        above = [number for number in sorted(numbers, reverse=True) if baseline < number <= sizes[0]]
        assert sizes == (above if sizes[0] > baseline else sizes[:1])


def _both(seqs: str, depth: str) -> dict[str, str]:
    return {"max_num_seqs": seqs, "num_speculative_tokens": depth}
