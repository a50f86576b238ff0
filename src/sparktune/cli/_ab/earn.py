"""On a win: the setting with its evidence goes to ``earned.yaml``, when somebody says so."""

__all__ = ["earn"]

import shlex
import sys

from sparktune.cli._experiment_options import ExperimentOptions
from sparktune.errors import UsageError
from sparktune.experiment.result import ExperimentResult
from sparktune.experiment.verdict import Verdict
from sparktune.flows.earned_accept import why_not
from sparktune.io.earned import earned_entry, keep_earned
from sparktune.report.ab.harm_words import harm_lines


def earn(result: ExperimentResult, options: ExperimentOptions) -> None:
    """Write the entry with ``--accept``, or when the person at the terminal agrees; never otherwise."""
    if result.verdict is not Verdict.IMPROVED:
        return
    if reason := why_not(result):
        sys.stderr.write(f"{options.earned} was not written: {reason}\n")
        return
    for warning in harm_lines(result.harms):
        sys.stderr.write(f"{warning}\n")
    if not options.accept and not _asked(options):
        later = f"sparktune earned accept {result.experiment.id}"
        sys.stderr.write(
            f"{options.earned} was not written; with --accept it would have been, and still can be: {later}\n"
        )
        return
    try:
        keep_earned(options.earned, earned_entry(result))
    except UsageError as error:
        # Hours were measured for it, and they are in the store.
        later = f"sparktune earned accept {result.experiment.id} --earned {shlex.quote(str(options.earned))}"
        message = f"{error}; the setting was not kept there"
        raise UsageError(message, hint=f"{error.hint}; then: {later}") from error
    sys.stderr.write(f"saved {options.earned}\n")


def _asked(options: ExperimentOptions) -> bool:
    if options.yes or not (sys.stdin.isatty() and sys.stderr.isatty()):
        return False
    sys.stderr.write(f"Keep the setting with its evidence in {options.earned}? [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().lower() in {"y", "yes"}
