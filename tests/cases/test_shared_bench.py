"""Captured results of real Spark clusters: the answers that their numbers allow, read in place."""

import csv
from dataclasses import replace

import pytest
from tests.support.evidence import make_cell_evidence, make_run_evidence
from tests.support.shared import shared
from tests.support.trials import make_spec_cell, make_trial

from sparktune.bench.evaluate import all_checks, all_metrics
from sparktune.bench.exposition import parse_exposition
from sparktune.bench.imports.lanes import LaneCase, fairness, read_lanes
from sparktune.bench.imports.llama_benchy import BenchyRow, FlagKind, RowKind, read_llama_benchy
from sparktune.engines import by_name
from sparktune.model.check import Status
from sparktune.model.counters import CounterDelta, Counters
from sparktune.model.metric import Unknown
from sparktune.model.options import Slo

_LANES = "cases/28-sse-chunks-vs-usage-and-fairness/bench_lanes.json"
_SPEC = "cases/30-spec-metrics-with-created-gauges/metrics.txt"
_BENCHY = "cases/38-llama-benchy-report-json/report.json"
_TABLE = "cases/26-plus-1755-percent-is-prefix-cache/seed_ab.csv"


def _lane_cases() -> dict[str, LaneCase]:
    path = shared(_LANES)
    return {case.name: case for case in read_lanes(path.read_bytes(), source=path.name)}


def test_tokens_come_from_usage_not_from_chunks() -> None:
    """128 tokens came in 26 chunks: counting chunks is wrong by a factor of 4.9."""
    (lane,) = _lane_cases()["c1_256"].lanes

    assert lane.decode_tok_s == pytest.approx(82.65, abs=0.005)
    assert lane.chunks_per_s == pytest.approx(16.9, abs=0.05)
    assert lane.tokens_per_chunk == pytest.approx(4.92, abs=0.005)


def test_an_aggregate_hides_that_prefills_were_served_one_by_one() -> None:
    case = _lane_cases()["c4_8192"]
    found = fairness(case)

    assert found is not None
    assert found.ttft_spread_s == pytest.approx(14.41, abs=0.005)
    assert found.ttft_max_over_min == pytest.approx(4.1, abs=0.05)
    assert found.ttft_gap_s == pytest.approx(4.8, abs=0.1)
    assert found.serialized is True
    assert sorted(found.decode_tok_s) == pytest.approx([8.4, 12.2, 19.9, 63.4], abs=0.05)
    assert found.decode_median_tok_s == pytest.approx(16.04, abs=0.005)
    assert found.decode_max_over_min == pytest.approx(7.6, abs=0.05)


def test_the_same_wave_as_a_trial_gives_the_same_fairness() -> None:
    """The importer and the metrics must not disagree about one wave."""
    case = _lane_cases()["c4_8192"]
    streams = [
        {
            "outputs": [lane.ttft_s * 1000, (lane.ttft_s + lane.decode_s) * 1000],
            "tokens": [1, lane.completion_tokens - 1],
        }
        for lane in case.lanes
        if lane.ttft_s and lane.decode_s and lane.completion_tokens
    ]
    trial = make_trial({"streams": streams}, cell=make_spec_cell({"prompt": 8192, "streams": 4}))
    values = {metric.name: metric.compute(trial, Slo()) for metric in all_metrics()}
    found = fairness(case)

    assert found is not None
    assert values["ttft_spread_s"] == pytest.approx((found.ttft_spread_s,))
    assert values["ttft_gap_s"] == pytest.approx((found.ttft_gap_s,))
    assert values["jain_ttft"] == pytest.approx((found.jain_ttft,))
    assert values["jain_decode"] == pytest.approx((found.jain_decode,))
    assert values["decode_tok_s"] == pytest.approx(found.decode_tok_s)


def test_prompts_were_longer_than_their_label() -> None:
    """A template added 17 tokens: what was asked and what was achieved are both told."""
    for case in _lane_cases().values():
        assert {lane.prompt_tokens for lane in case.lanes} == {case.prompt + 17}


def test_acceptance_is_read_from_totals_never_from_creation_times() -> None:
    samples = parse_exposition(shared(_SPEC).read_bytes())
    counters = by_name("vllm").counters(samples, {})
    start = Counters(spec_drafts=0, spec_draft_tokens=0, spec_accepted_tokens=0, identity=counters.identity)
    trial = replace(make_trial({}, cell=make_spec_cell({})), counters=CounterDelta.between(start, counters))
    answers = {metric.name: metric.compute(trial, Slo()) for metric in all_metrics()}
    values = {name: answer for name, answer in answers.items() if not isinstance(answer, Unknown)}

    assert (counters.spec_drafts, counters.spec_draft_tokens, counters.spec_accepted_tokens) == (105, 630, 149)
    assert values["acceptance_length"] == pytest.approx((2.419,), abs=5e-4)
    assert values["draft_acceptance_share"] == pytest.approx((0.2365,), abs=5e-5)
    assert values["acceptance_per_position"] == pytest.approx((0.800, 0.600, 0.0095, 0.0095, 0, 0), abs=5e-5)
    assert sum(values["acceptance_per_position"]) * 105 == pytest.approx(149)


def _benchy_rows() -> dict[str, BenchyRow]:
    path = shared(_BENCHY)
    return {row.name: row for row in read_llama_benchy(path.read_bytes(), source=path.name).rows}


def test_a_first_run_that_compiles_is_flagged_and_the_median_told() -> None:
    row = _benchy_rows()["tg128 (c1)"]

    assert (row.rate_tok_s.median, row.rate_tok_s.n) == (70.9, 3)
    assert row.rate_tok_s.sd == pytest.approx(7.5, abs=0.05)
    assert FlagKind.WARM_UP in {flag.kind for flag in row.flags}


def test_a_peak_below_the_mean_counts_chunks() -> None:
    row = _benchy_rows()["tg128 (c1)"]

    assert row.peak_tok_s is not None
    assert row.peak_tok_s.median == 14.0
    assert FlagKind.PEAK_COUNTS_CHUNKS in {flag.kind for flag in row.flags}


def test_loading_a_context_is_kept_out_of_decode_statistics() -> None:
    rows = _benchy_rows().values()

    assert [row.name for row in rows if row.kind is RowKind.DECODE] == ["tg128 (c1)", "tg128 @ d32768 (c4)"]
    (context,) = (row for row in rows if row.kind is RowKind.CONTEXT_PREFILL)
    assert (context.context_tokens, context.rate_tok_s.median, context.ttft_s) == (32768, 1771.0, None)


def test_a_ttft_on_a_cached_context_is_not_cold_and_mixed_rates_are_no_verdict() -> None:
    row = _benchy_rows()["pp512 @ d32768 (c4)"]

    assert row.first_response_s is not None
    assert row.first_response_s.median == pytest.approx(2.445)
    assert FlagKind.NOT_COLD in {flag.kind for flag in row.flags}
    assert FlagKind.UNSTABLE in {flag.kind for flag in row.flags}


def test_a_speed_up_of_eighteen_times_is_a_prefix_cache() -> None:
    """The published table: one arm read prompts up to 26 times faster than the machine reads prompts."""
    with shared(_TABLE).open() as lines:
        table = [row for row in csv.DictReader(lines) if row["conc"] == "1"]
    statuses = {}
    for arm in ("off", "on"):
        cells = [
            {
                "cell": {"prompt": int(row["prompt"]), "output": 128},
                "trials": [{"streams": [{"outputs": [float(row[f"{arm}_ttft_s"]) * 1000], "tokens": [128]}]}],
            }
            for row in table
        ]
        for cell in cells:
            case = {**cell, "others": [other for other in cells if other is not cell], "cold_reference": 1713.0}
            evidence = make_cell_evidence(case)
            run = make_run_evidence(case, evidence)
            results = {check.id: check.run(evidence, run).status for check in all_checks()}
            statuses[arm, evidence.cell.prompt_tokens] = (results["V02"], results["V04"])

    long = (8192, 32768, 131072)
    assert [statuses["off", prompt] for prompt in long] == [(Status.OK, Status.OK)] * 3
    assert [statuses["on", prompt] for prompt in long] == [(Status.INVALID, Status.WARN)] * 3
    assert statuses["on", 2048][0] is Status.OK
