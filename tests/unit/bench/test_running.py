"""How many requests a server runs is read from few lines of its metrics, and is the same as from all of them."""

import pytest

from sparktune.bench.exposition import parse_exposition
from sparktune.bench.running import running_now
from sparktune.engines import all_engines, generic
from sparktune.model.engine import Engine
from sparktune.model.raw import Scrape

_TOLD = {
    "vllm": b'# TYPE vllm:num_requests_running gauge\nvllm:num_requests_running{engine="0",model_name="m"} 3.0\n',
    "llamacpp": b"# TYPE llamacpp:requests_processing gauge\nllamacpp:requests_processing 2\n",
    "sglang": b'# TYPE sglang:num_running_reqs gauge\nsglang:num_running_reqs{model_name="m",tp_rank="0"} 4.0\n',
}
_ELSE = b'# TYPE vllm:prompt_tokens_total counter\nvllm:prompt_tokens_total{model_name="m"} 7.0\n'


@pytest.mark.parametrize("name", _TOLD)
def test_few_lines_tell_what_all_of_them_tell(name: str) -> None:
    engine = next(engine for engine in all_engines() if engine.name == name)
    body = _ELSE + _TOLD[name] + _ELSE
    whole = engine.gauges(parse_exposition(body), 1).running

    assert running_now(engine, Scrape(at_ns=1, body=body)) == whole
    assert whole, "an engine whose count is not read would never see a foreign request"
    assert running_now(engine, Scrape(at_ns=1, body=_ELSE)) is None


@pytest.mark.parametrize("engine", [generic.ENGINE])
def test_an_engine_that_does_not_tell_is_not_taken_to_run_nothing(engine: Engine) -> None:
    assert running_now(engine, Scrape(at_ns=1, body=_TOLD["vllm"])) is None
