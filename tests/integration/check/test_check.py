"""``sparktune check`` as a person types it: what it prints, writes and ends with."""

import json
from pathlib import Path

import pytest
from tests.support.cli import Finished, run_sparktune
from tests.support.reference import QUICK

from sparktune.io.reference.process import ReferenceProcess

_HEAD = "prompt_tokens,concurrency,trial,output_tok_s\n"
_SLOW = _HEAD + "".join(f"512,1,{trial},{rate}\n" for trial, rate in enumerate((40, 41, 42), 1))
_FAST = _HEAD + "".join(f"512,1,{trial},{rate}\n" for trial, rate in enumerate((60, 61, 62), 1))


def _written(folder: Path, **files: str) -> list[str]:
    paths = [folder / f"{name}.csv" for name in files]
    for path, text in zip(paths, files.values(), strict=True):
        path.write_text(text)
    return [str(path) for path in paths]


def _check(*arguments: str) -> Finished:
    return run_sparktune("check", *arguments)


def test_two_files_are_two_arms(tmp_path: Path) -> None:
    done = _check(*_written(tmp_path, before=_SLOW, after=_FAST))

    assert done.code == 0
    assert done.out.splitlines()[0].startswith("VALID by ")
    assert "after is better than before" in " ".join(done.out.split())
    assert done.err == ""


def test_json_says_it_to_a_script(tmp_path: Path) -> None:
    done = _check("--json", *_written(tmp_path, before=_SLOW, after=_FAST))
    found = done.json

    assert (done.code, found["schema"], found["source"], found["verdict"]) == (0, 1, "csv", "VALID")
    assert [arm["arm"] for arm in found["arms"]] == ["before", "after"]
    assert found["effect"]["ratio"] == pytest.approx(1.488, abs=5e-4)
    assert {check["status"] for check in found["checks"]} <= {"ok", "warn", "invalid", "unknown"}
    assert all(check["evidence"] for check in found["checks"] if check["status"] == "unknown"), "what is needed"


def test_one_file_has_no_arms(tmp_path: Path) -> None:
    done = _check("--json", *_written(tmp_path, only=_SLOW))

    assert (done.code, done.json["verdict"], done.json["arms"], done.json["effect"]) == (0, "VALID", None, None)


@pytest.mark.parametrize(
    ("text", "verdict"),
    [
        ("prompt_tokens,arm,trial,output_tok_s\n512,a,1,5.6\n512,b,1,3.1\n", "INCONCLUSIVE"),
        ("prompt_tokens,concurrency,ttft_s\n2048,1,1.2\n32768,1,2.4\n", "INVALID"),
    ],
)
def test_what_is_not_valid_ends_with_5(tmp_path: Path, text: str, verdict: str) -> None:
    done = _check(*_written(tmp_path, table=text))

    assert done.code == 5
    assert done.out.startswith(verdict)
    assert "next: " in done.out


def test_a_rate_that_is_known_can_be_given(tmp_path: Path) -> None:
    """One prompt length has nothing to be compared with, until somebody says what is usual."""
    files = _written(tmp_path, table="prompt_tokens,concurrency,ttft_s\n32768,1,2.4\n32768,1,2.4\n32768,1,2.4\n")

    assert _check(*files).out.startswith("VALID")
    assert _check("--cold-prefill", "1700", *files).out.startswith("INVALID")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("absent.csv", None, ["absent.csv cannot be read: No such file", "give the path"]),
        ("odd.csv", "prompt_tokens,ttft_ms\n1,2\n", ["odd.csv, line 1", "did you mean ttft_s"]),
        ("cut.json", '{"schema": 1, "run": "x", "cells": [{"prom', ["cut.json cannot be read", "runs export"]),
        ("empty.json", "", ["empty.json is empty"]),
        ("other.xml", "<a/>", ["no form that is known here"]),
    ],
)
def test_a_file_that_nobody_can_read_ends_with_2(tmp_path: Path, name: str, text: str | None, words: list[str]) -> None:
    if text is not None:
        (tmp_path / name).write_text(text)

    done = _check(str(tmp_path / name))

    assert done.code == 2
    assert done.out == ""
    assert [word for word in words if word not in done.err] == [], done.err
    assert "hint: " in done.err


def test_a_folder_without_results_says_so(tmp_path: Path) -> None:
    (tmp_path / "notes.md").write_text("a, b")

    done = _check(str(tmp_path))

    assert done.code == 2
    assert "holds no file of results among 1 files" in done.err


def _sweep(folder: Path, dates: dict[tuple[str, int], str], rates: dict[str, float]) -> None:
    for (arm, run), date in dates.items():
        path = folder / f"SERVE--max_num_seqs={arm}-BENCH--max_concurrency=8" / f"run={run}.json"
        path.parent.mkdir(parents=True, exist_ok=True)
        document = {
            "date": date,
            "backend": "openai",
            "num_prompts": 64,
            "request_rate": "inf",
            "max_concurrency": 8,
            "completed": 64,
            "failed": 0,
            "total_input_tokens": 64 * 512,
            "total_output_tokens": 64 * 128,
            "output_throughput": rates[arm] + run,
            "median_ttft_ms": 250.0,
            "median_tpot_ms": 20.0,
            "run_number": run,
            "max_num_seqs": int(arm),
        }
        path.write_text(json.dumps(document))
    (folder / "summary.csv").write_text("a,b\n1,2\n")


def test_a_sweep_is_arms_by_its_parameters_and_in_the_order_of_its_dates(tmp_path: Path) -> None:
    """A sweep runs one combination after the other: its arms are the hours, too."""
    dates = {
        (arm, run): f"20260830-{10 + 3 * place + run}0000" for place, arm in enumerate(("16", "32")) for run in range(3)
    }
    _sweep(tmp_path / "sweep", dates, {"16": 100.0, "32": 150.0})

    done = _check("--json", str(tmp_path / "sweep"))
    found = done.json
    checks = {check["id"]: check for check in found["checks"]}

    assert [arm["arm"] for arm in found["arms"]] == ["max_num_seqs=16", "max_num_seqs=32"]
    assert (found["effect"]["paired_by"], found["effect"]["n"]) == ("trials", 3)
    assert checks["V09"]["status"] == "ok"
    assert checks["V08"]["label"] == "observational"
    assert (done.code, found["verdict"]) == (5, "INCONCLUSIVE")


def test_runs_that_took_turns_can_decide(tmp_path: Path) -> None:
    order = [("16", 0), ("32", 0), ("32", 1), ("16", 1), ("16", 2), ("32", 2)]
    dates = {key: f"20260830-1{place}0000" for place, key in enumerate(order)}
    _sweep(tmp_path / "sweep", dates, {"16": 100.0, "32": 150.0})

    assert _check(str(tmp_path / "sweep")).code == 0


def test_our_own_result_is_read_with_what_its_checks_found(reference: ReferenceProcess, tmp_path: Path) -> None:
    reference.reset(QUICK)
    cells = ("--pp", "64", "--tg", "8", "--concurrency", "1", "--trials", "3", "--warmup", "1")
    bench = run_sparktune("bench", reference.base_url, *cells, "--json", "--quiet")
    path = tmp_path / "run.json"
    path.write_text(bench.out)

    done = _check("--json", str(path))
    found = done.json
    own = {check["id"]: check["status"] for check in bench.json["cells"][0]["checks"]}

    assert found["source"] == "sparktune"
    assert found["cells"][0]["n"] == 3
    assert found["cells"][0]["medians"]["ttft_s"] == bench.json["cells"][0]["metrics"]["ttft_s"]["median"]
    assert {"V20", "V21"} <= {check["id"] for check in found["checks"]}, "questions that only a cell answers"
    invalid = {check["id"] for check in found["checks"] if check["status"] == "invalid"}
    assert invalid == {check_id for check_id, status in own.items() if status == "invalid"}
