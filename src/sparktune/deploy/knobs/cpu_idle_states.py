"""How deeply idle cores sleep."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Knob, Place

KNOB = Knob(
    id="cpu_idle_states",
    title="sleep states of cores",
    does="Cores that do not sleep deeply answer sooner and are warmer.",
    places=(Place(kind="host", name="cpuidle/state*/disable"),),
    legal="per state 0 or 1",
    choices=("0", "1"),
    takes="live",
    measure=("decode_tok_s", "ttft_s", "temperature"),
    effects=(
        Effect(
            what="5 to 6.6 % more with one stream",
            conditions="two DGX Sparks",
            source="https://github.com/MiaAI-Lab/Qwen3.8-Flash-Next-Dual-DGX-Sparks/issues/28",
            measured=True,
        ),
    ),
    source="Documentation/admin-guide/pm/cpuidle.rst",
)
