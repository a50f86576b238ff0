"""How many tokens one block of the KV pool has."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="block_size",
    title="tokens of a KV block",
    does="What is shared between prompts is shared in whole blocks.",
    places=(
        Place(kind="flag", engine="vllm", name="--block-size"),
        Place(kind="flag", engine="sglang", name="--page-size"),
    ),
    legal="what the kernels offer: 16, 32, 64, 128, 256",
    least=1,
    takes="restart",
    measure=("prefix_hit_share", "decode_tok_s"),
    whole=True,
    interactions=(Interaction(other="enable_prefix_caching", what="whole blocks are used again"),),
    source="vLLM 0.33, config/cache.py",
)
