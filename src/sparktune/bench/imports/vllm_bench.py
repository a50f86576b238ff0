"""Read what ``vllm bench serve`` saves: one run, or the runs of a ``vllm bench sweep serve`` folder.

Source: vLLM, ``vllm/benchmarks/serve.py`` (009e6d4) and ``vllm/benchmarks/sweep/serve.py`` (0031557). A result is one
JSON object; ``--append-result`` writes several, one per line; a sweep's ``summary.json`` is a list of them. A sweep
puts its runs in folders ``SERVE-NAME-BENCH-NAME`` as ``run=N.json``, with ``run_number`` and the parameters it set
among the keys. ``std`` and percentiles are over requests, which share one server and one moment: a run is one trial.
TPOT leaves the first token out. ``date`` is when the run ended.
"""

__all__ = ["READER"]

from collections.abc import Mapping
from typing import Any

from sparktune.bench.imports._shared import (
    Reader,
    SourceFile,
    compact,
    count_of,
    decoded,
    number,
    starts_with_keys,
    stem_of,
)
from sparktune.errors import UsageError
from sparktune.model.table import Row, Table

_MS = 1000.0
_HINT = "save it with: vllm bench serve --save-result, or give the folder of vllm bench sweep serve"
_Record = Mapping[str, Any]


def _table(file: SourceFile) -> Table:
    records = _records(file)
    arm = _arm_of(file.name)
    rows = tuple(_row(record, place, arm, file.name) for place, record in enumerate(records, 1))
    return Table(
        source=READER.id,
        name=file.name,
        rows=rows,
        arms=(arm,) if arm else (),
        settings={arm: found} if arm and (found := _settings(arm)) else {},
        facts={"model": str(records[0].get("model_id", ""))[:200], "date": str(records[0].get("date", ""))[:40]},
    )


def _records(file: SourceFile) -> list[_Record]:
    lines = [line for line in file.data.splitlines() if line.strip()]
    if len(lines) > 1 and all(line.lstrip().startswith(b"{") and line.rstrip().endswith(b"}") for line in lines):
        found = [decoded(SourceFile(name=file.name, data=line), dict[str, Any], _HINT) for line in lines]
    elif file.data.strip().startswith(b"["):
        found = decoded(file, list[dict[str, Any]], _HINT)
    else:
        found = [decoded(file, dict[str, Any], _HINT)]
    wrong = next((record for record in found if number(record.get("output_throughput")) is None), None)
    if wrong is not None or not found:
        message = f"{file.name} has no output_throughput: {', '.join(sorted(wrong or {})[:6]) or 'it is empty'}"
        raise UsageError(message, hint=_HINT)
    return list(found)


def _row(record: _Record, place: int, arm: str, name: str) -> Row:
    completed, failed = number(record.get("completed")), number(record.get("failed"))
    run = count_of(record.get("run_number"))
    values = {
        "output_tok_s": number(record.get("output_throughput")),
        "ttft_s": _seconds(record, "median_ttft_ms"),
        "decode_tok_s": _inverse(_seconds(record, "median_tpot_ms")),
        "e2e_s": _seconds(record, "median_e2el_ms"),
        "prompt_tokens": _per(record, "total_input_tokens", completed),
        "output_tokens": _per(record, "total_output_tokens", completed),
        "acceptance_length": number(record.get("spec_decode_acceptance_length")),
        "requests": None if completed is None else completed + (failed or 0),
        "failed_requests": failed,
    }
    return Row(
        arm=arm,
        concurrency=count_of(record.get("max_concurrency")),
        trial=place if run is None else run + 1,
        label=_label(record, name),
        values=compact(values),
    )


def _label(record: _Record, name: str) -> str:
    """Name a load by the sweep's parameters, else by what the file tells of it."""
    _, mark, bench = name.partition("BENCH-")
    if mark:
        return bench.partition("/")[0].strip("-")[:80]
    rate = record.get("request_rate")
    prompts = f"{str(record.get('num_prompts', '?'))[:20]} prompts"
    return prompts if rate is None or rate == "inf" else f"{prompts} at {str(rate)[:20]}/s"


def _arm_of(name: str) -> str:
    """Return the sweep's combination of server parameters that a file belongs to, "" where there is none."""
    _, mark, rest = name.partition("SERVE-")
    return rest.partition("/")[0].partition("-BENCH-")[0].strip("-")[:80] if mark else ""


def _settings(arm: str) -> dict[str, str]:
    """Read ``max_num_seqs=32-block_size=16``, as a sweep names its combinations unless they have names of their own."""
    parts = [part.partition("=") for part in arm.split("-") if "=" in part]
    return {key: value for key, _, value in parts if key}


def _seconds(record: _Record, key: str) -> float | None:
    found = number(record.get(key))
    return found / _MS if found is not None and found > 0 else None  # vLLM writes 0 where there were no values


def _inverse(value: float | None) -> float | None:
    return 1 / value if value else None


def _per(record: _Record, key: str, count: float | None) -> float | None:
    total = number(record.get(key))
    return total / count if total is not None and count else None


def _recognises(file: SourceFile) -> bool:
    head = file.data.lstrip()[:4000]
    known = b'"output_throughput"' in head or b'"request_throughput"' in head or b'"max_concurrency"' in head
    named = starts_with_keys(file, b"backend") or starts_with_keys(file, b"endpoint_type")
    listed = head.startswith(b"[") and b'"backend"' in head
    return ((named or listed) and known) or stem_of(file.name).startswith("run=")


READER = Reader(
    id="vllm-bench",
    title="JSON of vllm bench serve, or a folder of vllm bench sweep serve",
    recognises=_recognises,
    read=_table,
    order=30,
)
