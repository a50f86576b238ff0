"""How long a model thinks before it answers."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Knob, Place

KNOB = Knob(
    id="reasoning_effort",
    title="how long the model thinks",
    does=(
        "A model's chat template takes it; words that the template does not know collapse into others. It changes "
        "how much is written, so no speed is comparable across values."
    ),
    places=(
        Place(kind="request", name="reasoning_effort"),
        Place(kind="flag", engine="vllm", name="--default-chat-template-kwargs.reasoning_effort"),
        Place(kind="request", name="chat_template_kwargs.reasoning_effort"),
    ),
    legal="what the model's template knows: low, medium, high, max ...",
    takes="live",
    measure=("output_tokens", "e2e_s"),
    quality=True,
    effects=(
        Effect(
            what="high answered a tool test better than max",
            conditions="two GB10 machines, one run",
            source="a public forum article of an owner of two GB10 machines",
            measured=False,
        ),
    ),
    source="vLLM 0.33, serve arguments; the model's chat template",
)
