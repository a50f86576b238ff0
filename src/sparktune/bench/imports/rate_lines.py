"""Read rates that a person noted down, a name and its trials per line, with samples of the GPU beside them.

Source: the notes of hasso5703/dgx-spark-qwen38 issue 8: ``code (greedy, deterministic): 24.9 / 22.2 tok/s``. A line
whose name ends in "median" sums the others up, and is left aside. Files beside it: ``gpu_samples.csv`` and
``throttle.txt``, see ``gpu_samples``.
"""

__all__ = ["READER"]

import re

from sparktune.bench.imports._shared import Reader, SourceFile, number, text_of
from sparktune.errors import UsageError
from sparktune.model.table import Row, Table

_LINE = re.compile(
    r"^(?P<name>[^:]{1,80}):\s*(?P<rates>\d{1,9}(?:\.\d{1,6})?(?:\s*/\s*\d{1,9}(?:\.\d{1,6})?)*)\s*tok/s"
)


def _table(file: SourceFile) -> Table:
    rows, notes = [], []
    for line in text_of(file).splitlines():
        found = _LINE.match(line.strip())
        if found is None or found["name"].strip().endswith("median"):
            notes += [f"left aside: {line.strip()[:100]}"] if line.strip() else []
            continue
        rates = [rate for part in found["rates"].split("/") if (rate := number(float(part))) is not None]
        rows += [
            Row(label=found["name"].strip(), trial=trial, values={"output_tok_s": rate})
            for trial, rate in enumerate(rates, 1)
        ]
    if not rows:
        message = f"{file.name} has no line of the form NAME: RATE / RATE tok/s"
        raise UsageError(message, hint="write for instance: code: 24.9 / 22.2 tok/s")
    return Table(source=READER.id, name=file.name, rows=tuple(rows), notes=tuple(notes))


def _recognises(file: SourceFile) -> bool:
    head = file.data[:4000].decode("utf-8", "replace")
    return not head.lstrip().startswith(("{", "[")) and any(_LINE.match(line.strip()) for line in head.splitlines())


READER = Reader(
    id="rate-lines",
    title="lines of the form NAME: RATE / RATE tok/s",
    recognises=_recognises,
    read=_table,
    order=70,
)
