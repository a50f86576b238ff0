"""Put ``sparktune lint`` together: what is looked at, the edits, the report, the exit code."""

__all__ = ["LintWishes", "run_lint"]

import sys
from dataclasses import dataclass
from pathlib import Path

import typer

from sparktune.cli._host.ask import agreed
from sparktune.cli._nodes import targets_of
from sparktune.cli._terminal import colour_wanted, columns
from sparktune.cli._waiting import waiting_said
from sparktune.errors import ExitCode, UsageError
from sparktune.flows.lint import Lint, LintQuestion, fixed_texts, lint, write_fixes
from sparktune.report.lint.json import lint_json
from sparktune.report.lint.lines import diff_text
from sparktune.report.lint.text import lint_text


@dataclass(frozen=True, slots=True, kw_only=True)
class LintWishes:
    """What is printed, and whether edits are made."""

    as_json: bool
    fix: bool
    diff: bool
    yes: bool
    ask_sparkrun: bool


def run_lint(
    files: tuple[str, ...],
    node: str,
    roots: tuple[Path, ...],
    folder: Path | None,
    image_facts: Path | None,
    wishes: LintWishes,
) -> None:
    """Print the report and leave with its exit code. Raises UsageError."""
    _check(files, wishes, node=node, roots=roots, folder=folder)
    question = LintQuestion(
        files=files,
        targets=targets_of(node, roots) if node or roots else (),
        folder=folder,
        image_facts=image_facts,
        ask_sparkrun=wishes.ask_sparkrun,
    )
    with waiting_said():
        asked = lint(question)
    if wishes.diff:
        _show_edits(asked)
        return
    fixed = wishes.fix and _fix(asked, yes=wishes.yes)
    if fixed:
        asked = lint(question)
    for note in (*asked.notes, *_failures(asked)):
        sys.stderr.write(f"note: {note}\n")
    if wishes.as_json:
        sys.stdout.write(lint_json(asked.view, asked.findings, asked.notes))
    else:
        text = lint_text(asked.view, asked.findings, width=columns(), color=colour_wanted(), fixed=wishes.fix)
        sys.stdout.write(text)
    if asked.exit_code is not ExitCode.DONE:
        raise typer.Exit(int(asked.exit_code))


def _check(
    files: tuple[str, ...], wishes: LintWishes, *, node: str, roots: tuple[Path, ...], folder: Path | None
) -> None:
    if folder is not None and (node or roots):
        message = "--from has the files of a report, --node and --root ask nodes"
        raise UsageError(message, hint="give one of them")
    if wishes.fix and wishes.diff:
        message = "--diff changes nothing, --fix does"
        raise UsageError(message, hint="give one of them; --fix shows the edits first")
    if wishes.fix and "-" in files:
        message = "what comes from standard input cannot be edited"
        raise UsageError(message, hint="name the file, or see the edits with --diff")
    if wishes.yes and not wishes.fix:
        message = "--yes is for --fix"
        raise UsageError(message, hint="add --fix, or leave --yes out")


def _show_edits(asked: Lint) -> None:
    texts = fixed_texts(asked)
    sys.stdout.write(diff_text({one.name: one for one in asked.view.documents}, texts))
    if not texts:
        sys.stderr.write("nothing is safe to fix\n")


def _fix(asked: Lint, *, yes: bool) -> bool:
    """Show the edits, ask, and make them; tell whether they were made. Raises UsageError."""
    texts = fixed_texts(asked)
    if not texts:
        sys.stderr.write("nothing is safe to fix\n")
        return False
    sys.stderr.write(diff_text({one.name: one for one in asked.view.documents}, texts))
    if not yes and not (sys.stdin.isatty() and sys.stderr.isatty()):
        message = "files are not edited without a terminal to ask on"
        raise UsageError(message, hint="add --yes, or see the edits with --diff")
    if not agreed(f"make these edits in {', '.join(texts)}?", yes=yes):
        sys.stderr.write("nothing was changed\n")
        return False
    write_fixes(asked, texts)
    sys.stderr.write(f"edited: {', '.join(texts)}\n")
    return True


def _failures(asked: Lint) -> tuple[str, ...]:
    return tuple(f"{node.node} did not answer: {node.failure}" for node in asked.nodes if node.failure)
