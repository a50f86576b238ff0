"""How draft tokens are drawn."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Interaction, Knob, Place

KNOB = Knob(
    id="draft_sample_method",
    title="how drafts are drawn",
    does=(
        "Greedy drafts are the likeliest tokens; probabilistic ones are drawn as the model draws, which is "
        "accepted more often when answers are sampled."
    ),
    places=(
        Place(
            kind="flag",
            engine="vllm",
            name="--speculative-config.draft_sample_method",
            versions="some methods",
        ),
        Place(kind="recipe", engine="vllm", name="speculative_config.draft_sample_method"),
    ),
    legal="greedy or probabilistic",
    choices=("greedy", "probabilistic"),
    takes="restart",
    measure=("acceptance_length", "decode_tok_s"),
    interactions=(
        Interaction(other="num_speculative_tokens", what="how many are drawn"),
        Interaction(other="temperature", what="what is compared with the drafts"),
    ),
    effects=(
        Effect(
            what="named as a second dimension of the draft depth",
            conditions="two DGX Sparks",
            source="https://github.com/MiaAI-Lab/DeepSeek-v4-Flash-DSpark-2x-DGX-Spark/issues/84",
            measured=False,
        ),
    ),
    source="vLLM 0.33, config/speculative.py",
)
