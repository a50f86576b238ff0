"""Whether kernels are tried out at boot."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Knob, Place

KNOB = Knob(
    id="flashinfer_autotune",
    title="try kernels out at boot",
    does=(
        "Trying out takes time at boot and draws differently from boot to boot, so that speed differs between "
        "boots of the same settings."
    ),
    places=(
        Place(kind="flag", engine="vllm", name="--enable-flashinfer-autotune"),
        Place(kind="flag", engine="sglang", name="--disable-flashinfer-autotune"),
    ),
    legal="given or not",
    choices=("on", "off"),
    takes="restart",
    measure=("output_tok_s", "decode_tok_s"),
    effects=(
        Effect(
            what="8 streams between 92 and 111 tok/s over boots of one setting",
            conditions="SGLang on GB10",
            source="https://github.com/sgl-project/sglang/issues/35860",
            measured=True,
        ),
    ),
    source="https://github.com/sgl-project/sglang/issues/35860",
)
