"""How long an engine waits for one step."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="execute_model_timeout_s",
    title="longest step before the engine gives up",
    does=(
        "Kernels that are compiled in the middle of serving can take minutes; the engine ends itself when a step "
        "is longer than this."
    ),
    places=(Place(kind="env", engine="vllm", name="VLLM_EXECUTE_MODEL_TIMEOUT_SECONDS"),),
    legal="seconds; 300 by default",
    least=1,
    takes="restart",
    measure=("none",),
    interactions=(Interaction(other="jit_cache_folders", what="what was kept is not compiled again"),),
    source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/65",
)
