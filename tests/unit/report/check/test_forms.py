"""What a person and a script read of a judgement. The files in golden/ were read by a person."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from tests.support.results import results
from tests.support.schemas import promised

from sparktune.bench.imports import SourceFile, combine_tables, read_table
from sparktune.experiment.table_verdict import judge_table
from sparktune.model.result import RunResult
from sparktune.report.bench.forms import Form, render
from sparktune.report.check import check_json, check_text

_TABLES = Path(__file__).parents[3] / "cases" / "check"
_GOLDEN = Path(__file__).parent / "golden"


def _judged(name: str) -> tuple[str, str]:
    file = SourceFile(name=f"{name}.csv", data=(_TABLES / f"{name}.csv").read_bytes())
    judgement = judge_table(combine_tables([read_table(file)]))
    return check_text(judgement, width=80), check_text(judgement, width=120)


@pytest.mark.parametrize("name", ["seed-000", "seed-002-rerun", "seed-004"])
def test_the_report_is_the_one_that_was_read(name: str) -> None:
    """Written anew with: python -m tests.unit.report.check.test_forms, then read."""
    narrow, wide = _judged(name)

    assert narrow == (_GOLDEN / f"{name}-80.txt").read_text()
    assert wide == (_GOLDEN / f"{name}-120.txt").read_text()
    assert max(map(len, narrow.splitlines())) <= 80
    assert max(map(len, wide.splitlines())) <= 120


def test_verdict_reason_next_step() -> None:
    lines = _judged("seed-000")[0].splitlines()
    places = [
        next(place for place, line in enumerate(lines) if line.startswith(start))
        for start in ("INVALID", "  V02", "  next: ", "Effect")
    ]

    assert places == sorted(places)
    assert places[0] == 0


def test_names_steer_no_terminal() -> None:
    table = read_table(SourceFile(name="x\x1b[2J.csv", data=b"label,output_tok_s\n\x1b[31mred,40\n"))
    text = check_text(judge_table(table), width=80)

    assert "\x1b" not in text


def test_colour_is_on_the_verdict_only() -> None:
    table = read_table(SourceFile(name="x.csv", data=b"output_tok_s\n40\n"))
    text = check_text(judge_table(table), width=80, color=True)

    assert text.startswith("\x1b[33;1mINCONCLUSIVE\x1b[0m; ")
    assert text.count("\x1b") == 2


def _reach(text: str, source: str = "x.csv") -> tuple[str, int, int, str]:
    judgement = judge_table(read_table(SourceFile(name=source, data=text.encode())))
    found = promised("check", check_json(judgement))
    told = check_text(judgement, width=80)
    return told.splitlines()[0], found["evaluated"], found["unevaluated"], told


def test_the_first_line_says_on_how_many_rules_it_rests() -> None:
    """VALID of five rules is less than VALID of nineteen: whoever reads only the first line has to know."""
    first, asked, unasked, told = _reach("prompt_tokens,trial,output_tok_s\n512,1,40\n512,2,41\n512,3,42\n")

    assert asked + unasked == 19
    assert first == f"VALID by {asked} of 19 rules; {unasked} could not be evaluated, see below"
    assert unasked > asked, "a table of one column leaves most of them open"
    below = told[told.index("Not evaluated") :].splitlines()[1:]
    assert "one arm: there is nothing to compare" in " ".join(below), "a rule about two arms had nothing to look at"


def test_an_invalid_table_says_by_which_rules_first() -> None:
    first, asked, unasked, _ = _reach("prompt_tokens,concurrency,ttft_s\n2048,1,1.2\n32768,1,2.4\n")

    assert first == f"INVALID by V02; {asked} of 19 rules could be evaluated, {unasked} could not, see below"


def test_a_prompt_that_is_cached_or_really_faster_is_not_valid_and_not_void() -> None:
    """Nobody can tell which of the two it is: so neither is claimed, and what would tell is said."""
    rows = "".join(f"{prompt},1,{trial},{ttft}\n" for prompt, ttft in ((2048, 1.0), (8192, 2.0)) for trial in (1, 2, 3))
    first, _, _, told = _reach(f"prompt_tokens,concurrency,trial,ttft_s\n{rows}")

    assert first.startswith("INCONCLUSIVE; ")
    assert "a cache, or really faster: the table does not tell" in " ".join(told.split())
    assert "next: cached tokens of each row (prefix_hit_share)" in " ".join(told.split())


_RATES = "".join(f"512,{arm},{trial},{40 + trial},,\n" for arm in ("a", "b") for trial in (1, 2, 3))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("512,c,1,,,12\n", "no metric that can be compared is in both (a has output_tok_s; c has peak_tok_s)"),
        ("512,c,1,,,\n", "c has no number"),
        ("512,c,1,0,,\n", "no cell has a number above 0 of the same metric in a too"),
        ("600,c,1,41,,\n", "it has no cell that a has too"),
        ("512,c,1,41,0.9,\n", "of the cells that a has too, rules void every row"),
    ],
)
def test_an_arm_that_cannot_be_compared_is_not_dropped_in_silence(line: str, why: str) -> None:
    """Three files, two effects: whoever reads the verdict has to know that it is not about the third."""
    table = read_table(
        SourceFile(
            name="x.csv",
            data=f"prompt_tokens,arm,trial,output_tok_s,prefix_hit_share,peak_tok_s\n{_RATES}{line}".encode(),
        )
    )
    judgement = judge_table(table)
    found = promised("check", check_json(judgement))
    told = " ".join(check_text(judgement, width=80).split())

    assert [(one["first"], one["second"]) for one in found["uncompared"]] == [("a", "c")]
    assert why in found["uncompared"][0]["why"]
    assert f"c / a: not compared: {found['uncompared'][0]['why']}" in told
    assert f"c is not compared: {found['uncompared'][0]['why']}" in found["why"]
    assert [effect["second"] for effect in found["effects"]] == ["b"]


@settings(max_examples=25)
@given(result=results())
def test_our_own_results_are_read_in_both_of_their_shapes(result: RunResult) -> None:
    """What one command writes, the other reads: whatever the numbers are."""
    for form in (Form.JSON, Form.BENCHY):
        mixed = any(row.cell.is_mix for row in result.cells)  # llama-benchy has no shape for it
        if not result.cells or (mixed and form is Form.BENCHY):
            continue
        table = read_table(SourceFile(name="run.json", data=render(result, form).encode()))
        judgement = judge_table(combine_tables([table]))

        assert promised("check", check_json(judgement))["schema"] == 1
        assert check_text(judgement, width=80)


def _write() -> None:
    _GOLDEN.mkdir(exist_ok=True)
    for name in ("seed-000", "seed-002-rerun", "seed-004"):
        narrow, wide = _judged(name)
        (_GOLDEN / f"{name}-80.txt").write_text(narrow)
        (_GOLDEN / f"{name}-120.txt").write_text(wide)


if __name__ == "__main__":
    _write()
