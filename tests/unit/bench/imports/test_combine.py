"""Several files as one table: who is an arm, what it is called, and what belongs to whom."""

import pytest

from sparktune.bench.imports import SourceFile, combine_tables, read_table
from sparktune.errors import UsageError
from sparktune.model.table import Row, Table


def _table(name: str, *arms: str, **fields: object) -> Table:
    rows = tuple(Row(arm=arm, prompt_tokens=512, values={"output_tok_s": 40.0}) for arm in arms or ("",))
    return Table(source="csv", name=name, rows=rows, arms=arms, **fields)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("names", "arms"),
    [
        (("a/before.csv", "a/after.json"), ("before", "after")),
        (("spec3/result.json", "spec5/result.json"), ("spec3/result", "spec5/result")),
        (("x/y/result.json", "z/y/result.json"), ("result#1", "result#2")),
    ],
)
def test_files_without_arms_are_named_by_what_tells_them_apart(names: tuple[str, ...], arms: tuple[str, ...]) -> None:
    combined = combine_tables([_table(name) for name in names])

    assert combined.arms == arms
    assert tuple(row.arm for row in combined.rows) == arms


def test_one_file_stays_as_it_is() -> None:
    table = _table("a.csv", "x", "y", order=("x", "y"))

    assert combine_tables([table]) == table


def test_arms_of_their_own_are_kept() -> None:
    assert combine_tables([_table("1.csv", "x"), _table("2.csv", "y")]).arms == ("x", "y")


def test_the_same_names_in_two_files_are_different_arms() -> None:
    combined = combine_tables([_table("1.csv", "x", "y"), _table("2.csv", "x", "y")])

    assert combined.arms == ("1:x", "1:y", "2:x", "2:y")


def test_a_column_of_something_else_is_no_column_of_arms() -> None:
    with pytest.raises(UsageError, match="51 arms, at most 50"):
        combine_tables([_table("a.csv", *(f"arm{place}" for place in range(51)))])


def test_settings_go_with_their_arm() -> None:
    first, second = (_table(name, settings={"": {"k": value}}) for name, value in (("a.csv", "3"), ("b.csv", "5")))

    assert combine_tables([first, second]).settings == {"a": {"k": "3"}, "b": {"k": "5"}}


def test_facts_that_differ_say_whose_they_are() -> None:
    first, second = (
        _table(name, facts={"model": "m", "length": value}) for name, value in (("a.csv", "3"), ("b.csv", "4"))
    )

    assert combine_tables([first, second]).facts == {"model": "m", "a.length": "3", "b.length": "4"}


def test_samples_of_the_gpu_are_no_arm() -> None:
    """Two files, but one of them only says what the machine did meanwhile."""
    samples = read_table(
        SourceFile(
            name="gpu.csv", data=b"t, clocks.sm [MHz], utilization.gpu [%]\n1, 700 MHz, 96 %\n2, 2200 MHz, 0 %\n"
        )
    )
    combined = combine_tables([samples, _table("a.csv")])

    assert (combined.name, combined.arms, len(combined.rows)) == ("a.csv", (), 1)
    assert combined.facts["gpu_clock_load_mhz"] == "700"


def test_one_run_per_file_is_one_trial_per_file() -> None:
    """Files of one arm that all call their run the first."""
    runs = [
        Table(
            source="vllm-bench",
            name=f"SERVE--k=1/{place}.json",
            arms=("k=1",),
            rows=(Row(arm="k=1", trial=1, values={"ttft_s": 1.0}),),
        )
        for place in (1, 2)
    ]
    combined = combine_tables(runs)

    assert combined.arms == ("k=1",)
    assert [row.trial for row in combined.rows] == [1, 2]


def test_runs_of_several_files_stay_as_many_as_they_are() -> None:
    """Two files of three runs each, numbered 1 to 3 in both: six trials, and no two with one number."""
    runs = [
        Table(
            source="vllm-bench",
            name=f"SERVE--k=1/{place}.json",
            arms=("k=1",),
            rows=tuple(Row(arm="k=1", trial=trial, values={"ttft_s": 1.0}) for trial in (1, 2, 3)),
        )
        for place in (1, 2)
    ]
    assert [row.trial for row in combine_tables(runs).rows] == [1, 2, 3, 4, 5, 6]
