"""How many prompt tokens llama.cpp computes at once."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="ubatch_size",
    title="prompt tokens computed at once",
    does="Larger pieces prefill faster and take more memory for buffers.",
    places=(
        Place(kind="flag", engine="llamacpp", name="--ubatch-size"),
        Place(kind="env", engine="llamacpp", name="LLAMA_ARG_UBATCH"),
    ),
    legal="a whole number from 1, not above the batch size (512 by default)",
    least=1,
    takes="restart",
    measure=("prefill_tok_s", "ttft_s"),
    raises_memory=True,
    whole=True,
    interactions=(Interaction(other="max_num_batched_tokens", what="it is a piece of that"),),
    source="llama.cpp server README",
)
