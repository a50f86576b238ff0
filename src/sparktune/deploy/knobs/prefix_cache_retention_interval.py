"""How densely prefix checkpoints of sliding windows are kept."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="prefix_cache_retention_interval",
    title="tokens between kept prefix checkpoints",
    does=(
        "What is used again ends at such a checkpoint, so that a repeated prompt still computes about this many tokens."
    ),
    places=(
        Place(kind="env", engine="vllm", name="VLLM_PREFIX_CACHE_RETENTION_INTERVAL", versions="images that have it"),
    ),
    legal="tokens",
    least=1,
    takes="restart",
    measure=("prefix_hit_share", "turn_ttft_s"),
    whole=True,
    interactions=(Interaction(other="enable_prefix_caching", what="it does nothing without"),),
    source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/36",
)
