"""``sparktune.yaml``: what it may say, and what a person reads who got it wrong."""

from pathlib import Path

import pytest

from sparktune.errors import ExitCode, UsageError
from sparktune.io.config import find_config, load_config

_GOOD = """\
nodes:
  - spark1
  - {name: spark2, host: me@10.0.0.2}
default_service: spark
services:
  spark:
    endpoint: http://spark.lan:8000/v1
    model: qwen
    api_key_file: keys/spark
  laptop: {endpoint: "localhost:8080"}
workloads:
  short:
    prompt_tokens: [128, 512]
    output_tokens: 64
    depth: 0
    concurrency: [1, 4]
    trials: 3
"""

# file, the line and key that must be named, words of the message, words of the hint
_WRONG = [
    ("servics: {}", ":1: servics: unknown key", "did you mean services?"),
    ("services:\n  a:\n    endpont: x", ":3: services.a.endpont: unknown key", "did you mean endpoint?"),
    ("services:\n  a:\n    endpoint: 5", ":3: services.a.endpoint: Expected str, got int", "write it like"),
    ("services:\n  a:\n    endpoint: 'ftp://x'", ":3: services.a.endpoint: ", "write it like http://localhost:8000"),
    ("services:\n  a:\n    endpoint: 'http://me:pw123@x'", ":3: services.a.endpoint: the server", "SPARKTUNE_API_KEY"),
    ("services:\n  a: {}", ":2: services.a: Object missing required field endpoint", "write it like"),
    ("services:\n  a: {endpoint: x, api_key: s3cret}", ":2: services.a.api_key: unknown key", "api_key_env"),
    ('nodes: [{name: "\\e[31mx", host: a}]', ":1: nodes[0]: '\\x1b[31mx' is no name", "letters, digits"),
    ('nodes: ["sp\\u202eark"]', ":1: nodes[0]: 'sp\\u202eark' is no name", "letters, digits"),
    ('services:\n  "a\\e]0;": {endpoint: x}', ":1: services: 'a\\x1b]0;' is no name", "letters, digits"),
    ("nodes: [a]\nnodes: [b]", ":2: no YAML: found duplicate key", "take one of the two out"),
    ("nodes:\n\t- a", ":2: no YAML: found character", "replace the tabs"),
    ("nodes: [*n]", ":1: no YAML: found undefined alias", "write the anchor"),
    ("nodes: !!python/object:os.x {}", ":1: no YAML: could not determine a constructor", "take the tag"),
    ("services: [1]", ":1: services: names and their values", "NAME: VALUE"),
    ("- services", ": names and their values", "NAME: VALUE"),
    (
        "default_service: b\nservices:\n  a: {endpoint: x}",
        ":1: default_service: there is no service 'b'",
        "known here: a",
    ),
    ("default_service: [b]", ":1: default_service: there is no service ['b']", "none"),
    (
        "workloads:\n  w:\n    output_tokens: 1\n    prompt_tokens:\n    - 5\n    - many",
        ":6: workloads.w.prompt_tokens[1]: Expected int, got str",
        "prompt_tokens: [512, 2048]",
    ),
    (
        "workloads:\n  w: {prompt_tokens: [0], output_tokens: 1}",
        ":2: workloads.w.prompt_tokens[0]: Expected int >= 1",
        "",
    ),
    ("workloads:\n  w: {prompt_tokens: [], output_tokens: 1}", ":2: workloads.w.prompt_tokens: Expected array of", ""),
    (
        "workloads:\n  w: {prompt_tokens: 5, output_tokens: 1, trials: 0}",
        ":2: workloads.w.trials: Expected int >= 1",
        "",
    ),
    ("nodes: spark1", ":1: nodes: a list of nodes is wanted", "[spark1, {name: spark2"),
    ("nodes:\n- a\n- {nam: b}", ":3: nodes[1].nam: unknown key", "did you mean name?"),
    ("nodes:\n- a\n- {host: b}", ":3: nodes[1]: Object missing required field name", "write it like"),
    ("nodes: [5]", ":1: nodes[0]: Expected object, got int", "write it like"),
    ("nodes: [a, {name: a}]", ":1: nodes[1]: the name 'a' is taken already", "its own name"),
    ("nodes: ['']", ":1: nodes[0].name: Expected str of length >= 1", ""),
    ("services: [", ":1: no YAML: ", "indentation"),
    ("services: {}\nservices: {}", ":2: no YAML: ", ""),
]


def _write(folder: Path, text: str) -> Path:
    path = folder / "sparktune.yaml"
    path.write_text(text)
    return path


def test_everything_that_may_be_said(tmp_path: Path) -> None:
    config = load_config(_write(tmp_path, _GOOD))

    assert [(node.name, node.host) for node in config.nodes] == [("spark1", None), ("spark2", "me@10.0.0.2")]
    spark = config.service()
    assert (spark.endpoint, spark.model) == ("http://spark.lan:8000/v1", "qwen")
    assert config.key_file(spark) == tmp_path / "keys/spark"
    assert config.service("laptop").endpoint == "localhost:8080"
    assert config.key_file(config.service("laptop")) is None
    short = config.workload("short")
    assert (short.prompt_tokens, short.output_tokens, short.depth) == ((128, 512), (64,), (0,))
    assert (short.concurrency, short.trials) == ((1, 4), 3)


@pytest.mark.parametrize(("text", "message", "hint"), _WRONG)
def test_what_is_wrong_is_named_with_its_place(tmp_path: Path, text: str, message: str, hint: str) -> None:
    path = _write(tmp_path, text)
    with pytest.raises(UsageError) as caught:
        load_config(path)

    assert str(caught.value).startswith(f"{path}{message}")
    assert hint in caught.value.hint
    assert caught.value.exit_code == ExitCode.USAGE
    assert "\n" not in str(caught.value)
    assert "s3cret" not in str(caught.value) + caught.value.hint
    assert "pw123" not in str(caught.value) + caught.value.hint


@pytest.mark.parametrize("text", ["", "# nothing yet\n", "services:\n"])
def test_an_empty_file_names_nothing(tmp_path: Path, text: str) -> None:
    config = load_config(_write(tmp_path, text))

    with pytest.raises(UsageError, match="names 0 services"):
        config.service()


def test_the_only_service_needs_no_name(tmp_path: Path) -> None:
    config = load_config(_write(tmp_path, "services: {a: {endpoint: x}}"))

    assert config.service().endpoint == "x"


def test_unknown_names_offer_the_nearest(tmp_path: Path) -> None:
    config = load_config(_write(tmp_path, _GOOD))

    with pytest.raises(UsageError, match="no service 'sparc'") as service:
        config.service("sparc")
    with pytest.raises(UsageError, match="no workload 'shrt'") as workload:
        config.workload("shrt")
    assert "did you mean spark?" in service.value.hint
    assert "did you mean short?" in workload.value.hint


def test_found_upward(tmp_path: Path) -> None:
    path = _write(tmp_path, _GOOD)
    below = tmp_path / "a" / "b"
    below.mkdir(parents=True)

    assert find_config(below) == path.resolve()


@pytest.mark.parametrize("data", [b"\xff\xfe", b"a: \x00"])
def test_a_file_that_is_no_text(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "sparktune.yaml"
    path.write_bytes(data)

    with pytest.raises(UsageError):
        load_config(path)


@pytest.mark.parametrize("text", ["[" * 3_000, "".join(f"{' ' * depth}a:\n" for depth in range(1_200))])
def test_a_file_that_nests_without_end(tmp_path: Path, text: str) -> None:
    """Python gives up on it with an error that names no file."""
    path = tmp_path / "sparktune.yaml"
    path.write_text(text)

    with pytest.raises(UsageError, match=r"sparktune\.yaml: no YAML that can be read: it is nested too deep"):
        load_config(path)


_MERGES = "a0: &a0 {k: v}\n" + "".join(
    f"a{place}: &a{place}\n  <<: [{', '.join([f'*a{place - 1}'] * 10)}]\n  k{place}: v\n" for place in range(1, 9)
)
_LISTS = "a0: &a0 [x]\n" + "".join(
    f"a{place}: &a{place} [{', '.join([f'*a{place - 1}'] * 10)}]\n" for place in range(1, 9)
)


def test_the_hint_shows_the_key_that_is_wrong(tmp_path: Path) -> None:
    path = tmp_path / "sparktune.yaml"
    path.write_text("services:\n  v: {endpoint: 'http://x/v1', launcher: compose, where: 'spark1:/srv/c.yaml:vllm'}\n")

    with pytest.raises(UsageError, match=r"services\.v\.where") as caught:
        load_config(path)
    assert "where: [{node: spark1" in caught.value.hint


@pytest.mark.parametrize("text", ["a: &a {<<: *a, b: 1}", "a: &a\n  <<: [*a]\n", "? [a]\n: b\n", "? {a: b}\n: c\n"])
def test_a_file_that_the_parser_does_not_expect(tmp_path: Path, text: str) -> None:
    path = tmp_path / "sparktune.yaml"
    path.write_text(text)

    with pytest.raises(UsageError, match=r"sparktune\.yaml"):
        load_config(path)


@pytest.mark.timeout(30)
@pytest.mark.parametrize("text", [_MERGES, _LISTS], ids=["merges", "lists"])
def test_a_kilobyte_that_stands_for_a_hundred_million_values(tmp_path: Path, text: str) -> None:
    """Reading it as YAML would take hours, before anybody looks at a value."""
    path = tmp_path / "sparktune.yaml"
    path.write_text(text)

    with pytest.raises(UsageError, match="its aliases stand for more than 100000 values") as caught:
        load_config(path)
    assert "instead of repeating aliases" in caught.value.hint


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be read: No such file"):
        load_config(tmp_path / "none.yaml")
