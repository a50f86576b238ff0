"""Whole reports of experiments, as people see them. ``SPARKTUNE_GOLDEN=write`` renews the files; read their diff."""

import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support import reported

from sparktune.report.charts.drawing import drawn
from sparktune.report.experiment.html import experiment_page
from sparktune.report.experiment.markdown import experiment_markdown
from sparktune.report.experiment.material import Material
from sparktune.report.experiment.pictures import drawings
from sparktune.report.experiment.words import stamp
from sparktune.report.page.parts import NARROW, WIDE
from sparktune.report.svg.picture import as_file

_GOLDEN = Path(__file__).parent / "golden"


def _compare(name: str, actual: str) -> None:
    path = _GOLDEN / name
    if os.environ.get("SPARKTUNE_GOLDEN") == "write":
        path.parent.mkdir(exist_ok=True)
        path.write_text(actual, encoding="utf-8")
    assert actual == path.read_text(encoding="utf-8")


@pytest.mark.parametrize("make", [reported.fairness, reported.empty], ids=lambda make: str(make.__name__))
def test_pages_stay_as_they_were_looked_at(make: Callable[[], Material]) -> None:
    """They were looked at in a browser, light and dark, wide and narrow: a change is looked at again.

    The record inside is another test's: it has whatever an experiment has.
    """
    page = re.sub(r'(id="result">).*?(</script>)', r"\1{}\2", experiment_page(make()), flags=re.DOTALL)

    _compare(f"{make.__name__}.html", page)


def test_pictures_stay_as_they_were_looked_at() -> None:
    """As files, they go to places where nobody sees the page around them."""
    material = reported.decided()
    for picture in drawn(drawings(material), WIDE):
        _compare(f"{picture.name}.svg", as_file(picture, stamp=stamp(material.result)))


@pytest.mark.parametrize(
    "make",
    [reported.decided, reported.fairness, reported.invalid, reported.anecdote],
    ids=lambda make: str(make.__name__),
)
def test_what_is_pasted_stays_as_it_was_read(make: Callable[[], Material]) -> None:
    """It is what most people will ever see of an experiment."""
    _compare(f"{make.__name__}.md", experiment_markdown(make().result))


def test_narrow_pictures_are_as_wide_as_a_phone_has_room() -> None:
    """A picture that is scaled down cannot be read; so there is a narrow one."""
    for picture in drawn(drawings(reported.decided()), NARROW):
        assert picture.width <= NARROW + 4, picture.name
