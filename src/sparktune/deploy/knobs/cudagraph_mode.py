"""Whether whole steps or pieces of them are captured."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="cudagraph_mode",
    title="which graphs are captured",
    does="FULL captures a whole step, PIECEWISE leaves attention out; both together use what fits.",
    places=(
        Place(kind="flag", engine="vllm", name="--compilation-config.cudagraph_mode"),
        Place(kind="recipe", engine="vllm", name="compilation_config.cudagraph_mode"),
    ),
    legal="NONE, PIECEWISE, FULL, FULL_DECODE_ONLY, FULL_AND_PIECEWISE",
    choices=("NONE", "PIECEWISE", "FULL", "FULL_DECODE_ONLY", "FULL_AND_PIECEWISE"),
    takes="restart",
    measure=("decode_tok_s", "output_tok_s"),
    quality=True,
    interactions=(Interaction(other="max_cudagraph_capture_size", what="how far the graphs reach"),),
    effects=(
        Effect(
            what="full graphs with multi-token prediction corrupted output without an error",
            conditions="vLLM 0.27.1",
            source="https://github.com/Blackwellboy/model-serving-minefield",
            measured=False,
        ),
    ),
    source="vLLM 0.33, config/compilation.py",
)
