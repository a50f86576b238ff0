"""Results as a table of trials or of published summaries: ours, other tools', or an article's numbers."""

__all__ = ["Row", "Table"]

from collections.abc import Mapping
from dataclasses import dataclass, field

from sparktune.model.check import CheckResult
from sparktune.units import Tokens


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One trial of one cell, or with ``trial`` None the summary of ``trials`` of them (None: nobody says how many).

    What the source does not tell is None or not in ``values``, which are keyed by the names of metrics (``ttft_s``
    the median over streams, ``ttft_max_s``, ``output_tok_s`` over all streams, ``decode_tok_s`` per stream,
    ``prefill_tok_s``, ``prefix_hit_share``, ``acceptance_length`` ...). ``series`` keeps the single values behind a
    summary where they are told. ``arm`` is "" in a table without arms; ``block`` counts from 1 where trials were
    taken in blocks; ``label`` is how the source names the row. ``prompt_id`` names one prompt where every row is one
    request. ``checks`` are what the source itself found out about the row, ``note`` what stands out in it.
    ``warm``: its prompts share prefixes on purpose, as those of a conversation do, beyond what ``depth`` says.
    """

    prompt_tokens: Tokens | None = None
    output_tokens: Tokens | None = None
    depth: Tokens | None = None
    concurrency: int | None = None
    arm: str = ""
    block: int | None = None
    trial: int | None = None
    trials: int | None = 1
    label: str = ""
    prompt_id: str = ""
    note: str = ""
    warm: bool = False
    checks: tuple[CheckResult, ...] = ()
    values: Mapping[str, float] = field(default_factory=dict)
    series: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    @property
    def cell(self) -> tuple[Tokens | None, Tokens | None, Tokens | None, int | None]:
        """What makes two rows comparable."""
        return (self.prompt_tokens, self.output_tokens, self.depth, self.concurrency)


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """``source`` is the format's id (``csv``, ``llama-benchy`` ...), ``name`` the file's.

    ``arms`` are named in their order, the first is the baseline. ``order`` are the arms of the visits as they were
    measured, in time, None when nobody says. ``settings`` by arm are those that were in force; an arm that is
    missing there has unknown ones; a name that ends in ``@end`` is the value read back at the end. ``knob`` is the
    setting that was meant to differ, "" unknown. ``command`` is the command line that the source claims. ``facts`` are
    single facts by name (engine, model, version ...). ``notes`` say what the reader of the file left aside, or found
    suspicious in it.
    """

    source: str
    name: str
    rows: tuple[Row, ...]
    arms: tuple[str, ...] = ()
    order: tuple[str, ...] | None = None
    settings: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    knob: str = ""
    command: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def measured_arms(self) -> tuple[str, ...]:
        """The arms that have rows, those of ``arms`` first; ("",) for a table without arms."""
        present = dict.fromkeys(row.arm for row in self.rows)
        return tuple(dict.fromkeys([*(arm for arm in self.arms if arm in present), *present]))
