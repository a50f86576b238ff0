"""The routes beside generation: models, tokenizer, metrics, control; and the process around them."""

import signal
import subprocess
import sys

import pytest
from prometheus_client.parser import text_string_to_metric_families
from tests.support.exchange import ask, chat

from sparktune.errors import UsageError
from sparktune.io.reference.knobs import Knobs
from sparktune.io.reference.process import ReferenceProcess


def _metrics(reference: ReferenceProcess) -> dict[str, float]:
    text = ask(reference, "GET", "/metrics").body.decode()
    samples = [sample for family in text_string_to_metric_families(text) for sample in family.samples]
    return {sample.name + sample.labels.get("position", ""): sample.value for sample in samples}


def test_generic_server_shows_nothing_of_vllm(reference: ReferenceProcess) -> None:
    assert [ask(reference, "GET", path).status for path in ("/version", "/metrics")] == [404, 404]
    assert "max_model_len" not in ask(reference, "GET", "/v1/models").json["data"][0]


def test_vllm_surfaces(reference: ReferenceProcess) -> None:
    reference.configure(engine="vllm", models=["a", "b"], max_model_len=4096)
    models = ask(reference, "GET", "/v1/models").json["data"]

    assert ask(reference, "GET", "/version").json["version"].startswith("0.33.0")
    assert [(model["id"], model["max_model_len"]) for model in models] == [("a", 4096), ("b", 4096)]


def test_counters_rise_by_what_was_served(reference: ReferenceProcess) -> None:
    reference.configure(engine="vllm", tpc=3, spec_k=4, prefix_cache=True, itl_ms=0)
    prompt = " ".join(map(str, range(25)))
    before = _metrics(reference)
    for _ in range(2):
        chat(reference, prompt=prompt, max_tokens=6)
    after = _metrics(reference)
    rise = {name: value - before[name] for name, value in after.items() if name in before}

    assert rise["vllm:prompt_tokens_total"] == 64
    assert rise["vllm:prefix_cache_queries_total"] == 64
    assert rise["vllm:prefix_cache_hits_total"] == 16
    assert rise["vllm:generation_tokens_total"] == 12
    assert rise["vllm:spec_decode_num_drafts_total"] == 4
    assert rise["vllm:spec_decode_num_draft_tokens_total"] == 16
    assert rise["vllm:spec_decode_num_accepted_tokens_total"] == 8
    positions = [after[f"vllm:spec_decode_num_accepted_tokens_per_pos_total{position}"] for position in range(4)]
    assert positions == [4, 4, 0, 0]


def test_foreign_traffic_shows_in_the_counters(reference: ReferenceProcess) -> None:
    reference.configure(engine="vllm", foreign=100, itl_ms=0)
    chat(reference, max_tokens=6)
    metrics = _metrics(reference)

    assert metrics["vllm:prompt_tokens_total"] == 110
    assert metrics["vllm:generation_tokens_total"] == 106


@pytest.mark.parametrize(
    ("knob", "method", "path"), [("no_metrics", "GET", "/metrics"), ("no_tokenize", "POST", "/tokenize")]
)
def test_surfaces_can_be_missing(reference: ReferenceProcess, knob: str, method: str, path: str) -> None:
    reference.configure(engine="vllm", **{knob: True})

    assert ask(reference, method, path, {"prompt": "x"} if method == "POST" else None).status == 404


@pytest.mark.parametrize(
    "body", [{"prompt": "one two three"}, {"messages": [{"role": "user", "content": "one two three"}]}]
)
def test_tokenizer_agrees_with_usage(reference: ReferenceProcess, body: dict[str, object]) -> None:
    counted = ask(reference, "POST", "/tokenize", body).json
    path = "/v1/completions" if "prompt" in body else "/v1/chat/completions"
    usage = ask(reference, "POST", path, {**body, "max_tokens": 1}).json["usage"]

    assert counted["count"] == usage["prompt_tokens"]
    text = ask(reference, "POST", "/detokenize", {"tokens": counted["tokens"]}).json["prompt"]
    assert text.endswith("one two three")


@pytest.mark.parametrize(
    ("path", "body"), [("/tokenize", {}), ("/tokenize", {"prompt": 3}), ("/detokenize", {"tokens": [-1]})]
)
def test_tokenizer_refusals(reference: ReferenceProcess, path: str, body: dict[str, object]) -> None:
    assert ask(reference, "POST", path, body).status == 400


def test_bad_knob_is_refused_and_changes_nothing(reference: ReferenceProcess) -> None:
    before = ask(reference, "GET", "/__cfg").json
    reply = ask(reference, "POST", "/__cfg", {"ttft_ms": 5, "tpcx": 3})

    assert (reply.status, "tpcx" in reply.json["error"]) == (400, True)
    assert ask(reference, "GET", "/__cfg").json == before
    with pytest.raises(UsageError, match="tpcx"):
        reference.configure(tpcx=3)


def test_log_is_drained_once(reference: ReferenceProcess) -> None:
    chat(reference, max_tokens=1)

    assert [len(reference.drain_log()), len(reference.drain_log())] == [1, 0]


def test_own_process_ends_with_its_block() -> None:
    with ReferenceProcess(Knobs(ttft_ms=1)) as process:
        assert chat(process, max_tokens=1).status == 200
    process.stop()

    assert process.knobs == Knobs(ttft_ms=1)


@pytest.mark.parametrize("how", ["stdin", "term", "int"])
def test_process_ends_cleanly(how: str) -> None:
    """A server that outlives its parent would hold the machine's cores."""
    argv = [sys.executable, "-m", "sparktune.io.reference", "--exit-with-stdin", "--ttft-ms", "5"]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        assert b'"port"' in child.stdout.readline()
        if how == "stdin":
            assert child.stdin is not None
            child.stdin.close()
        else:
            child.send_signal(signal.SIGTERM if how == "term" else signal.SIGINT)

        assert child.wait(20) == 0


def test_command_line_refuses_a_bad_knob() -> None:
    argv = [sys.executable, "-m", "sparktune.io.reference", "--tpc", "none"]
    done = subprocess.run(argv, capture_output=True, text=True, timeout=20, check=False)

    assert done.returncode == 2
    assert "tpc" in done.stderr
