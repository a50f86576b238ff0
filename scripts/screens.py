"""Open reports in a real browser, at the width of a desktop and of a phone, light and dark, and keep what it shows.

    python scripts/screens.py [--out FOLDER] [REPORT.html ...]

Without files it makes the example reports of the tests. Needs Chromium; ends with 1 when a page scrolls sideways,
asks for anything but itself, or has something to say on the console.
"""

import argparse
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support import chromium, reported, swept

from sparktune.report.experiment.html import experiment_page
from sparktune.report.sweep.html import sweep_page

_WIDTHS = {"desktop": 1280, "phone": 390}
_SWEEPS = ("won", "unconfirmed", "none", "begun")
_EXAMPLES = ("decided", "fairness", "invalid", "anecdote", "empty", "huge")


def main() -> int:
    """Look at every report in all four ways."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0] if __doc__ else None)
    parser.add_argument("--out", type=Path, default=Path("screens"), help="folder for the pictures")
    parser.add_argument("files", nargs="*", type=Path, help="reports; the tests' examples unless given")
    asked = parser.parse_args()
    program = chromium.find()
    if program is None:
        sys.stderr.write(f"no browser: none of {', '.join(chromium.NAMES)} is installed\n")
        return 1
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
