"""Files that belong together, as one view: variables filled in where they are, and every value with its place."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.support.shared import shared

from sparktune.deploy.settings.view import view_of
from sparktune.formats.kinds import all_formats, read_text
from sparktune.model.document import Document
from sparktune.model.lint import Part
from sparktune.model.setting import Value


def _document(name: str, text: str) -> Document:
    return read_text(name, text)


def _one(*documents: Document, variables: Mapping[str, str] | None = None) -> Part:
    (part,) = view_of(documents, variables=variables).parts
    return part


def _environment(part: Part) -> dict[str, Value]:
    return {name: setting.value for name, setting in part.environment.items()}


def _shared(path: Path) -> Document:
    return read_text(path.name, path.read_text())


_COMPOSE = """\
services:
  vllm:
    image: vllm/vllm-openai:${TAG:-latest}
    env_file: [a.env, b.env]
    environment:
      ONE: "${X:-}"
      TWO: from-compose
      THREE:
      FOUR:
    command: >-
      --model M --max-num-seqs ${SEQS:-6} ${MORE}
      --speculative-config '{"method": "mtp", "num_speculative_tokens": ${K}}'
"""


def test_a_compose_file_with_its_files_of_variables() -> None:
    part = _one(
        _document("docker-compose.yml", _COMPOSE),
        _document(".env", "K=3\nMORE=--enforce-eager -tp 2\nTHREE=here\nSEQS=4\n"),
        _document("conf/a.env", "TWO=from-a\nA=${K}\nKEY=1\n"),
        _document("conf/b.env", "A=b\nAPI_TOKEN=verysecret\n"),
        variables={"SEQS": "12"},
    )

    assert (part.name, part.engine, part.image) == ("vllm", "vllm", "vllm/vllm-openai:latest")
    assert {key: one.value for key, one in part.settings.items() if not key.startswith(("env.", "key."))} == {
        "model": "M",
        "max_num_seqs": 12,
        "enforce_eager": True,
        "tensor_parallel_size": 2,
        "speculative_config.method": "mtp",
        "speculative_config.num_speculative_tokens": 3,
    }
    assert _environment(part) == {
        "ONE": "",
        "TWO": "from-compose",
        "THREE": "here",
        "A": "b",
        "KEY": "***",
        "API_TOKEN": "***",
    }
    assert "verysecret" not in repr(part.settings)
    places = {name: (one.origin.place, one.origin.line) for name, one in part.environment.items()}
    assert (places["A"], places["TWO"]) == (("conf/b.env", 1), ("docker-compose.yml", 7))
    assert part.settings["max_num_seqs"].origin.line == 11


def test_a_shell_in_a_container_fills_in_what_it_knows() -> None:
    text = (
        "services:\n  v:\n    image: x/vllm\n    environment: {SEQS: '8'}\n    command: >-\n"
        "      bash -c 'exec vllm serve M --max-num-seqs $${SEQS} --port $${PORT:-8000} --seed $${UNKNOWN}'\n"
    )

    part = _one(_document("compose.yaml", text))

    found = {key: one.value for key, one in part.settings.items() if not key.startswith(("env.", "key."))}
    assert found == {"model": "M", "max_num_seqs": 8, "port": 8000, "seed": "${UNKNOWN}"}
    assert part.command is not None
    assert part.written is not None
    assert "${SEQS}" in part.written.words[4].text


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ("${A:-x y}", ["4"]),
        ("${NO:-x y}", ["x", "y"]),
        ('${NO:-"x y"}', ["x y"]),
        ('"${A}${EMPTY}z"', ["4z"]),
        ("'$A'", ["$A"]),
        ("${EMPTY}", []),
        ('"${EMPTY}"', [""]),
        ("$((A + EMPTY))", ["4"]),
        ("${UNKNOWN}", ["${UNKNOWN}"]),
        ("$(nproc)", ["$(nproc)"]),
        ("{\\}", ["{}"]),
    ],
)
def test_words_as_a_shell_makes_them(written: str, words: list[str]) -> None:
    part = _one(_document("serve.sh", f"vllm serve M {written} --port 1\n"), variables={"A": "4", "EMPTY": ""})

    assert part.command is not None
    assert [word.text for word in part.command.words[3:-2]] == words


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("$$(( SEQS * (K + 1) ))", 48),
        ("$$((SEQS*(${SEQS}+1)/8))", 9),
        ("$$(( 7 - 10 % 4 ))", 5),
        ("$$(( SEQS * UNKNOWN ))", "$(( SEQS * UNKNOWN ))"),
        ("$$(( SEQS / 0 ))", "$(( SEQS / 0 ))"),
        ("$$(( 1 +", ""),
        ("$$(nproc)", "$(nproc)"),
    ],
)
def test_a_shell_counts(written: str, value: Value) -> None:
    text = (
        "services:\n  v:\n    image: x/vllm\n    environment: {SEQS: '8', K: 5}\n    entrypoint: [bash, -c]\n"
        f"    command:\n      - |\n        vllm serve M --max-cudagraph-capture-size {written} --port 1\n"
    )

    documents = [_document("compose.yaml", text)]

    if written.count("(") == written.count(")"):
        assert _one(*documents, variables={"SEQS": "8"}).settings["max_cudagraph_capture_size"].value == value
    else:
        view_of(documents)


def test_a_list_is_not_split_at_blanks() -> None:
    items = "".join(f"      - {word}\n" for word in ("vllm", "serve", "${M}", "--host", "${H}"))
    text = f"services:\n  v:\n    image: vllm\n    command:\n{items}"

    part = _one(_document("compose.yaml", text), variables={"M": "a model", "H": ""})

    assert (part.settings["model"].value, part.settings["host"].value) == ("a model", "")


def test_a_unit_with_its_file_and_a_drop_in() -> None:
    unit = (
        "[Service]\nEnvironment=LLAMA_ARG_CTX_SIZE=1024 LLAMA_ARG_PORT=1\nEnvironmentFile=-/etc/default/llama\n"
        "ExecStart=/usr/bin/llama-server -np 4 $OPTS --alias ${NAME}\n"
    )
    file = "LLAMA_ARG_CTX_SIZE=4096\nOPTS=--no-mmap -ub 2048\nNAME=a b\n"

    part = _one(_document("llama.service", unit), _document("/etc/default/llama", file))

    found = {key: one.value for key, one in part.settings.items() if not key.startswith(("env.", "key."))}
    assert found == {"parallel": 4, "mmap": False, "ubatch_size": 2048, "alias": "a b", "ctx_size": 4096, "port": 1}


def test_a_drop_in_counts_more_than_its_unit() -> None:
    unit = "[Service]\nEnvironment=A=1 B=2\nUser=x\nExecStart=/usr/bin/llama-server -np 4\n"
    first = "[Service]\nEnvironment=A=0\nExecStart=\nExecStart=/usr/bin/llama-server -np 8 -c ${B}\n"
    second = "[Service]\nEnvironment=A=3\nUser=y\n"

    part = _one(
        _document("llama.service.d/20-b.conf", second),
        _document("etc/llama.service", unit),
        _document("llama.service.d/10-a.conf", first),
    )

    assert (part.settings["parallel"].value, part.settings["ctx_size"].value) == (8, 2)
    assert part.settings["parallel"].origin.place == "llama.service.d/10-a.conf"
    assert _environment(part) == {"A": "3", "B": "2"}
    assert part.settings["key.User"].value == "y"


def test_an_override_is_laid_over_its_compose_file() -> None:
    base = "services:\n  v:\n    image: vllm\n    environment: {A: '1', B: '2'}\n    command: vllm serve M --port 1\n"
    over = "services:\n  v:\n    environment: [A=3]\n    shm_size: 8gb\n"

    part = _one(_document("x/compose.override.yml", over), _document("x/compose.yaml", base))

    assert _environment(part) == {"A": "3", "B": "2"}
    assert part.settings["port"].value == 1
    assert part.settings["key.shm_size"].origin.place == "x/compose.override.yml"


def test_files_of_several_nodes_stay_apart() -> None:
    text = "services:\n  v:\n    image: vllm\n    command: vllm serve M\n"

    view = view_of([_document("head.yaml", text), _document("worker.yaml", text)])

    assert [part.document.name for part in view.parts] == ["head.yaml", "worker.yaml"]


def test_docker_run_reads_its_file_of_variables_without_quotes() -> None:
    script = "docker run -e A=1 --env-file x.env vllm/vllm-openai --model M -tp 2\n"

    part = _one(_document("run.sh", script), _document("x.env", 'A=0\nB="q"\n'))

    assert (part.engine, part.image) == ("vllm", "vllm/vllm-openai")
    assert _environment(part) == {"A": "1", "B": '"q"'}
    assert part.settings["tensor_parallel_size"].value == 2


def test_a_recipe_is_rendered_and_its_values_are_where_the_defaults_are() -> None:
    part = _one(_shared(shared("cases/22-recipe-jit-cache-root-owned/recipe.yaml")))

    assert part.engine == "vllm"
    assert part.settings["max_cudagraph_capture_size"].value == 8
    assert part.settings["max_cudagraph_capture_size"].origin.line == 12
    assert part.settings["attention_backend"].value == "{attn}"
    assert part.settings["speculative_config.num_speculative_tokens"].value == 5
    assert part.environment["TRITON_CACHE_DIR"].value == "/cache/jit/triton"


def test_case_11_fills_the_pinned_index_in_from_its_file() -> None:
    folder = shared("cases/11-gid-table-drifted-index3-empty")

    part = _one(_shared(folder / "compose_excerpt.yaml"), _shared(folder / "env.canary128"))

    assert _environment(part) == {"NCCL_IB_GID_INDEX": "3"}


def test_case_13_has_five_empty_variables() -> None:
    part = _one(_shared(shared("cases/13-empty-string-is-not-unset/docker-compose.yml")))

    assert set(_environment(part).values()) == {""}
    assert len(part.environment) == 5
    assert part.settings["gpu_memory_utilization"].value == 0.9


def test_what_is_dropped_is_told() -> None:
    text = 'vllm serve M --speculative-config \'{"method":"mtp"}\' --speculative-config.num_speculative_tokens 5\n'

    part = _one(_document("serve.sh", text))

    assert [one.setting.key for one in part.dropped] == ["speculative_config.method"]


def test_a_service_of_no_engine_is_a_part_without_one() -> None:
    text = "services:\n  db:\n    image: postgres:17\n    command: postgres -c fsync=off\n"

    part = _one(_document("compose.yaml", text))

    assert part.engine == ""
    assert part.settings["key.image"].value == "postgres:17"


_PIECES = st.sampled_from((*"abcMN ={}[]$:-'\"\n\\#&*|>,!/.0159", "services:", "command: ", "vllm serve ", "model: "))
_TEXTS = st.lists(_PIECES, max_size=60).map("".join)


@settings(max_examples=200, deadline=None)
@given(name=st.sampled_from(["compose.yaml", ".env", "x.service", "r.yaml", "serve.sh"]), text=_TEXTS)
def test_whatever_can_be_read_is_viewed(name: str, text: str) -> None:
    for one in all_formats():
        try:
            document = one.read(name, text)
        except ValueError:
            continue
        for part in view_of([document]).parts:
            assert part.document is document
            assert all(setting.key == key for key, setting in part.settings.items())
            assert max((setting.origin.line for setting in part.settings.values()), default=0) <= text.count("\n") + 1


_HIDDEN = "sk-verysecretindeed"
_OF_SERVICE = f"services:\n  v:\n    image: vllm\n    environment: {{MY_TOKEN: {_HIDDEN}, LLAMA_API_KEY: {_HIDDEN}}}\n"


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("serve.sh", f"vllm serve M --api-key {_HIDDEN}\n"),
        ("serve.sh", f"export MY_KEY={_HIDDEN}\nllama-server --hf-token hf_verysecretindeed\n"),
        ("compose.yaml", f"{_OF_SERVICE}    command: vllm serve M --api-key {_HIDDEN} --port 1\n"),
        ("compose.yaml", f"{_OF_SERVICE}    command: [vllm, serve, M, --api-key, {_HIDDEN}]\n"),
        ("r.yaml", f"model: m\nruntime: vllm\nenv: {{HF_TOKEN: {_HIDDEN}}}\ndefaults: {{api_key: {_HIDDEN}}}\n"),
        (
            "x.service",
            f"[Service]\nEnvironment=LLAMA_API_KEY={_HIDDEN}\nExecStart=/bin/llama-server --api-key {_HIDDEN}\n",
        ),
    ],
)
def test_no_secret_is_in_any_setting(name: str, text: str) -> None:
    part = _one(_document(name, text))

    assert part.settings
    assert "verysecret" not in repr((part.settings, part.environment, part.keys, part.dropped))
