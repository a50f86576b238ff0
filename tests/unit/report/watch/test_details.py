"""Pages of watch behind its keys: they fit, break between words, and say what is not known yet."""

from dataclasses import replace

import pytest
from tests.support import watched

from sparktune.report.watch import Answered, WatchedNode
from sparktune.report.watch.details import KEYS, key_row, page_of
from sparktune.report.watch.marks import Glyphs, Span, bar, cut, line_of, wrapped
from sparktune.report.watch.state import News, WatchState


def test_pages() -> None:
    """Every page has what a person opens it for, also before anything was asked."""
    state = watched.example_state()
    text = {key: "\n".join(line_of(line) for line in page_of(key, state, watched.NOW_S, columns=80)) for key in "tdf?"}
    empty = {key: "\n".join(line_of(line) for line in page_of(key, WatchState(), 0.0, columns=80)) for key in "tdf"}

    assert text["t"].count("nccl-watchdog") == 2
    assert "no answer: spark3" in text["t"]
    assert "next: sparktune drift restore max_num_seqs" in text["d"]
    assert "earned from earned.yaml, file from compose.yaml:12, live from pid 4711" in text["d"]
    assert "kernel on spark2: permission denied" in text["d"]
    assert "why: The kernel numbers GIDs anew" in text["f"]
    assert "fix: set it in netplan, too" in text["f"]
    assert all(what in text["?"] for _, _, what in KEYS)
    assert empty == {"t": "", "d": "not asked: no service is named", "f": "not asked: switched off"}


def test_pages_without_an_answer_yet() -> None:
    asked = replace(WatchState(), drift=Answered(every_s=60.0, asking=True), doctor=Answered(every_s=60.0, why="gone"))

    assert [line_of(line) for line in page_of("d", asked, 0.0, columns=80)] == ["asking now"]
    assert [line_of(line) for line in page_of("f", asked, 0.0, columns=80)] == ["gone"]
    fine = replace(asked, doctor=Answered(every_s=60.0, items=(), at_s=0.0))
    assert line_of(page_of("f", fine, 0.0, columns=80)[-1]) == "nothing found"


def test_threads_before_and_without_any() -> None:
    idle = replace(watched.node("b"), frame=replace(watched.frame(1), threads=()))
    state = watched.state_of(News(at_s=0.0, node=WatchedNode(name="a")), News(at_s=0.0, node=idle))
    lines = [line_of(line) for line in page_of("t", state, 0.0, columns=80)]

    assert lines == ["a", "  waiting for the second look", "b", "  no thread took 5 % of a core or more"]


def test_the_keys_fit_the_narrowest_screen() -> None:
    assert line_of(key_row(page=False)).split("  ")[:2] == ["q quit", "? help"]
    assert all(len(line_of(key_row(page=page)).rstrip()) <= 80 for page in (True, False))


def test_lines_break_between_words() -> None:
    line = (Span("one two "), Span("three four"), Span(" " + "x" * 20))

    assert [line_of(one) for one in wrapped(line, 10, indent=2)] == ["one two ", "  three ", "  four ", "  " + "x" * 20]
    assert line_of(cut(line, 10)) == "one two .."
    assert line_of(cut(line, 1)) == "."
    assert bar(0.5, 4, Glyphs.of(ascii_only=True)) == "##.."


@pytest.mark.parametrize("width", range(12, 40))
def test_a_number_of_the_screen_keeps_its_unit(width: int) -> None:
    """A 6 at one end of a line, and its C on the next, are read as something else at 2 a.m."""
    lines = wrapped((Span("GPU 0 94.0 % used, 2411 MHz, 66 C, 61.3 W, -1.4 GiB"),), width, indent=2)
    text = "\n".join(line_of(one) for one in lines)

    assert all(quantity in text for quantity in ("94.0 %", "2411 MHz", "66 C", "61.3 W", "-1.4 GiB"))
