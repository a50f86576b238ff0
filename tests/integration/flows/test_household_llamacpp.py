"""A household against a real llama.cpp server: its template is counted, and turns find what was sent before them."""

import asyncio
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from tests.support.cli import run_sparktune

from sparktune.bench.cells import make_household
from sparktune.flows.bench.prepare import Preparation
from sparktune.io.corpus import python_corpus
from sparktune.io.demo_server import DemoServer
from sparktune.io.http.server import Server
from sparktune.model.cell import Cell
from sparktune.model.options import Api, SendOptions
from sparktune.model.trial import Phase


@pytest.mark.parametrize("api", Api)
async def test_turns_have_the_asked_lengths_and_repeat_what_was_sent(llama_server: DemoServer, api: Api) -> None:
    # The tiny model's tokenizer falls back to bytes: a nonce alone has 60 tokens.
    mix = replace(make_household(0.05), opening_tokens=200, turn_tokens=200, long_tokens=400)
    async with Server(llama_server.base_url) as server:
        engine, facts = await server.wait_ready(limit_s=60)
        preparation = Preparation(server, engine, SendOptions(model=facts.models[0], api=api), python_corpus())
        wave = await preparation.wave(Cell.of_household(mix), key=f"{api}", phase=Phase.MEASURE, index=0)
        usages = []
        for request in wave.requests:
            body = msgspec.json.decode(request.body)
            del body["stream"], body["stream_options"]
            usages.append(await server.usage_of(api, msgspec.json.encode({**body, "max_tokens": 1})))
            await asyncio.sleep(0)

    assert (wave.residual, wave.counted_by) == (0, "tokenizer")
    asked = [*(mix.prompt_tokens(turn) for turn in range(mix.turns)), mix.long_tokens]
    assert [usage.prompt_tokens for usage in usages] == asked
    # Of the turn before it, all but the end of its last message, where the template lets the answer begin.
    for before, usage in zip(asked, usages[1 : mix.turns], strict=False):
        assert usage.cached_tokens is not None
        assert usage.cached_tokens >= before - 20
    assert usages[-1].cached_tokens is not None
    assert usages[-1].cached_tokens < 40


def test_a_household_of_sparktune_yaml_is_measured(
    llama_server: DemoServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every number of both agents is known for a real engine; how fast the tiny model is does not matter."""
    sizes = "opening_tokens: 200, turn_tokens: 200, reply_tokens: 64, long_tokens: 400"
    (tmp_path / "sparktune.yaml").write_text(f"workloads: {{evening: {{household: {{scale: 0.05, {sizes}}}}}}}\n")
    monkeypatch.chdir(tmp_path)
    flags = ("--workload", "evening", "--trials", "2", "--warmup", "1", "--quiet", "--json")
    done = run_sparktune("bench", llama_server.base_url, *flags)
    metrics = done.cell["metrics"]

    assert done.cell["name"] == "household 200+4x200 tg64 / pp400 tg8"
    assert done.cell["failures"] == {}
    assert len(metrics["turn_ttft_s"]["by_position"]) == 4
    known = ("ttft_max_s", "ttft_mean_s", "decode_min_tok_s", "long_ttft_s", "decode_before_tok_s", "wave_s")
    whys = {name: metrics[name]["why"] for name in known if metrics[name]["median"] is None}
    # A busy machine may read 64 tokens of so small a model at once: that is no rate, and said to be none.
    assert [why for why in whys.values() if "one instant" not in why and "nothing was written" not in why] == []
    statuses = {check["id"]: check["status"] for check in done.cell["checks"]}
    assert [statuses[name] for name in ("V06", "V19")] == ["ok", "ok"]
