"""The schedule is the ground truth: every figure here is worked out by hand."""

import pytest

from sparktune.io.reference.asks import Generate
from sparktune.io.reference.knobs import Html, Knobs, Phase
from sparktune.io.reference.plan import Fault, chunk_sizes, fault_of, first_due_ns, output_length, plan_of

_MS = 1_000_000


@pytest.mark.parametrize(
    ("ask", "eos_at", "expected"),
    [
        (Generate(max_tokens=64), 0, (64, "length")),
        (Generate(), 0, (128, "length")),
        (Generate(max_completion_tokens=7, max_tokens=9), 0, (7, "length")),
        (Generate(n_predict=5), 0, (5, "length")),
        (Generate(max_tokens=64), 20, (20, "stop")),
        (Generate(max_tokens=64, ignore_eos=True), 20, (64, "length")),
        (Generate(max_tokens=64, min_tokens=30), 20, (30, "stop")),
        (Generate(max_tokens=64, min_tokens=64), 20, (64, "length")),
        (Generate(max_tokens=20), 20, (20, "length")),
    ],
)
def test_output_length(ask: Generate, eos_at: int, expected: tuple[int, str]) -> None:
    assert output_length(ask, Knobs(eos_at=eos_at)) == expected


@pytest.mark.parametrize(
    ("tokens", "per_chunk", "expected"), [(3, 1, (1, 1, 1)), (33, 16, (16, 16, 1)), (6, 3, (3, 3)), (2, 5, (2,))]
)
def test_chunk_sizes(tokens: int, per_chunk: int, expected: tuple[int, ...]) -> None:
    assert chunk_sizes(tokens, per_chunk) == expected


@pytest.mark.parametrize(
    ("knobs", "ahead", "expected"),
    [
        (Knobs(ttft_ms=200), 0, 200 * _MS),
        (Knobs(ttft_ms=200, pp_tps=1000), 0, 700 * _MS),
        (Knobs(ttft_ms=200, stagger_ms=100), 3, 500 * _MS),
        (Knobs(ttft_ms=201, itl_ms=10, phase=Phase.BATCH), 0, 210 * _MS),
        (Knobs(ttft_ms=200, itl_ms=10, phase=Phase.BATCH), 0, 200 * _MS),
    ],
)
def test_first_chunk_is_due(knobs: Knobs, ahead: int, expected: int) -> None:
    start_ns = 7_000 * _MS

    assert first_due_ns(start_ns, knobs, uncached=500, ahead=ahead) == start_ns + expected


@pytest.mark.parametrize(
    ("knobs", "struck"),
    [
        (Knobs(), {}),
        (Knobs(fail_every=2), {2: Fault.FAIL, 4: Fault.FAIL}),
        (Knobs(abort_every=3, stall_every=4), {3: Fault.ABORT, 4: Fault.STALL}),
        (Knobs(errchunk_every=4, cut_mid_chunk_every=4), {4: Fault.CUT}),
        (Knobs(html=Html.STREAM), dict.fromkeys((1, 2, 3, 4), Fault.HTML)),
    ],
)
def test_fault_strikes_every_nth_request(knobs: Knobs, struck: dict[int, Fault]) -> None:
    found = {number: fault_of(number, knobs) for number in range(1, 5)}

    assert {number: fault for number, fault in found.items() if fault is not Fault.NONE} == struck


def test_plan_counts_tokens_not_chunks() -> None:
    plan = plan_of(Generate(max_tokens=10), Knobs(tpc=4, errchunk_every=1), 1)

    assert (plan.tokens, plan.sizes, plan.fault, plan.break_at) == (10, (4, 4, 2), Fault.ERRCHUNK, 1)
