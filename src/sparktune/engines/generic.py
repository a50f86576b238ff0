"""Any other server of the OpenAI form: nothing is sent but what OpenAI's own API knows, and nothing is assumed.

Source: the OpenAI API reference, ``stream_options.include_usage``. Comes last in detection and takes every server, so
that the measurement itself, not a guess about routes, decides whether it can be measured.
"""

__all__ = ["ENGINE"]

from collections.abc import Iterable, Mapping

from sparktune.engines import _openai as openai
from sparktune.model.counters import Counters, GaugeSample
from sparktune.model.engine import Answers, Engine, EngineFacts, JsonValue, MetricSample
from sparktune.model.options import SendOptions
from sparktune.units import Nanoseconds


def _detect(answers: Answers) -> EngineFacts | None:
    models = openai.read_models(answers)
    return EngineFacts(
        name="generic",
        models=openai.model_names(models),
        max_model_len=openai.whole(models[0], "max_model_len") if models else None,
        how="no other engine recognised" if models is not None else "no other engine recognised, and no model list",
    )


def _extras(options: SendOptions, cold: bool) -> dict[str, JsonValue]:  # noqa: FBT001 # Engine.body_extras' signature
    del options, cold
    return {"stream_options": openai.stream_options(continuous=False)}


def _counters(samples: Iterable[MetricSample], headers: Mapping[str, str]) -> Counters:
    del samples, headers
    return Counters()


def _gauges(samples: Iterable[MetricSample], at_ns: Nanoseconds) -> GaugeSample:
    del samples
    return GaugeSample(at_ns=at_ns)


ENGINE = Engine(
    name="generic",
    rank=100,
    probe_paths=("/v1/models",),
    detect=_detect,
    body_extras=_extras,
    text_fields=openai.TEXT_FIELDS,
    visible_fields=openai.VISIBLE_FIELDS,
    needs_done=False,
    fixes_length=False,
    metrics_path=None,
    counters=_counters,
    gauges=_gauges,
)
