"""Results of real Spark clusters, read in place: what check says of them is what their numbers allow."""

import json
from pathlib import Path
from typing import Any

import pytest
from tests.support.shared import shared

from sparktune.flows.check import check_files
from sparktune.report.check import check_json, check_text

_DRAFTS = "cases/31-draft-depth-sweep-acceptance-vs-speed"


def _check(*paths: Path, cold: float | None = None) -> dict[str, Any]:
    judgement = check_files(paths, cold)
    found: dict[str, Any] = json.loads(check_json(judgement))
    found["text"] = " ".join(check_text(judgement, width=80).split())
    found["by_id"] = {check["id"]: check for check in found["checks"]}
    return found


def test_eighteen_times_faster_is_a_prefix_cache() -> None:
    """Arms as columns: the rows that a cache answered are void, the honest ones show nothing."""
    found = _check(shared("cases/26-plus-1755-percent-is-prefix-cache/seed_ab.csv"))

    assert found["verdict"] == "INVALID"
    assert found["by_id"]["V02"]["status"] == "invalid"
    for part in ("3,511", "13,402", "42,051", "4,096"):
        assert part in found["by_id"]["V02"]["evidence"]
    assert {row["arm"] for row in found["excluded"]} == {"on"}
    assert {row["prompt_tokens"] for row in found["excluded"]} == {8192, 32768, 131072}
    assert (found["effect"]["ratio"], found["effect"]["low"], found["effect"]["high"]) == pytest.approx(
        (0.999, 0.945, 1.056), abs=5e-4
    )
    assert found["effect"]["words"] == "no detectable effect"


def test_a_cold_baseline_of_another_day_is_not_accused() -> None:
    found = _check(shared("cases/26-plus-1755-percent-is-prefix-cache/independent_cold_baseline.csv"))

    assert found["verdict"] == "INCONCLUSIVE"
    assert found["by_id"]["V02"]["status"] == "ok"
    assert found["excluded"] == []


def test_one_value_is_no_regression() -> None:
    found = _check(shared("cases/27-single-trial-ghost-regression/trials.csv"))
    arms = {arm["arm"]: arm for arm in found["arms"]}

    assert found["verdict"] == "INCONCLUSIVE"
    assert found["by_id"]["V07"]["label"] == "anecdote"
    assert all("anecdote" in effect["words"] for effect in found["effects"])
    assert arms["after_change_rerun"]["metrics"]["output_tok_s"] == {"median": 6.7, "min": 6.4, "max": 10.2, "n": 5}
    assert arms["after_change_rerun"]["apart"] == [10.2]
    assert "worse" not in found["text"]
    assert "5 blocks of both arms in turn" in found["text"]


def test_tokens_are_the_servers_count_and_streams_are_shown_one_by_one() -> None:
    found = _check(shared("cases/28-sse-chunks-vs-usage-and-fairness/bench_lanes.json"))
    alone, four = found["cells"]

    assert found["arms"] is None
    assert alone["medians"]["decode_tok_s"] == pytest.approx(82.65, abs=0.005)
    assert alone["medians"]["tokens_per_chunk"] == pytest.approx(4.92, abs=0.005)
    assert four["medians"]["ttft_spread_s"] == pytest.approx(14.41, abs=0.005)
    assert four["medians"]["decode_tok_s"] == pytest.approx(16.04, abs=0.005)
    for part in ("one by one", "4.1 times", "8.38, 12.2, 19.9, 63.4"):
        assert part in found["text"]
    assert found["by_id"]["V14"]["status"] == "ok"
    assert "273" in found["by_id"]["V06"]["evidence"]


@pytest.mark.parametrize(
    ("first", "second", "medians", "change", "wins", "verdict"),
    [
        ("n3", "n7", (25.3, 36.5), 42.0, 19, "VALID"),
        ("n7", "n11", (36.5, 36.4), 4.3, 11, "INCONCLUSIVE"),
        ("n11", "n15", (36.4, 35.5), -3.0, 7, "INCONCLUSIVE"),
        ("n7", "n15", (36.5, 35.5), 1.6, 10, "INCONCLUSIVE"),
    ],
)
def test_drafts_are_judged_by_speed_on_the_same_prompts(
    first: str, second: str, medians: tuple[float, float], change: float, wins: int, verdict: str
) -> None:
    """Acceptance falls with every further draft token, and would choose the slowest setting."""
    found = _check(*(shared(f"{_DRAFTS}/dfl-{name}.json") for name in (first, second)))
    effect = found["effect"]

    assert found["verdict"] == verdict
    assert tuple(effect["medians"].values()) == pytest.approx(medians, abs=0.06)
    assert (effect["median_ratio"] - 1) * 100 == pytest.approx(change, abs=0.06)
    assert (effect["n"], effect["wins"], effect["paired_by"]) == (20, wins, "prompts")
    assert (effect["low"] <= 1 <= effect["high"]) == (verdict == "INCONCLUSIVE")


def test_prompts_that_failed_in_every_arm_are_counted_not_scored() -> None:
    found = _check(*(shared(f"{_DRAFTS}/dfl-{name}.json") for name in ("n3", "n7")))

    assert found["by_id"]["V19"]["status"] == "warn"
    assert "4 of 24 in dfl-n3, 4 of 24 in dfl-n7" in found["by_id"]["V19"]["evidence"]
    assert [arm["failed_requests"] for arm in found["arms"]] == [4, 4]
    assert all(arm["metrics"]["decode_tok_s"]["min"] > 0 for arm in found["arms"])


def test_a_folder_of_four_arms_is_compared_with_the_first_and_counters_tell_the_setting() -> None:
    found = _check(shared(_DRAFTS))

    assert [arm["arm"] for arm in found["arms"]] == ["dfl-n3", "dfl-n7", "dfl-n11", "dfl-n15"]
    assert [arm["settings"]["num_speculative_tokens"] for arm in found["arms"]] == ["3", "7", "11", "15"]
    assert [found["facts"][f"dfl-n{n}.acceptance_length"] for n in (3, 7, 11, 15)] == ["3.01", "4.05", "4.59", "4.47"]
    assert all(effect["first"] == "dfl-n3" and effect["low"] > 1 for effect in found["effects"])
    assert found["by_id"]["V09"]["status"] == "ok"


def test_flags_of_llama_benchy_become_findings() -> None:
    found = _check(shared("cases/38-llama-benchy-report-json/report.json"))
    cells = {(cell["prompt_tokens"], cell["depth"], cell["concurrency"]): cell for cell in found["cells"]}

    assert found["verdict"] == "INVALID"
    assert "1,650 to 7,300" in found["by_id"]["V02"]["evidence"]
    assert [row["depth"] for row in found["excluded"]] == [32768]
    assert "58.1, 70.9, 71.4" in found["by_id"]["V10"]["evidence"]
    assert "a peak of 14.0 tok/s" in found["by_id"]["V14"]["evidence"]
    assert cells[512, 0, 1]["medians"]["decode_tok_s"] == 70.9
    assert cells[512, 0, 1]["n"] == 3
    assert "decode_tok_s" not in cells[32768, 0, 1]["medians"], "loading a context is no decoding"
    assert cells[512, 32768, 4]["medians"]["ttft_s"] == pytest.approx(2.46), "milliseconds in the file"


@pytest.mark.parametrize("given", ["", "bench.txt", "gpu_samples.csv"])
def test_a_gpu_in_its_low_power_state_voids_what_was_measured(given: str) -> None:
    """Idle clocks look healthy: only samples under load tell."""
    found = _check(shared("cases/10-low-power-state-invalidates-benchmark") / given)

    assert found["verdict"] == "INVALID"
    assert found["by_id"]["V13"]["status"] == "invalid"
    assert "776 MHz under load, 2,216 MHz idle" in found["by_id"]["V13"]["evidence"]
    assert "power adapter" in found["text"]


def test_llama_benchys_report_and_progress_file_tell_the_same() -> None:
    """Two files of one session: the reference server's TTFT and rate come out of both."""
    report = _check(shared("samples/llama-benchy/benchy.json"))
    progress = _check(shared("samples/llama-benchy/benchy_progress.jsonl"))
    cells = [
        {
            (cell["prompt_tokens"], cell["depth"], cell["concurrency"], cell["label"]): cell["medians"]
            for cell in found["cells"]
        }
        for found in (report, progress)
    ]

    assert cells[0].keys() == cells[1].keys()
    for key, medians in cells[0].items():
        assert cells[1][key]["ttft_s"] == pytest.approx(medians["ttft_s"], rel=0.02)
        assert cells[1][key]["decode_tok_s"] == pytest.approx(medians["decode_tok_s"], rel=0.02)


def test_a_matrix_of_waves_is_read_whole() -> None:
    found = _check(shared("samples/engines/mia-bench-matrix-20260814.json"))

    assert found["verdict"] == "INCONCLUSIVE", "one wave per cell"
    assert len(found["cells"]) == 20
    assert found["by_id"]["V02"]["status"] == "ok"
    assert found["by_id"]["V19"]["status"] == "ok"
