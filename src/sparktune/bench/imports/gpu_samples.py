"""Read samples of a GPU that were taken while something was measured: no results, but what can void them.

Source: ``nvidia-smi --query-gpu=timestamp,clocks.sm,utilization.gpu --format=csv``.
"""

__all__ = ["READER"]

from sparktune.bench.imports._gpu import facts_of_samples, is_samples
from sparktune.bench.imports._shared import Reader, SourceFile
from sparktune.model.table import Table


def _table(file: SourceFile) -> Table:
    facts = facts_of_samples({**file.beside, file.name: file.data})
    return Table(source=READER.id, name=file.name, rows=(), facts=facts)


READER = Reader(
    id="gpu-samples",
    title="samples of nvidia-smi --query-gpu=timestamp,clocks.sm,utilization.gpu --format=csv",
    recognises=lambda file: is_samples(file.data),
    read=_table,
    order=40,
)
