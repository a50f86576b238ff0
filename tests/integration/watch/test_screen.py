"""The screen of ``sparktune watch`` with its keys, without a terminal, fed with a made-up cluster."""

import re
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager

import pytest
from tests.support import watched

from sparktune.errors import UsageError
from sparktune.report.watch.state import News, WatchState

pytest.importorskip("textual", reason="the extra tui is not installed")

from textual.pilot import Pilot

from sparktune.cli._tui.app import WatchApp

_SMALL, _USUAL = (80, 24), (100, 30)


def _rows(pilot: Pilot[bool]) -> list[str]:
    """Return the screen as a person sees it."""
    return [
        "".join(segment.text for segment in strip).rstrip() for strip in pilot.app.screen._compositor.render_strips()
    ]


def _text(pilot: Pilot[bool]) -> str:
    return "\n".join(_rows(pilot))


@asynccontextmanager
async def _screen(
    *news: News, size: tuple[int, int] = _USUAL, ascii_only: bool = False, ring: Callable[[], None] = lambda: None
) -> AsyncIterator[Pilot[bool]]:
    feed = watched.feed_of(*(news or watched.example_news()))
    app = WatchApp(feed, WatchState(), clock=lambda: watched.NOW_S, ascii_only=ascii_only, ring=ring)
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield pilot


@pytest.mark.parametrize("size", [_SMALL, _USUAL])
async def test_everything_is_on_one_screen(size: tuple[int, int]) -> None:
    """The last row names the keys; nothing is pushed off by what stands above it."""
    async with _screen(size=size) as pilot:
        rows = _rows(pilot)

    assert len(rows) == size[1]
    assert max(map(len, rows)) <= size[0]
    assert rows[0].startswith("sparktune watch  node 1 of 3")
    assert rows[-1] == "q quit  ? help  n next  t threads  d drift  f findings  r ask  p pause"
    text = "\n".join(rows)
    for words in ("fast    [", "guard line", "VLLM::Worker", "6 running, 2 waiting", "1 of 3 rows differs", "1 error"):
        assert words in text


async def test_a_node_that_fails_says_so_and_the_others_go_on() -> None:
    async with _screen() as pilot:
        before = _text(pilot)
        await pilot.press("n", "n")
        await pilot.pause()
        lost = _text(pilot)

    assert "spark3       no answer: spark3: ssh" in before
    assert "21.0 GiB free" in lost
    assert re.search(r"── spark3 ─+\nno answer: spark3: ssh", lost)


async def test_keys_choose_nodes() -> None:
    """With n and b or the arrows; after the last comes the first."""
    shown = []
    async with _screen() as pilot:
        for key in ("n", "right", "n", "left", "b"):
            await pilot.press(key)
            await pilot.pause()
            shown.append(_rows(pilot)[0].split("  ")[1])

    assert shown == [f"node {place} of 3, every 1 s" for place in (2, 3, 1, 3, 2)]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("t", "process/thread 4711/4802"),
        ("d", "next: sparktune drift restore max_num_seqs"),
        ("f", "why: The kernel numbers GIDs anew"),
        ("question_mark", "the hottest threads of all nodes"),
    ],
)
async def test_keys_open_pages_and_leave_them(key: str, words: str) -> None:
    """By the same key and by escape."""
    async with _screen() as pilot:
        seen = []
        for press in (key, key, key, "escape"):
            await pilot.press(press)
            await pilot.pause()
            seen.append(words in _text(pilot))
        back = _text(pilot)

    assert seen[::2] == [True, True]
    assert "6 running" in back


async def test_a_long_page_is_scrolled_and_says_how_much_is_below() -> None:
    findings = tuple(watched.FINDINGS[0] for _ in range(20))
    doctor = News(at_s=watched.NOW_S, doctor=watched.Answered(every_s=600.0, items=findings, at_s=watched.NOW_S))
    async with _screen(*watched.example_news(), doctor, size=_SMALL) as pilot:
        await pilot.press("f")
        await pilot.pause()
        await pilot.pause()
        first = _rows(pilot)[1]
        await pilot.press("down", "down")
        await pilot.pause()
        await pilot.pause()
        second = _rows(pilot)[1]

    below = [int(found[1]) for row in (first, second) if (found := re.search(r"(\d+) more rows below", row))]
    assert len(below) == 2
    assert below[0] - below[1] == 2


async def test_pause_keeps_the_screen_and_not_the_news() -> None:
    async with _screen() as pilot:
        app = pilot.app
        assert isinstance(app, WatchApp)
        await pilot.press("p")
        app.hear(News(at_s=watched.NOW_S, node=watched.node("spark1", 9 * watched.GIB, at_s=61.0)))
        await pilot.pause()
        still = _text(pilot)
        await pilot.press("p")
        await pilot.pause()
        moving = _text(pilot)

    assert "PAUSED" in still
    assert "MemAvailable 21.0 GiB" in still
    assert "PAUSED" not in moving
    assert "MemAvailable 9.0 GiB" in moving


async def test_r_asks_again() -> None:
    rung: list[bool] = []
    async with _screen(ring=lambda: rung.append(True)) as pilot:
        await pilot.press("r")

    assert rung == [True]


async def test_resizing() -> None:
    """Each size has its own rows; the keys stay on the last one."""
    async with _screen() as pilot:
        for columns, rows in ((80, 24), (132, 50), (60, 12), (100, 30)):
            await pilot.resize_terminal(columns, rows)
            await pilot.pause()
            await pilot.pause()
            shown = _rows(pilot)
            assert len(shown) == rows
            assert max(map(len, shown)) <= columns
            assert shown[-1].startswith("q quit")


async def test_ascii_only() -> None:
    """Foreign letters too: the terminal cannot draw them."""
    news = (*watched.example_news(), News(at_s=watched.NOW_S, engine=watched.WatchedEngine(service="größe")))
    async with _screen(*news, ascii_only=True) as pilot:
        text = _text(pilot)

    assert text.isascii()
    assert "-- spark1 ---" in text
    assert "gr\\xf6" in text


async def test_without_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """NO_COLOR takes every colour away; words say what colours said."""
    monkeypatch.setenv("NO_COLOR", "1")
    async with _screen() as pilot:
        styles = [
            segment.style
            for strip in pilot.app.screen._compositor.render_strips()
            for segment in strip.apply_filter(pilot.app._filters[-1], pilot.app.screen.background_colors[1])
            if segment.style is not None
        ]
        text = _text(pilot)

    assert pilot.app.no_color
    colours = {style.color.name for style in styles if style.color} | {
        style.bgcolor.name for style in styles if style.bgcolor
    }
    assert colours <= {"default"}
    assert "LOW" in text
    assert "ERROR" in text


async def test_quitting_says_whether_all_nodes_answered() -> None:
    async with _screen() as pilot:
        await pilot.press("q")
    async with _screen(*watched.news(watched.node("a"))) as other:
        await other.press("q")

    assert (pilot.app.return_value, other.app.return_value) == (False, True)


async def test_ctrl_c_is_an_interruption() -> None:
    async with _screen() as pilot:
        await pilot.press("ctrl+c")

    assert isinstance(pilot.app, WatchApp)
    assert pilot.app.interrupted


@pytest.mark.parametrize("answered", [True, False])
async def test_the_end_of_the_feed_ends_the_screen(answered: bool) -> None:  # noqa: FBT001 # the case
    app = WatchApp(watched.feed_of(*watched.news(watched.node("a")), answered=answered), WatchState())
    async with app.run_test() as pilot:
        await pilot.pause()

    assert app.return_value is answered


async def test_what_goes_wrong_in_the_feed_ends_the_screen_and_is_kept() -> None:
    """The terminal is as it was before the error is printed."""

    async def feed(_post: Callable[[News], None]) -> bool:
        message = "no such node"
        raise UsageError(message)

    broken: Callable[[Callable[[News], None]], Awaitable[bool]] = feed
    app = WatchApp(broken, WatchState())
    async with app.run_test() as pilot:
        await pilot.pause()

    assert isinstance(app.error, UsageError)
