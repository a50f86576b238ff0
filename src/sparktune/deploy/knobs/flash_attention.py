"""Whether llama.cpp fuses attention."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="flash_attention",
    title="fused attention",
    does="Needed for narrow formats of the KV pool's values.",
    places=(
        Place(kind="flag", engine="llamacpp", name="--flash-attn"),
        Place(kind="env", engine="llamacpp", name="LLAMA_ARG_FLASH_ATTN"),
    ),
    legal="on, off or auto",
    choices=("on", "off", "auto"),
    takes="restart",
    measure=("prefill_tok_s", "decode_tok_s"),
    interactions=(Interaction(other="kv_cache_dtype", what="narrow values need it"),),
    source="llama.cpp server README",
)
