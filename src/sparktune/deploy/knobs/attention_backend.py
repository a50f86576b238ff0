"""Which kernels compute attention."""

__all__ = ["KNOB"]

from sparktune.model.knob import Knob, Place

KNOB = Knob(
    id="attention_backend",
    title="kernels of attention",
    does=(
        "The engine chooses by hardware and model, and says in the boot log which it took; a forced one may be refused."
    ),
    places=(
        Place(kind="flag", engine="vllm", name="--attention-backend"),
        Place(kind="env", engine="vllm", name="VLLM_ATTENTION_BACKEND", versions="older versions"),
        Place(kind="flag", engine="sglang", name="--attention-backend"),
    ),
    legal="a name that the version knows",
    takes="restart",
    measure=("prefill_tok_s", "decode_tok_s"),
    quality=True,
    source="vLLM 0.33, platforms/cuda.py; boot line 'Using ... backend'",
)
