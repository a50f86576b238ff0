"""Where compiled kernels are kept."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="jit_cache_folders",
    title="folders of compiled kernels",
    does=(
        "Folders inside the container are lost when it is recreated, and cannot be written by a user who does not "
        "own them: then kernels are compiled again at each boot, or the worker ends. One folder per image: what "
        "another image compiled may not fit."
    ),
    places=(
        Place(kind="env", name="TRITON_CACHE_DIR"),
        Place(kind="env", name="TORCHINDUCTOR_CACHE_DIR"),
        Place(kind="env", name="TORCH_EXTENSIONS_DIR"),
        Place(kind="env", name="FLASHINFER_WORKSPACE_BASE"),
        Place(kind="env", name="TVM_FFI_CACHE_DIR"),
        Place(kind="env", name="TILELANG_CACHE_DIR"),
        Place(kind="env", engine="vllm", name="VLLM_CACHE_ROOT"),
        Place(kind="env", name="XDG_CACHE_HOME"),
    ),
    legal="folders on a mount that the container's user can write, one per image",
    takes="restart",
    measure=("none",),
    several=True,
    interactions=(Interaction(other="execute_model_timeout_s", what="a long compile ends the engine"),),
    effects=(
        Effect(
            what="10 to 30 minutes of compiling after each recreate",
            conditions="two DGX Sparks, cache in the container's own layer",
            source="https://github.com/Reederey87/dgx-spark-2x-deepseek-v4-flash",
            measured=True,
        ),
    ),
    source=("the caches of Triton, PyTorch, FlashInfer, TVM and vLLM; sparkrun sets them itself from 0.3 on"),
)
