"""How fast one stream writes, once it has begun.

Formula: (N - n_first) / (t_last_output - t_first_output); N are the stream's output tokens as the server counts them,
    n_first those of its first output chunk, whose time is the prefill's, and of what came in one instant with it.
Unit: tok/s
Better: higher
Undefined when: a completed stream has no count of its tokens or of its first chunk's, or sent all tokens in one chunk;
    all of its output arrived at one instant, or in a burst of above 2,000 tok/s after a wait 20 times as long; or more
    than 2 % of its chunks came together with the first, uncounted.
Source: llama-benchy 0.4.0 "tg t/s (req)" is the same rate where it knows token ids per chunk; where it does not, it
    uses N - 1 and reads 7 % high at three tokens per chunk and 33 tokens.
"""

__all__ = ["METRIC"]

from sparktune.bench.metrics._shared import decode_tok_s, per_request
from sparktune.model.metric import Better, Metric, Scope

METRIC = Metric(
    name="decode_tok_s",
    title="decode tok/s",
    unit="tok/s",
    scope=Scope.REQUEST,
    better=Better.HIGHER,
    compute=per_request(decode_tok_s),
    order=80,
    in_table=True,
)
