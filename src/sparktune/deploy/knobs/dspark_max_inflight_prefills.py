"""How many prompts are computed at once by one patched scheduler."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="dspark_max_inflight_prefills",
    title="prompts computed at once (patched images)",
    does=(
        "A hot-fix of some images caps how many prompts are in prefill. A scheduler without the fix passes over "
        "the variable. It is read once, when the scheduler is made, and cut to 1 to 3."
    ),
    places=(
        Place(kind="env", engine="vllm", name="DSPARK_MAX_INFLIGHT_PREFILLS", versions="images with the hot-fix only"),
    ),
    legal="1, 2 or 3; anything else falls back with one warning",
    least=1,
    most=3,
    choices=("1", "2", "3"),
    fallback="1",
    takes="restart",
    measure=("ttft_max_s", "ttft_mean_s", "decode_min_tok_s"),
    interactions=(Interaction(other="long_prefill_token_threshold", what="both decide who waits for whom"),),
    effects=(
        Effect(
            what=(
                "2 in place of 1: spread of first tokens 14.6 to 9.1 s, worst 19.3 to 16.5 s, 12 % more in all; 8 "
                "trials pooled"
            ),
            conditions="two DGX Sparks",
            source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/pull/195",
            measured=True,
        ),
        Effect(
            what="1 shipped again, then found worse by another A-B-A",
            conditions="two DGX Sparks, another profile",
            source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/217",
            measured=False,
        ),
    ),
    source="the hot-fix in https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark",
)
