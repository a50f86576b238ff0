"""Open reports in a real browser, at the width of a desktop and of a phone, light and dark, and keep what it shows.

    python scripts/screens.py [--out FOLDER] [REPORT.html ...]
    python scripts/screens.py --docs

Without files it makes the example reports of the tests. Needs Chromium; ends with 1 when a page scrolls sideways,
asks for anything but itself, or has something to say on the console. ``--docs`` writes the pictures of the pages
instead: the screen of ``sparktune watch`` and the top of a report, both of made-up numbers.
"""

import argparse
import asyncio
import re
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support import chromium, reported, swept, watched

from sparktune.cli._tui.app import WatchApp
from sparktune.report.experiment.html import experiment_page
from sparktune.report.sweep.html import sweep_page
from sparktune.report.watch.state import WatchState

_WIDTHS = {"desktop": 1280, "phone": 390}
_SWEEPS = ("won", "unconfirmed", "none", "begun")
_DOCS = Path(__file__).resolve().parents[1] / "docs" / "screens"
_DOCS_WIDTH, _DOCS_HEIGHT = 1000, 1188
_WATCH_SIZE = (100, 30)
_FONT_FACES = re.compile(r"@font-face\s*\{[^}]*\}\s*")
_EXAMPLES = ("decided", "fairness", "invalid", "anecdote", "empty", "huge")


def main() -> int:
    """Look at every report in all four ways."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path("screens"), help="folder for the pictures")
    parser.add_argument("--docs", action="store_true", help="write the pictures of the pages, and nothing else")
    parser.add_argument("files", nargs="*", type=Path, help="reports; the tests' examples unless given")
    asked = parser.parse_args()
    program = chromium.find()
    if program is None:
        sys.stderr.write(f"no browser: none of {', '.join(chromium.NAMES)} is installed\n")
        return 1
    if asked.docs:
        with tempfile.TemporaryDirectory() as folder, chromium.Chromium(program) as browser:
            write_docs(browser, Path(folder))
        return 0
    asked.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chromium.Chromium(program) as browser:
        wrong = [line for file in asked.files or examples(Path(folder)) for line in _look(browser, file, asked.out)]
    sys.stderr.write("".join(f"{line}\n" for line in wrong))
    return 1 if wrong else 0


def examples(folder: Path) -> list[Path]:
    """Write the example reports."""
    files = []
    for name in _EXAMPLES:
        file = folder / f"{name}.html"
        file.write_text(experiment_page(getattr(reported, name)()), encoding="utf-8")
        files.append(file)
    for name in _SWEEPS:
        file = folder / f"sweep-{name}.html"
        file.write_text(sweep_page(getattr(swept, name)(), swept.OUTCOMES), encoding="utf-8")
        files.append(file)
    return files


def write_docs(browser: chromium.Chromium, folder: Path) -> None:
    """Write ``docs/screens``."""
    _DOCS.mkdir(exist_ok=True)
    file = folder / "report.html"
    file.write_text(experiment_page(reported.decided()), encoding="utf-8")
    seen = browser.look(file, width=_DOCS_WIDTH, tallest=_DOCS_HEIGHT)
    for name, data in (("watch.svg", asyncio.run(watch_picture()).encode()), ("report.png", seen.png)):
        (_DOCS / name).write_bytes(data)
        print(_DOCS / name)


async def watch_picture() -> str:
    """Return the screen of ``sparktune watch`` with the example of its tests, as SVG that asks nobody for a font."""
    app = WatchApp(watched.feed_of(*watched.example_news()), WatchState(), clock=lambda: watched.NOW_S)
    async with app.run_test(size=_WATCH_SIZE) as pilot:
        await pilot.pause()
        picture = app.export_screenshot(title="sparktune watch")
    # Textual numbers each picture anew; the same screen is the same file.
    named = re.sub(r"terminal-\d+", "watch", _FONT_FACES.sub("", picture))
    return "\n".join(line.rstrip() for line in named.splitlines()) + "\n"


def _look(browser: chromium.Chromium, file: Path, out: Path) -> list[str]:
    wrong = []
    for place, width in _WIDTHS.items():
        for theme in ("light", "dark"):
            seen = browser.look(file, width=width, dark=theme == "dark", scale=2.0 if place == "phone" else 1.0)
            picture = out / f"{file.stem}-{place}-{theme}.png"
            picture.write_bytes(seen.png)
            print(picture)
            if seen.scroll > seen.width:
                wrong.append(f"{picture}: scrolls sideways, {seen.scroll} of {seen.width} pixels: {seen.beyond}")
            wrong += [f"{picture}: {line}" for line in (*seen.problems, *seen.requests)]
    return wrong


if __name__ == "__main__":
    sys.exit(main())
