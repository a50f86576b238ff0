"""Whether the next step is prepared while one is computed."""

__all__ = ["KNOB"]

from sparktune.model.knob import Effect, Knob, Place

KNOB = Knob(
    id="async_scheduling",
    title="prepare the next step while one runs",
    does=(
        "On by default where it can be; leaving the flag out does not switch it off. Combinations that it does not "
        "support switch it off without an error, in a line of the log."
    ),
    places=(Place(kind="flag", engine="vllm", name="--async-scheduling"),),
    legal="given, --no-async-scheduling, or left to the engine (on since 0.14 where supported)",
    choices=("on", "off", "engine decides"),
    takes="restart",
    measure=("decode_tok_s", "acceptance_length", "output_tok_s"),
    effects=(
        Effect(
            what="with n-gram drafting 70 % of the drafts accepted became 1.2 %",
            conditions="vLLM of that report",
            source="https://github.com/vllm-project/vllm/issues/37150",
            measured=True,
        ),
    ),
    source="vLLM 0.33, config/scheduler.py",
)
