"""The screen of ``sparktune watch``: it keeps the state, draws what the view makes of it, and knows the keys."""

__all__ = ["Feed", "WatchApp"]

import asyncio
import signal
import time
from collections.abc import Awaitable, Callable
from typing import ClassVar, Final

from textual import events
from textual.app import App, ComposeResult
from textual.binding import Binding, BindingType
from textual.widgets import Static

from sparktune.cli._tui.page import Page
from sparktune.cli._tui.panel import PanelBox
from sparktune.cli._tui.words import text_of
from sparktune.report.watch.details import PAGE_KEYS, key_row, page_of
from sparktune.report.watch.marks import Glyphs, Line, Role, Span
from sparktune.report.watch.state import News, WatchState, updated
from sparktune.report.watch.view import Choice, ruled, view_of
from sparktune.units import Seconds

Feed = Callable[[Callable[[News], None]], Awaitable[bool]]
"""Brings news until it ends; returns whether all nodes answered to the end."""

_PANELS: Final = ("nodes", "node", "engine", "asked")
_KEYS_ROWS: Final = 1


class WatchApp(App[bool]):
    """Returns whether all nodes answered. ``interrupted`` after Ctrl-C, ``error`` when the feed failed."""

    ENABLE_COMMAND_PALETTE = False
    CSS = """
    Screen { layout: vertical; overflow: hidden; background: transparent; }
    Static { width: 100%; height: auto; background: transparent; }
    #keys { dock: bottom; height: 1; }
    """
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("q", "leave", "quit"),
        Binding("ctrl+c", "interrupt", show=False, priority=True),
        Binding("n,right,tab", "choose(1)", "next", priority=True),
        Binding("b,left,shift+tab", "choose(-1)", "before", priority=True),
        *(Binding("question_mark" if key == "?" else key, f"page('{key}')", title) for key, title in PAGE_KEYS.items()),
        Binding("escape", "page('')", show=False),
        Binding("r", "ask", "ask"),
        Binding("p", "pause", "pause"),
    ]

    def __init__(
        self,
        feed: Feed,
        state: WatchState,
        *,
        ring: Callable[[], None] = lambda: None,
        ascii_only: bool = False,
        clock: Callable[[], Seconds] = time.monotonic,
    ) -> None:
        """``ring`` lets the slow questions be asked now; ``clock`` is the one of the news."""
        # The terminal's own colours and background, light or dark; and with NO_COLOR none at all, not greys.
        super().__init__(ansi_color=True)
        self.theme = "ansi-dark"
        self.animation_level = "none"  # over ssh a page that glides is a page that is late
        self.interrupted = False
        self.error: BaseException | None = None
        self.state = state
        self._feed, self._ring, self._clock = feed, ring, clock
        self._ascii = ascii_only
        self._node = 0
        self._page = ""
        self._frozen: tuple[WatchState, Seconds] | None = None
        self._pending = False

    def compose(self) -> ComposeResult:
        """Status, panels or a page, keys."""
        yield Static(id="status")
        for name in _PANELS:
            yield PanelBox(id=name)
        yield Static(id="title")
        yield Page(self.draw_soon, id="page")
        yield Static(id="keys")

    def on_mount(self) -> None:
        """Begin to watch; ages move on their own."""
        self.run_worker(self._watch(), exit_on_error=False)
        self.set_interval(1.0, self.draw_soon)
        if not self.is_headless:
            for number in (signal.SIGTERM, signal.SIGHUP):
                asyncio.get_running_loop().add_signal_handler(number, self.action_interrupt)
        self.draw()

    async def _watch(self) -> None:
        try:
            answered = await self._feed(self.hear)
        except asyncio.CancelledError:
            raise
        except BaseException as error:  # noqa: BLE001 # it is raised again when the terminal is as it was
            self.error = error
            answered = False
        self.exit(answered)

    def hear(self, news: News) -> None:
        """Take a piece of news."""
        self.state = updated(self.state, news)
        self.draw_soon()

    def draw_soon(self) -> None:
        """Draw once for all that is waiting to be handled now."""
        if not self._pending:
            self._pending = True
            self.call_later(self.draw)

    def draw(self) -> None:
        """Show the state as it is, or as it was when the screen was stopped."""
        self._pending = False
        if not self.query("#keys"):
            return  # not there yet, or gone already
        state, now_s = self._frozen or (self.state, self._clock())
        columns, rows = self.size
        paused_s = self._clock() - now_s if self._frozen else None
        choice = Choice(
            node=self._node, paused_s=paused_s, ascii_only=self._ascii, columns=columns, rows=rows - _KEYS_ROWS
        )
        view = view_of(state, choice, now_s)
        self._line("status", view.status)
        for name, panel in zip(_PANELS, view.panels, strict=True):
            box = self.query_one(f"#{name}", PanelBox)
            box.show(panel, columns=columns, ascii_only=self._ascii)
            box.display = box.display and not self._page
        self._draw_page(state, now_s, columns)
        self._line("keys", key_row(page=bool(self._page)))

    def _draw_page(self, state: WatchState, now_s: Seconds, columns: int) -> None:
        page, title = self.query_one("#page", Page), self.query_one("#title", Static)
        page.display = title.display = bool(self._page)
        if not self._page:
            return
        page.show(page_of(self._page, state, now_s, columns=columns), ascii_only=self._ascii)
        # How much is below is known when the page was laid out.
        self.call_after_refresh(self._draw_title, columns)

    def _draw_title(self, columns: int) -> None:
        if not self._page or not self.query("#page"):
            return
        below = self.query_one("#page", Page).rows_below
        more = f", {below} more rows below" if below else ""
        rule = Glyphs.of(ascii_only=self._ascii).rule
        self._line("title", (Span(ruled(f"{PAGE_KEYS[self._page]}{more}", columns, rule), Role.HEAD),))

    def _line(self, name: str, line: Line) -> None:
        self.query_one(f"#{name}", Static).update(text_of((line,), ascii_only=self._ascii))

    def on_resize(self, _event: events.Resize) -> None:
        """Use the room that there is now."""
        self.draw_soon()

    def action_choose(self, step: int) -> None:
        """Choose the next node, or the one before."""
        if self.state.nodes:
            self._node = (self._node + step) % len(self.state.nodes)
        self.draw()

    def action_page(self, key: str) -> None:
        """Open a page, or leave it: with its key or with escape."""
        self._page = "" if key == self._page else key
        page = self.query_one("#page", Page)
        page.scroll_home(animate=False)
        self.draw()
        if self._page:
            page.focus()

    def action_pause(self) -> None:
        """Let the screen stand still, or move again."""
        self._frozen = None if self._frozen else (self.state, self._clock())
        self.draw()

    def action_ask(self) -> None:
        """Ask the slow questions now."""
        self._ring()

    def action_leave(self) -> None:
        """End as one who has seen enough."""
        self.exit(not any(one.node.failure for one in self.state.nodes))

    def action_interrupt(self) -> None:
        """End as after Ctrl-C."""
        self.interrupted = True
        self.exit(False)
