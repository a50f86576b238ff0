"""Which cores handle the interrupts of devices."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="irq_affinity",
    title="cores of interrupts",
    does=(
        "Reports contradict each other: some move the network's interrupts away from inference, some to fast "
        "cores. Measure which is right for your load."
    ),
    places=(Place(kind="host", name="smp_affinity_list"),),
    legal="a CPU list per vector; managed ones cannot be moved",
    takes="live",
    measure=("ttft_s", "decode_tok_s"),
    several=True,
    interactions=(Interaction(other="cpuset", what="whom they disturb"),),
    effects=(
        Effect(
            what="first token 20 % earlier with the network's interrupts on fast cores",
            conditions="two DGX Sparks",
            source="https://github.com/MiaAI-Lab/Qwen3.8-Flash-Next-Dual-DGX-Sparks/pull/51",
            measured=True,
        ),
    ),
    source="Documentation/core-api/irq/irq-affinity.rst",
)
