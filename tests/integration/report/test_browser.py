"""Reports in a real browser, at the widths of a desktop and of a phone, light and dark."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.support import chromium, reported, swept
from tests.support.results import sample_result

from sparktune.report.experiment.html import experiment_page
from sparktune.report.run.html import run_page
from sparktune.report.run.pictures import RunMaterial
from sparktune.report.sweep.html import sweep_page

_PAGES: dict[str, Callable[[], str]] = {
    "decided": lambda: experiment_page(reported.decided()),
    "invalid": lambda: experiment_page(reported.invalid()),
    "stopped": lambda: experiment_page(reported.stopped()),
    "huge": lambda: experiment_page(reported.huge()),
    "sweep": lambda: sweep_page(swept.won(), swept.OUTCOMES),
    "sweep-begun": lambda: sweep_page(swept.begun()),
    "run": lambda: run_page(RunMaterial(result=sample_result())),
}


@pytest.fixture(scope="module")
def browser() -> Iterator[chromium.Chromium]:
    program = chromium.find()
    if program is None:
        pytest.skip(f"no browser: none of {', '.join(chromium.NAMES)} is installed")
    with chromium.Chromium(program) as found:
        yield found


@pytest.mark.parametrize("width", [1280, 390])
@pytest.mark.parametrize("name", _PAGES)
def test_a_page_fits_and_has_nothing_to_complain_of(
    browser: chromium.Chromium, tmp_path: Path, name: str, width: int
) -> None:
    """A page that scrolls sideways on a phone is not read; one that asks for something tells where it is read."""
    file = tmp_path / "report.html"
    file.write_text(_PAGES[name](), encoding="utf-8")

    seen = browser.look(file, width=width)

    assert seen.width == width
    assert seen.scroll <= seen.width, seen.beyond
    assert not seen.beyond
    assert not seen.problems
    assert not seen.requests
    assert seen.png.startswith(b"\x89PNG")


def test_the_theme_is_that_of_the_reader(browser: chromium.Chromium, tmp_path: Path) -> None:
    file = tmp_path / "report.html"
    file.write_text(experiment_page(reported.fairness()), encoding="utf-8")

    light, dark = (browser.look(file, width=390, dark=dark) for dark in (False, True))

    assert light.background == "rgb(246, 247, 249)"
    assert dark.background == "rgb(15, 18, 22)"
    assert light.png != dark.png
