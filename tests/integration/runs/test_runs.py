"""``sparktune runs`` as a person types it."""

import csv
import io
import json
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.support.measured import store_run, wave
from tests.support.stored import make_cell, make_request, make_run
from tests.support.stored_experiment import store_experiment

from sparktune.cli.app import main
from sparktune.io.store import Store
from sparktune.model.run import RunState
from sparktune.model.trial import Phase


@dataclass(frozen=True)
class Answer:
    """How the command ended, and what it wrote."""

    code: int
    out: str
    err: str


Sparktune = Callable[..., Answer]


@pytest.fixture
def sparktune(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Sparktune:
    def run(*arguments: str) -> Answer:
        monkeypatch.setattr(sys, "argv", ["sparktune", *arguments])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return Answer(code=int(ended.value.code or 0), out=captured.out, err=captured.err)

    return run


def test_an_empty_store_is_no_failure_to_list(sparktune: Sparktune) -> None:
    answer = sparktune("runs", "list")

    assert (answer.code, answer.out) == (0, "")
    assert "sparktune bench URL" in answer.err
    assert json.loads(sparktune("runs", "list", "--json").out) == {"schema": 1, "runs": []}


@pytest.mark.parametrize("command", ["show", "export"])
def test_an_empty_store_has_nothing_to_show(sparktune: Sparktune, command: str) -> None:
    answer = sparktune("runs", command)

    assert (answer.code, answer.out) == (1, "")
    assert answer.err.startswith("error: the store ")
    assert "Traceback" not in answer.err


def test_the_list_is_newest_first(sparktune: Sparktune) -> None:
    with Store.open() as store:
        store_run(store, "261128-000000-aaa", created_wall_s=1_795_000_000.0)
        store_run(store, "261129-000000-bbb", created_wall_s=1_795_100_000.0)

    lines = sparktune("runs", "list").out.splitlines()
    limited = json.loads(sparktune("runs", "list", "--limit", "1", "--json").out)

    assert [line.split()[0] for line in lines if line.startswith("2611")] == ["261129-000000-bbb", "261128-000000-aaa"]
    assert [run["run"] for run in limited["runs"]] == ["261129-000000-bbb"]


def test_visits_are_left_out_of_the_list_and_counted(sparktune: Sparktune) -> None:
    """One night of experiments pushed what somebody measured by hand off the list."""
    with Store.open() as store:
        store_run(store, "261128-000000-aaa", created_wall_s=1_700_000_000.0)
        visits = 2 * len(store_experiment(store).blocks[:3])

    short, whole = sparktune("runs", "list", "--limit", "3"), sparktune("runs", "list", "--visits")
    told = json.loads(sparktune("runs", "list", "--json").out)

    assert [line.split()[0] for line in short.out.splitlines()[1:]] == ["261128-000000-aaa"]
    assert short.err.startswith(f"left out: {visits} visits of experiments and sweeps, ")
    assert short.err.endswith("; with them: sparktune runs list --visits\n")
    assert len(whole.out.splitlines()) == 1 + 1 + visits
    assert whole.err == ""
    assert len(told["runs"]) == 1 + visits, "a script that reads JSON gets what it always got"


def test_a_list_of_visits_alone_is_shown_and_says_what_they_are(sparktune: Sparktune) -> None:
    """Nothing hides behind them."""
    with Store.open() as store:
        store_experiment(store, blocks=1)

    answer = sparktune("runs", "list")

    assert answer.code == 0
    assert len(answer.out.splitlines()) == 1 + 2
    assert answer.err.startswith("all of these are visits of experiments and sweeps: sparktune ab list")


def test_the_newest_run_is_shown(sparktune: Sparktune) -> None:
    with Store.open() as store:
        store_run(store, "261128-000000-aaa", created_wall_s=1_795_000_000.0)
        store_run(store, "261129-000000-bbb", created_wall_s=1_795_100_000.0)

    answer = sparktune("runs", "show")

    assert answer.code == 0
    assert answer.out.startswith("2 of 2 cells valid; no request failed\nrun 261129-000000-bbb: ")
    assert "200.0 ms" in answer.out
    assert answer.err == ""


def test_a_run_is_found_by_its_beginning(sparktune: Sparktune) -> None:
    with Store.open() as store:
        store_run(store, "261128-000000-aaa")
        store_run(store, "261129-000000-bbb")

    record = json.loads(sparktune("runs", "show", "261128", "--json").out)
    ambiguous = sparktune("runs", "show", "2611")
    unknown = sparktune("runs", "show", "261128-000000-aab")

    assert record["run"] == "261128-000000-aaa"
    assert record["cells"][0]["metrics"]["ttft_s"]["median"] == pytest.approx(0.2)
    assert (ambiguous.code, unknown.code) == (2, 1)
    assert "hint: give more of the id: " in ambiguous.err
    assert "hint: nearest: 261128-000000-aaa" in unknown.err


def test_showing_ends_as_measuring_did(sparktune: Sparktune) -> None:
    """A script that looks at an old run must not take a bad one for a good one."""
    with Store.open() as store:
        failed = store_run(store, "261128-000000-aaa", cells=(make_cell(),), trials=2)
        store.add_trial(failed.id, wave(make_cell(), 2, tokens=20))
        store.create_run(make_run("261129-000000-bbb"))

    assert sparktune("runs", "show", "261128").code == 1
    assert sparktune("runs", "show", "261129").code == 5


@pytest.mark.parametrize("name", ["result.json", "result.md", "result.csv"])
def test_a_run_is_exported_by_suffix(sparktune: Sparktune, tmp_path: Path, name: str) -> None:
    with Store.open() as store:
        store_run(store)
    path = tmp_path / name
    answer = sparktune("runs", "export", "--save", str(path))

    text = path.read_text()
    assert (answer.code, answer.out) == (0, "")
    assert str(path) in answer.err
    if name.endswith(".json"):
        assert json.loads(text) == json.loads(sparktune("runs", "show", "--json").out)
        assert json.loads(text) == json.loads(sparktune("runs", "export").out)
    elif name.endswith(".md"):
        assert "| example/model | pp512 (c1) | 2,560" in text
    else:
        assert {row["metric"] for row in csv.DictReader(io.StringIO(text))} >= {"ttft_s", "decode_tok_s"}


def test_a_run_is_exported_in_llama_benchys_shape(sparktune: Sparktune, tmp_path: Path) -> None:
    with Store.open() as store:
        store_run(store)
    sparktune("runs", "export", "--benchy", "--save", str(tmp_path / "b.json"))
    sparktune("runs", "export", "--benchy", "--save", str(tmp_path / "b.csv"))
    refused = sparktune("runs", "export", "--benchy", "--save", str(tmp_path / "b.md"))

    first = json.loads((tmp_path / "b.json").read_text())["benchmarks"][0]
    assert first["e2e_ttft"]["values"] == pytest.approx([200.0] * 3)
    assert first["tg_req_throughput"]["mean"] == pytest.approx(100.0)
    assert (tmp_path / "b.csv").read_text().startswith("model,test_name,")
    assert refused.code == 2


def test_the_raw_bytes_are_exported(sparktune: Sparktune, tmp_path: Path) -> None:
    with Store.open() as store:
        store_run(store, cells=(make_cell(),), trials=1)
    sparktune("runs", "export", "--raw", "--save", str(tmp_path / "raw.jsonl"))
    lines = [json.loads(line) for line in (tmp_path / "raw.jsonl").read_text().splitlines()]

    assert [line["type"] for line in lines] == ["run", "wave", "request", "wave", "request"]
    assert [line.get("phase") for line in lines[1:]] == ["warmup"] * 2 + ["measure"] * 2
    assert lines[-1]["data"].startswith("HTTP/1.1 200 OK")
    assert sparktune("runs", "export", "--raw").out == (tmp_path / "raw.jsonl").read_text()


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (("--save", "x.txt"), "known suffixes: .md, .json, .csv"),
        (("--save", "missing/x.json"), "name a file in a folder that exists"),
        (("--benchy", "--raw"), "give one of them"),
        (("--raw", "--save", "y.csv"), "name it y.jsonl"),
    ],
)
def test_bad_exports_are_refused_before_the_store_is_read(
    sparktune: Sparktune, arguments: tuple[str, ...], hint: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    answer = sparktune("runs", "export", *arguments)

    assert answer.code == 2
    assert hint in answer.err


def test_a_broken_store_is_one_line_and_a_hint(
    sparktune: Sparktune, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "runs.sqlite3").write_bytes(b"not a database" * 100)
    monkeypatch.setenv("SPARKTUNE_DATA", str(tmp_path))
    answer = sparktune("runs", "list")

    assert (answer.code, answer.out) == (1, "")
    assert [line.split(": ")[0] for line in answer.err.splitlines()] == ["error", "hint"]


@pytest.mark.slow
def test_what_a_killed_bench_left_is_recovered_and_told(sparktune: Sparktune) -> None:
    with Store.open() as store:
        cell = make_cell(concurrency=3)
        store.create_run(make_run("261129-000000-bbb", cells=(cell,)))
        left = store.spool()
        left.begin("261129-000000-bbb", cell, 0, Phase.MEASURE, 1_795_974_620.0)
        left.append(make_request(0))
        left.close()  # as the end of its process closes it: with a request in it

    answer = sparktune("runs", "show")

    assert "recovered 1 request of 1 wave that" in answer.err
    assert "next: sparktune bench --resume 261129-000000-bbb" in answer.out
    with Store.open() as store:
        assert store.load_run("261129").state is RunState.RUNNING
