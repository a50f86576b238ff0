"""Put ``sparktune runs`` together: open the store, run the flow, print or write."""

__all__ = ["print_list", "print_run", "write_run"]

import shutil
import sys
from pathlib import Path

import typer

from sparktune.cli._endings import refuse_ending
from sparktune.cli._output import Output, raise_for, show
from sparktune.cli._terminal import legible
from sparktune.cli._unreadable import end_list
from sparktune.errors import SparktuneError, UsageError
from sparktune.flows.bench.result import rebuild
from sparktune.flows.runs import export_raw, find_run
from sparktune.io.files import atomic_writer, check_writable, write_atomic
from sparktune.io.store.store import Store
from sparktune.report.bench.forms import Form, form_for_suffix, render
from sparktune.report.runs import runs_json, runs_text
from sparktune.units import count_of

_BENCHY = {Form.JSON: Form.BENCHY, Form.CSV: Form.BENCHY_CSV}
_NARROWEST = 40


def print_list(limit: int, *, visits: bool, as_json: bool) -> None:
    """Print the newest runs; what was left out of them, and what cannot be understood, is named afterwards.

    Without ``visits`` those that experiments and sweeps have made are left out where there are others, never of JSON.
    """
    unreadable: list[SparktuneError] = []
    with _open() as store:
        made = 0 if visits or as_json else store.count_visits()
        own = store.list_runs(limit, unreadable.append, own=True) if made else ()
        if not own:
            unreadable.clear()
        rows = own or store.list_runs(limit, unreadable.append)
        where = store.path
    if as_json:
        sys.stdout.write(runs_json(rows))
    elif rows:
        sys.stdout.write(runs_text(rows, width=max(_NARROWEST, shutil.get_terminal_size().columns)))
    elif not unreadable:
        sys.stderr.write(legible(f"no runs in {where} yet\nhint: make one with: sparktune bench URL\n"))
    if made:
        _tell_visits(made, left_out=bool(own))
    end_list(unreadable)


def _tell_visits(count: int, *, left_out: bool) -> None:
    """Say on stderr, after the list, that some of its runs belong to something larger."""
    sys.stdout.flush()
    if left_out:
        of = "of experiments and sweeps, see sparktune ab list and sparktune sweep list"
        words = f"left out: {count_of(count, 'visit')} {of}; with them: sparktune runs list --visits"
    else:
        words = "all of these are visits of experiments and sweeps: sparktune ab list, sparktune sweep list"
    sys.stderr.write(legible(f"{words}\n"))


def print_run(prefix: str, *, as_json: bool) -> None:
    """Print a run's result and leave with the exit code that its bench had; its first line says why already."""
    with _open() as store:
        result = rebuild(store, find_run(store, prefix))
    show(result, Output(printed=Form.JSON if as_json else Form.TEXT))
    try:
        raise_for(result)
    except SparktuneError as error:
        raise typer.Exit(int(error.exit_code)) from error


def write_run(prefix: str, save: Path | None, *, benchy: bool, raw: bool) -> None:
    """Write a run's result, or with ``raw`` its recorded bytes, to a file or to stdout. Raises UsageError."""
    if benchy and raw:
        message = "--benchy and --raw are two forms of one file"
        raise UsageError(message, hint="give one of them")
    if raw:
        refuse_ending(save, "JSON lines")
    form = Form.TEXT if raw else _form(save, benchy=benchy)
    if save:
        check_writable(save)
    with _open() as store:
        run = find_run(store, prefix)
        if raw and save:
            with atomic_writer(save) as file:
                export_raw(store, run, file)
        elif raw:
            export_raw(store, run, sys.stdout)
        elif save:
            write_atomic(save, render(rebuild(store, run), form))
        else:
            sys.stdout.write(render(rebuild(store, run), form))
    if save:
        sys.stderr.write(f"saved run {run.id} as {save}\n")


def _form(save: Path | None, *, benchy: bool) -> Form:
    form = form_for_suffix(save.suffix) if save else Form.JSON
    if not benchy:
        return form
    if form not in _BENCHY:
        message = f"llama-benchy's shapes are JSON and CSV, not {form.value}"
        raise UsageError(message, hint="leave --benchy out: the Markdown rows have llama-benchy's names anyway")
    return _BENCHY[form]


def _open() -> Store:
    """Open the store and say what a process that died had left there."""
    store = Store.open()
    found = store.recovered
    if found.waves:
        what = f"{count_of(found.requests, 'request')} of {count_of(found.waves, 'wave')}"
        sys.stderr.write(f"recovered {what} that a killed run had left\n")
    return store
