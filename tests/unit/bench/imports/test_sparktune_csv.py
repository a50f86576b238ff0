"""Our own CSV is read back: the same cells, medians and invalid checks as the JSON of the same run has."""

import statistics
from dataclasses import replace

from hypothesis import given
from tests.support.results import results, sample_result

from sparktune.bench.imports import SourceFile, combine_tables, read_table
from sparktune.experiment.table_verdict import judge_table
from sparktune.model.check import Status
from sparktune.model.result import RunResult
from sparktune.model.table import Table
from sparktune.report.bench.forms import Form, render


def _read(result: RunResult, form: Form, name: str = "run") -> Table:
    suffix = form.value
    return read_table(SourceFile(name=f"{name}.{suffix}", data=render(result, form).encode()))


def _medians(table: Table) -> dict[tuple[object, ...], dict[str, float]]:
    cells: dict[tuple[object, ...], dict[str, list[float]]] = {}
    for row in table.rows:
        values = cells.setdefault((row.cell, row.label), {})
        for name, value in row.values.items():
            values.setdefault(name, []).append(value)
    summed = {"requests", "failed_requests"}
    return {
        cell: {name: statistics.median(found) for name, found in values.items() if name not in summed}
        for cell, values in cells.items()
    }


def test_a_csv_has_the_medians_of_the_json() -> None:
    result = sample_result()

    from_csv, from_json = _read(result, Form.CSV), _read(result, Form.JSON)

    assert _medians(from_csv) == _medians(from_json)
    assert from_csv.facts.items() <= {**from_json.facts, "run": from_csv.facts["run"]}.items()


def test_what_the_runs_own_checks_void_is_void_here_too() -> None:
    """A number that was refused when it was measured does not become valid by being saved as CSV."""
    judgement = judge_table(combine_tables([_read(sample_result(), Form.CSV)]))

    found = next(check for check in judgement.checks if check.id == "V01")
    assert found.status is Status.INVALID
    assert any("V01" in item.rules for item in judgement.excluded)


def test_two_files_are_two_arms_that_are_compared() -> None:
    result = sample_result()
    slower = replace(
        result,
        cells=tuple(
            replace(
                cell,
                metrics=tuple(
                    replace(metric, median=metric.median * 2 if metric.median is not None else None)
                    for metric in cell.metrics
                ),
            )
            for cell in result.cells
        ),
    )
    tables = [_read(result, Form.CSV, "before"), _read(slower, Form.CSV, "after")]

    judgement = judge_table(combine_tables(tables))

    assert [arm.arm for arm in judgement.arms] == ["before", "after"]
    assert judgement.comparisons


@given(result=results())
def test_any_result_of_ours_is_read(result: RunResult) -> None:
    text = render(result, Form.CSV)
    if result.cells:
        assert read_table(SourceFile(name="run.csv", data=text.encode())).source == "sparktune-csv"
