"""How freely tokens are drawn."""

__all__ = ["KNOB"]

from sparktune.model.knob import Interaction, Knob, Place

KNOB = Knob(
    id="temperature",
    title="how freely tokens are drawn",
    does=(
        "It changes answers, and with speculative decoding the speed: greedy answers accept more drafts. Without "
        "one in the request the server takes the model's own."
    ),
    places=(
        Place(kind="request", name="temperature"),
        Place(kind="flag", engine="vllm", name="--override-generation-config.temperature"),
        Place(kind="flag", engine="llamacpp", name="--temp"),
    ),
    legal="a number from 0; the model's generation_config.json says the default",
    least=0,
    takes="live",
    measure=("acceptance_length", "decode_tok_s"),
    quality=True,
    interactions=(Interaction(other="num_speculative_tokens", what="what one more draft is worth hangs on it"),),
    source="OpenAI chat API; vLLM 0.33, --generation-config",
)
