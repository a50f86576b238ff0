"""How much of a step one long prompt may take."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="long_prefill_token_threshold",
    title="share of a step for one long prompt, in tokens",
    does=(
        "A prompt that is longer is computed in pieces of at most this size per step, so that those who are "
        "reading are not held up by it."
    ),
    places=(Place(kind="flag", engine="vllm", name="--long-prefill-token-threshold"),),
    legal="tokens; 0 is off",
    least=0,
    takes="restart",
    measure=("decode_during_tok_s", "longest_stall_s", "ttft_max_s"),
    whole=True,
    interactions=(
        Interaction(other="max_num_batched_tokens", what="the step that is shared"),
        Interaction(other="dspark_max_inflight_prefills", what="both decide who waits for whom"),
    ),
    effects=(
        Effect(
            what="the slowest reader 8.2 to 24.6 tok/s, together with at most two prefills at once",
            conditions="two DGX Sparks, 32K prompts, 4 streams",
            source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/pull/90",
            measured=True,
        ),
        Effect(
            what="a default of 0 behind a shell's fallback switched it off without a word",
            conditions="two DGX Sparks",
            source="https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash",
            measured=False,
        ),
    ),
    source="vLLM 0.33, config/scheduler.py; newer versions pass over it while a request is alone",
)
