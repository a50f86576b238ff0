"""Put ``sparktune runs report`` together: find what it is about, make the pages or pictures, write them."""

__all__ = ["ReportForm", "form_named", "write_report"]

import sys
from collections.abc import Callable
from enum import Enum
from pathlib import Path
from typing import Final

from sparktune.cli._endings import refuse_ending
from sparktune.errors import UsageError
from sparktune.experiment.plan import Experiment
from sparktune.flows.report import Subject, experiment_material, find_subject, run_material
from sparktune.io.files import check_writable, write_atomic, write_atomic_bytes
from sparktune.io.png import png_from_svg
from sparktune.io.store.store import Store
from sparktune.report.bench.findings import verdict
from sparktune.report.bench.markdown import write_markdown
from sparktune.report.charts.drawing import Drawing, drawn, not_drawn
from sparktune.report.experiment.html import experiment_page
from sparktune.report.experiment.markdown import experiment_markdown
from sparktune.report.experiment.pictures import drawings
from sparktune.report.experiment.words import stamp
from sparktune.report.page.parts import WIDE
from sparktune.report.run.html import run_page
from sparktune.report.run.pictures import run_drawings
from sparktune.report.svg.palette import LIGHT
from sparktune.report.svg.picture import as_file


class ReportForm(Enum):
    """How a report is written."""

    HTML = "html"
    MARKDOWN = "markdown"
    SVG = "svg"
    PNG = "png"


_WRITTEN: Final = {ReportForm.HTML: "HTML", ReportForm.MARKDOWN: "Markdown"}
"""What is one file; all else is a folder of pictures."""


def form_named(name: str) -> ReportForm:
    """Return the form of that name; ``md`` is Markdown too. Raises UsageError for another one."""
    known = {form.value: form for form in ReportForm} | {"md": ReportForm.MARKDOWN}
    form = known.get(name.lower())
    if form is None:
        message = f"no report is called {name!r}"
        raise UsageError(message, hint=f"known: {', '.join(form.value for form in ReportForm)}")
    return form


def write_report(prefix: str, form: ReportForm, out: Path | None) -> None:
    """Write the report of an experiment or a run.

    A page goes to ``out`` or to ``report-ID.html``, Markdown to ``out`` or stdout; pictures go into the folder ``out``
    or ``report-ID``. Raises UnknownRun, UsageError, and MissingPart for PNG without its renderer.
    """
    if form is ReportForm.PNG:
        png_from_svg('<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>')  # now, not after the work
    single = form in _WRITTEN
    refuse_ending(out, *([_WRITTEN[form]] if single else []))
    if out is not None and single:
        check_writable(out)
    with Store.open() as store:
        subject = find_subject(store, prefix)
        page, markdown, pictures, below = _parts(store, subject)
    if form is ReportForm.MARKDOWN and out is None:
        sys.stdout.write(markdown())
    elif single:
        file = out or Path(f"report-{subject.id}.html")
        write_atomic(file, page() if form is ReportForm.HTML else markdown())
        _say(f"saved {file}")
    else:
        _write_pictures(pictures, below, out or Path(f"report-{subject.id}"), form)


def _parts(store: Store, subject: Subject) -> tuple[Callable[[], str], Callable[[], str], tuple[Drawing, ...], str]:
    """Return how to make the page and the Markdown, the pictures, and the line that belongs below each of them."""
    if isinstance(subject, Experiment):
        material = experiment_material(store, subject)
        return (
            lambda: experiment_page(material),
            lambda: experiment_markdown(material.result),
            drawings(material),
            stamp(material.result),
        )
    measured = run_material(store, subject)
    return (
        lambda: run_page(measured),
        lambda: write_markdown(measured.result),
        run_drawings(measured),
        f"run {subject.id}: {verdict(measured.result)}",
    )


def _write_pictures(pictures: tuple[Drawing, ...], below: str, folder: Path, form: ReportForm) -> None:
    missing = not_drawn(pictures, WIDE)
    found = drawn(pictures, WIDE)
    if not found:
        message = f"there is nothing to draw: {'; '.join(missing)}"
        raise UsageError(message, hint="its page has what is known all the same: leave --format out")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{folder} cannot be made: {error.strerror or error}"
        raise UsageError(message, hint="name a folder with --out FOLDER") from error
    for picture in found:
        file = folder / f"{picture.name}.{form.value}"
        if form is ReportForm.SVG:
            write_atomic(file, as_file(picture, stamp=below))
        else:
            write_atomic_bytes(file, png_from_svg(as_file(picture, LIGHT, stamp=below)))
        _say(f"saved {file}")
    for why in missing:
        _say(f"not drawn: {why}")


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")
