"""Show a bench's result: print it, write it to files, and choose the exit code."""

__all__ = ["Output", "raise_for", "show"]

import shutil
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from sparktune.errors import NotConclusive, RequestsFailed, UsageError
from sparktune.io.files import check_writable, write_atomic
from sparktune.model.result import RunResult
from sparktune.report.bench.forms import Form, form_for_format, form_for_suffix, render

_NARROWEST = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Output:
    """``printed`` goes to stdout; ``files`` are written beside it, each in its form."""

    printed: Form = Form.TEXT
    files: tuple[tuple[Path, Form], ...] = ()

    @classmethod
    def of(
        cls, *, json: bool = False, form: str = "", save: tuple[Path, ...] = (), save_result: tuple[Path, ...] = ()
    ) -> "Output":
        """Read the options, before anything is measured for a file that cannot be written.

        ``--save`` files go by their suffix. ``--save-result`` files are llama-benchy's: their form is ``--format``,
        Markdown unless given; without such a file ``--format`` says what is printed. Raises UsageError.
        """
        named = form_for_format(form) if form else None
        if json and named is not None and not save_result:
            message = "--json and --format say two forms of what is printed"
            raise UsageError(message, hint="give one of them, or name a file for --format with --save-result")
        files = [(path, form_for_suffix(path.suffix)) for path in save]
        files += [(path, named or Form.MARKDOWN) for path in save_result]
        forms: dict[Path, Form] = {}
        for path, wanted in files:
            check_writable(path)
            if forms.setdefault(path.resolve(), wanted) is not wanted:
                message = f"{path} is named twice, for {forms[path.resolve()].value} and for {wanted.value}"
                raise UsageError(message, hint="name another file: the second would replace the first")
        printed = Form.JSON if json else Form.TEXT if named is None or save_result else named
        return cls(printed=printed, files=tuple(files))


def show(result: RunResult, output: Output, *, resume_told: bool = False) -> None:
    """Write the files, then print; ``resume_told`` where an error follows that says how to go on."""
    for path, form in output.files:
        write_atomic(path, render(result, form))
    width = max(_NARROWEST, shutil.get_terminal_size().columns)
    sys.stdout.write(render(result, output.printed, width=width, color=_colour(), resume_told=resume_told))
    sys.stdout.flush()
    for path, _ in output.files:
        sys.stderr.write(f"saved {path}\n")


def raise_for(result: RunResult) -> None:
    """Raise RequestsFailed when requests failed, else NotConclusive when a cell is not valid."""
    failures = sum((Counter(row.failures) for row in result.cells), Counter[str]())
    asked = sum(row.requests for row in result.cells)
    if failures:
        types = ", ".join(f"{name} {count}" for name, count in sorted(failures.items()))
        message = f"{failures.total()} of {asked} requests failed: {types}"
        raise RequestsFailed(message, hint=f"see them with: sparktune runs show {result.run.id}")
    invalid = [row.cell.label for row in result.cells if not row.valid]
    if invalid:
        cells, are = ("cell", "is") if len(result.cells) == 1 else ("cells", "is" if len(invalid) == 1 else "are")
        message = f"{len(invalid)} of {len(result.cells)} {cells} {are} not valid: {', '.join(invalid)}"
        raise NotConclusive(message, hint="the findings above say why; their numbers answer no question")


def _colour() -> bool:
    from os import environ

    return sys.stdout.isatty() and not environ.get("NO_COLOR") and environ.get("TERM") != "dumb"
