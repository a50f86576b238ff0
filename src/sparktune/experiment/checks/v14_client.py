"""V14: the client that measured was too slow, late, or counted chunks for tokens.

Looks at: the client's CPU share, the skew of sending a wave, peaks beside means, and tokens per chunk.
Warns when: the client used more than 80 % of a core, a wave was sent over more than 50 ms, or a peak is below the mean
    (it counts chunks, not tokens).
Invalid when: never in a table; waves that we measured are void by the cell's own check.
Unknown when: the table tells nothing of the client.
Source: with speculative decoding a chunk carries several tokens: counting chunks undercounts by that factor.
"""

__all__ = ["TABLE_CHECK"]

from collections.abc import Sequence

from sparktune.experiment.checks._shared import Finding, listed, make_table_check, row_words, unknown
from sparktune.model.check import Status
from sparktune.model.table import Row, Table
from sparktune.model.table_check import TableContext
from sparktune.units import Ratio, Seconds, format_percent, format_rate, format_seconds

_BUSY: Ratio = 0.80
_SKEW: Seconds = 0.050
_ONE = 1.05  # tokens per chunk that still count as one
_HINT = "take tokens from usage, and measure with a client that parses nothing while it waits"


def _judge(table: Table, _: TableContext) -> Sequence[Finding]:
    wrong = [words for row in table.rows for words in _wrong(row)]
    if wrong:
        return [Finding(status=Status.WARN, evidence=listed(wrong, 3), hint=_HINT)]
    chunks = [row.values["tokens_per_chunk"] for row in table.rows if row.values.get("tokens_per_chunk", 0) > _ONE]
    if chunks:
        evidence = f"tokens are the server's count; a chunk carried up to {max(chunks):.1f} of them"
        return [Finding(status=Status.OK, evidence=evidence)]
    if any({"client_cpu_share", "send_skew_s"} & row.values.keys() for row in table.rows):
        return [Finding(status=Status.OK, evidence="the client had time, and sent waves at once")]
    return [unknown("it needs the client's CPU share and send skew, and who counted the tokens")]


def _wrong(row: Row) -> list[str]:
    busy, skew = row.values.get("client_cpu_share", 0.0), row.values.get("send_skew_s", 0.0)
    peak = row.values.get("peak_tok_s")
    mean = row.values.get("decode_total_tok_s") or row.values.get("output_tok_s")
    found = []
    if busy > _BUSY:
        found.append(f"{row_words(row)}: the client used {format_percent(busy)} of a core")
    if skew > _SKEW:
        found.append(f"{row_words(row)}: the wave was sent over {format_seconds(skew)}")
    if peak is not None and mean is not None and peak < mean:
        words = f"a peak of {format_rate(peak)} tok/s below a mean of {format_rate(mean)} counts chunks, not tokens"
        found.append(f"{row_words(row)}: {words}")
    return found


TABLE_CHECK = make_table_check("V14", "client not in the way", _judge, source="tokens and chunks, see concepts")
