"""Put ``sparktune sweep report`` together: one page, or the pictures of it as files."""

__all__ = ["report_sweep"]

import sys
from pathlib import Path

from sparktune.cli._endings import refuse_ending
from sparktune.cli._report import ReportForm
from sparktune.errors import UsageError
from sparktune.flows.sweep.predict import sweep_outcomes
from sparktune.flows.sweep.run import sweep_result
from sparktune.io.files import check_writable, write_atomic, write_atomic_bytes
from sparktune.io.png import png_from_svg
from sparktune.io.store.store import Store
from sparktune.report.ab.harm_words import harm_places
from sparktune.report.charts.drawing import drawn
from sparktune.report.page.parts import WIDE
from sparktune.report.svg.palette import LIGHT
from sparktune.report.svg.picture import as_file
from sparktune.report.sweep.html import sweep_drawings, sweep_page
from sparktune.report.sweep.words import sentence


def report_sweep(prefix: str, html: Path | None, pictures: Path | None, form: ReportForm) -> None:
    """Write the page to ``html`` (``report-ID.html`` where neither is named), pictures into the folder ``pictures``.

    Raises UnknownRun, UsageError for what cannot be written, and MissingPart for PNG without its renderer.
    """
    refuse_ending(html, "HTML")
    refuse_ending(pictures)
    if html is not None:
        check_writable(html)
    with Store.open() as store:
        result = sweep_result(store, store.load_sweep(prefix))
        outcomes = sweep_outcomes(store, result)
    if pictures is None or html is not None:
        file = html or Path(f"report-{result.record.id}.html")
        write_atomic(file, sweep_page(result, outcomes))
        sys.stderr.write(f"saved {file}\n")
    if pictures is None:
        return
    try:
        pictures.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        message = f"{pictures} cannot be made: {error.strerror or error}"
        raise UsageError(message, hint="name a folder with --pictures FOLDER") from error
    places = harm_places(result.confirmed.harms) if result.confirmed is not None else ""
    stamp = f"sweep {result.record.id}: {sentence(result)}{f'; {places}' if places else ''}"
    for picture in drawn(sweep_drawings(result), WIDE):
        file = pictures / f"{picture.name}.{form.value}"
        if form is ReportForm.PNG:
            write_atomic_bytes(file, png_from_svg(as_file(picture, LIGHT, stamp=stamp)))
        else:
            write_atomic(file, as_file(picture, stamp=stamp))
        sys.stderr.write(f"saved {file}\n")
