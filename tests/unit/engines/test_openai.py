"""What the engine files share: odd answers and metrics must come out as "not told", never as a number."""

import pytest

from sparktune.engines import _openai as openai
from sparktune.model.engine import Answer, MetricSample


def _samples(text: str) -> tuple[MetricSample, ...]:
    return openai.parse_exposition(text.encode())


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (7, 7),
        ("7", 7),
        ("None", None),
        (None, None),
        (0, None),
        (-1, None),
        (True, None),
        (7.0, 7),
        (7.5, None),
        (float("nan"), None),
        ("9" * 40, None),
        ([7], None),
    ],
)
def test_whole_takes_positive_numbers_only(value: object, expected: int | None) -> None:
    assert openai.whole({"n": value}, "n") == expected


def test_whole_of_nothing_is_unknown() -> None:
    assert openai.whole(None, "n") is None


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        (b'{"count":7,"max_model_len":9,"tokens":[1]}', 7),
        (b'{"input_tokens":69,"object":"response.input_tokens"}', 69),
        (b'{"tokens":[1,2,3]}', 3),
        (b'{"tokens":[]}', 0),
        (b'{"error":"no"}', None),
        (b'{"count":7.0}', 7),
        (b'{"count":7.5}', None),
        (b'{"count":true}', None),
        (b"[1]", None),
        (b"<html>", None),
    ],
)
def test_token_counts_of_all_forms(body: bytes, expected: int | None) -> None:
    assert openai.count_tokens(body) == expected


@pytest.mark.parametrize(
    "answer",
    [
        Answer(status=503, body=b'{"data":[{"id":"m"}]}'),
        Answer(status=0, error="timed out"),
        Answer(status=200, body=b'{"data":"m"}'),
        Answer(status=200, body=b"<html>"),
        Answer(status=200, body=b'["m"]'),
    ],
)
def test_what_is_no_model_list_is_none(answer: Answer) -> None:
    assert openai.read_models({"/v1/models": answer}) is None


def test_models_without_an_id_are_left_out() -> None:
    models = openai.read_models({"/v1/models": Answer(status=200, body=b'{"data":[{"id":"a"},{},7,{"id":null}]}')})

    assert openai.model_names(models) == ("a",)


def test_headers_have_any_case() -> None:
    answer = Answer(status=200, headers={"SERVER": "llama.cpp"})

    assert openai.header(answer, "Server") == "llama.cpp"
    assert openai.header(None, "Server") == ""


def test_a_broken_line_costs_only_itself() -> None:
    text = "a_total 1\n<html> {oops\nb_total 2\n"

    assert [(sample.name, sample.value) for sample in _samples(text)] == [("a_total", 1.0), ("b_total", 2.0)]


def test_a_total_is_summed_over_engines_and_never_read_from_creation_times() -> None:
    samples = _samples('x_total{engine="0"} 3\nx_total{engine="1"} 4\nx_created{engine="0"} 1.7e9\n')

    assert openai.total(samples, "x_total") == 7.0
    assert openai.total(samples, "y_total", "x_total") == 7.0
    assert openai.total(samples, "x") is None


def test_values_that_are_no_numbers_are_unknown() -> None:
    samples = _samples("x_total NaN\ny +Inf\n")

    assert openai.total(samples, "x_total") is None
    assert openai.highest(samples, "y") is None


def test_labels_pick_one_rank_where_they_are_there() -> None:
    samples = _samples('x{tp_rank="0"} 3\nx{tp_rank="1"} 3\nx 1\n')

    assert openai.total(samples, "x", tp_rank="0") == 4.0


def test_positions_may_be_unordered_missing_and_absurd() -> None:
    """An absurd label must not become a tuple of that length."""
    samples = _samples(
        'p{position="2"} 1\np{position="0",engine="0"} 5\np{position="0",engine="1"} 4\np{position="99999999"} 1\n'
        'p{position="x"} 1\n'
    )

    assert openai.per_position(samples, "p") == (9.0, 0.0, 1.0)
    assert openai.per_position(samples, "q") is None


def test_an_identity_is_the_start_time_or_else_the_creation_times() -> None:
    created = 'x_created{engine="1"} 20\nx_created{engine="0"} 10\n'

    assert openai.start_identity(_samples(created), "x_created") == "10.0 20.0"
    assert openai.start_identity(_samples(created + "process_start_time_seconds 5\n"), "x_created") == "5.0"
    assert openai.start_identity((), "x_created") is None
