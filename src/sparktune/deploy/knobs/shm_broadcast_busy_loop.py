"""How long vLLM's workers spin for the next step."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="shm_broadcast_busy_loop",
    title="spinning of vLLM's workers",
    does=(
        "With several workers, three or four fast cores are busy during all decoding. Hard-coded to 1 s in 0.33; "
        "hot-fixes and a proposed variable shorten it."
    ),
    places=(Place(kind="env", engine="vllm", name="VLLM_SHM_BROADCAST_BUSY_LOOP_S", versions="proposed; not in 0.33"),),
    legal="seconds",
    least=0,
    takes="restart",
    measure=("decode_tok_s", "step_latency_s"),
    interactions=(Interaction(other="thread_affinity", what="moving these threads may cost speed: measure"),),
    effects=(
        Effect(
            what="333 % to 89 % of a core and 11 degrees cooler with 2 ms, speed the same",
            conditions="two DGX Sparks",
            source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/79",
            measured=True,
        ),
    ),
    source="https://github.com/vllm-project/vllm/pull/52814",
)
