"""Every form holds for every result, and says what it must: unknown is never 0, invalid never silent."""

import csv
import io
import json
import math
import re
from dataclasses import replace

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from tests.support.results import (
    make_cell_result,
    make_metric,
    make_result,
    results,
    sample_result,
)
from tests.support.stored import make_cell

from sparktune.errors import UsageError
from sparktune.model.check import Status
from sparktune.model.result import RunResult
from sparktune.report.bench.csv import COLUMNS
from sparktune.report.bench.forms import Form, form_for_format, form_for_suffix, render

_METRIC_KEYS = {"median", "min", "max", "p90", "p99", "n", "trials", "per_trial", "unit", "title", "why"}
_CELL_KEYS = {
    "prompt_tokens",
    "output_tokens",
    "depth",
    "concurrency",
    "trials",
    "requests",
    "failures",
    "metrics",
    "checks",
    "valid",
    "label",
}
_BENCHY_METRICS = (
    "pp_throughput",
    "pp_req_throughput",
    "tg_throughput",
    "tg_req_throughput",
    "peak_throughput",
    "peak_req_throughput",
    "ttfr",
    "est_ppt",
    "e2e_ttft",
)


def _no_constant(name: str) -> float:
    pytest.fail(f"{name} is not JSON")


def _loaded(text: str) -> dict[str, object]:
    return json.loads(text, parse_constant=_no_constant)


@given(
    result=results(), form=st.sampled_from(Form), width=st.integers(min_value=10, max_value=200), color=st.booleans()
)
@example(result=sample_result(), form=Form.TEXT, width=10, color=True)
def test_every_form_renders_every_result(result: RunResult, form: Form, width: int, *, color: bool) -> None:
    text = render(result, form, width=width, color=color)

    assert text.endswith("\n")
    text.encode("utf-8")  # what a terminal or a file takes


@given(results())
def test_json_keeps_the_contract(result: RunResult) -> None:
    record = _loaded(render(result, Form.JSON))

    assert record["schema"] == 1
    assert record["run"] == result.run.id
    assert {"name", "version"} <= record["engine"].keys()
    assert {"workload", "provenance", "notes"} <= record.keys()
    assert len(record["cells"]) == len(result.cells)
    for cell, row in zip(record["cells"], result.cells, strict=True):
        assert cell.keys() >= _CELL_KEYS
        assert cell["valid"] is row.valid
        assert cell["failures"] == dict(row.failures)
        assert set(cell["metrics"]) == {metric.name for metric in row.metrics}
        assert all({"id", "status", "evidence"} <= check.keys() for check in cell["checks"])
        assert all(check["status"] in {status.value for status in Status} for check in cell["checks"])


@given(results())
def test_json_nulls_have_a_why(result: RunResult) -> None:
    for cell in _loaded(render(result, Form.JSON))["cells"]:
        for metric in cell["metrics"].values():
            assert metric.keys() >= _METRIC_KEYS
            if None in (metric["median"], metric["p90"], metric["p99"]):
                assert metric["why"]
        if None in (cell["label"], cell["warmup"]):
            assert cell["why"]


@given(results())
def test_json_numbers_come_back(result: RunResult) -> None:
    cells = _loaded(render(result, Form.JSON))["cells"]

    for cell, row in zip(cells, result.cells, strict=True):
        for metric in row.metrics:
            told = cell["metrics"][metric.name]
            assert (told["median"], told["min"], told["max"]) == (metric.median, metric.minimum, metric.maximum)
            assert tuple(told["per_trial"]) == metric.per_trial


@given(results())
def test_csv_is_tidy(result: RunResult) -> None:
    rows = list(csv.DictReader(io.StringIO(render(result, Form.CSV))))

    named = any(not row.cell.is_plain for row in result.cells)
    assert tuple(rows[0] if rows else COLUMNS) == ((*COLUMNS, "cell") if named and rows else COLUMNS)
    expected = [(row, metric) for row in result.cells for metric in row.metrics or (None,)]
    assert len(rows) == len(expected)
    for line, (row, metric) in zip(rows, expected, strict=True):
        assert line["prompt_tokens"] == ("" if row.cell.is_mix else str(row.cell.prompt_tokens))
        assert int(line["concurrency"]) == row.cell.concurrency
        assert line["valid"] == str(row.valid).lower()
        if metric is None or metric.median is None:
            assert line["median"] == ""
            assert line["why"]
        else:
            assert float(line["median"]) == metric.median
            assert int(line["n"]) == metric.n


@pytest.mark.parametrize("form", [Form.CSV, Form.BENCHY_CSV])
@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t=", "＝", "＠"])  # noqa: RUF001
def test_a_name_that_begins_like_a_formula_is_none(form: Form, start: str) -> None:
    """A server names its model as it likes; whoever opens the table in a spreadsheet runs nothing."""
    result = sample_result()
    options = replace(result.run.workload.options, model=f"{start}cmd|' /C calc'!A0")
    evil = replace(result, run=replace(result.run, workload=replace(result.run.workload, options=options)))
    names = {line["model"] for line in csv.DictReader(io.StringIO(render(evil, form)))}

    assert all(name.startswith(f"'{start.strip()}cmd") for name in names)


def _cells_of(line: str) -> list[str]:
    return [text.strip() for text in re.split(r"(?<!\\)\|", line)[1:-1]]


@given(results())
def test_markdown_is_a_table(result: RunResult) -> None:
    lines = [line for line in render(result, Form.MARKDOWN).splitlines() if line.startswith("|")]
    rows = [_cells_of(line) for line in lines]

    assert len(rows) == (2 + 2 * len(result.cells) if result.cells else 0)
    assert len({len(row) for row in rows}) <= 1, "a name may hold the mark between columns"
    for row, cell in zip(rows[2::2], result.cells, strict=True):
        assert row[1].startswith(f"pp{cell.cell.prompt_tokens}") or cell.cell.is_mix
    for row, cell in zip(rows[3::2], result.cells, strict=True):
        assert row[1].startswith(f"tg{cell.cell.output_tokens}") or cell.cell.is_mix


@pytest.mark.parametrize(
    ("shapes", "names"),
    [
        ([(2048, 32, 0, 1)], ["pp2048", "tg32"]),
        ([(2048, 32, 4096, 1)], ["pp2048 @ d4096", "tg32 @ d4096"]),
        ([(2048, 32, 4096, 2)], ["pp2048 @ d4096 (c2)", "tg32 @ d4096 (c2)"]),
        ([(128, 32, 0, 1), (128, 32, 0, 2)], ["pp128 (c1)", "tg32 (c1)", "pp128 (c2)", "tg32 (c2)"]),
    ],
)
def test_rows_have_the_names_that_people_know(shapes: list[tuple[int, int, int, int]], names: list[str]) -> None:
    """Source: rows of llama-benchy 0.4.0; the streams are named as soon as one cell has several."""
    result = make_result(cells=tuple(make_cell_result(cell=make_cell(*shape)) for shape in shapes))

    lines = [line for line in render(result, Form.MARKDOWN).splitlines() if line.startswith("|")]
    benchy = list(csv.DictReader(io.StringIO(render(result, Form.BENCHY_CSV))))
    assert [_cells_of(line)[1] for line in lines[2:]] == names
    assert [row["test_name"] for row in benchy] == names


@given(results())
def test_benchy_has_the_shape_of_its_schema(result: RunResult) -> None:
    """Source: benchmark_report_schema.json of llama-benchy 0.4.0: required members and their types."""
    report = _loaded(render(result, Form.BENCHY))

    assert isinstance(report["version"], str)
    assert re.fullmatch(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ|unknown", report["timestamp"])
    assert report["latency_mode"] == "none"
    assert report["latency_ms"] == 0.0
    assert isinstance(report["prefix_caching_enabled"], bool)
    assert isinstance(report["max_concurrency"], int)
    for benchmark, row in zip(report["benchmarks"], result.cells, strict=True):
        assert benchmark["context_size"] == row.cell.depth
        assert benchmark["is_context_prefill_phase"] is False
        assert benchmark["sparktune"]["valid"] is row.valid
        for name in _BENCHY_METRICS:
            numbers = benchmark[name]
            assert numbers is None or (
                set(numbers) == {"mean", "std", "values"}
                and numbers["values"]
                and all(isinstance(value, float) and math.isfinite(value) for value in numbers["values"])
            )


def test_benchy_never_invents() -> None:
    metrics = (make_metric("ttft_s", (0.2, None, 0.3)), make_metric("prefill_tok_s", (1000.0, 900.0)))
    row = make_cell_result(cell=make_cell(concurrency=2), metrics=metrics)
    (benchmark,) = _loaded(render(make_result(cells=(row,)), Form.BENCHY))["benchmarks"]

    assert benchmark["e2e_ttft"] == {"mean": 250.0, "std": 50.0, "values": [200.0, 300.0]}
    assert benchmark["pp_throughput"]["values"] == [1000.0, 900.0]
    absent = ("pp_req_throughput", "tg_throughput", "tg_req_throughput", "peak_throughput", "ttfr", "est_ppt")
    assert [benchmark[name] for name in absent] == [None] * len(absent)


def test_the_benchy_csv_has_its_header() -> None:
    """Source: header of llama-benchy 0.4.0; a script may read it by place, so ours comes last."""
    header = render(make_result(), Form.BENCHY_CSV).splitlines()[0]

    assert header.startswith("model,test_name,t_s_mean,t_s_std,t_s_req_mean,t_s_req_std,peak_ts_mean,peak_ts_std,")
    assert header.endswith("ttfr_mean,ttfr_std,est_ppt_mean,est_ppt_std,e2e_ttft_mean,e2e_ttft_std,valid")


def test_suffixes_say_the_form() -> None:
    assert [form_for_suffix(suffix) for suffix in (".md", ".JSON", ".csv")] == [Form.MARKDOWN, Form.JSON, Form.CSV]
    assert [form_for_format(name) for name in ("md", "json", "csv")] == [Form.MARKDOWN, Form.BENCHY, Form.BENCHY_CSV]


@pytest.mark.parametrize("suffix", ["", ".txt", ".xlsx"])
def test_other_suffixes_name_the_known_ones(suffix: str) -> None:
    with pytest.raises(UsageError) as caught:
        form_for_suffix(suffix)
    assert ".md, .json, .csv" in caught.value.hint


def test_other_formats_name_the_known_ones() -> None:
    with pytest.raises(UsageError) as caught:
        form_for_format("yaml")
    assert "md, json, csv" in caught.value.hint
