"""What every page of an experiment has to hold to, whatever was measured."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser

import pytest
from tests.support import reported
from tests.support.page_words import unbound

from sparktune.experiment.design import Arm
from sparktune.report.experiment.html import LIMIT, experiment_page
from sparktune.report.experiment.markdown import experiment_markdown
from sparktune.report.experiment.material import Material
from sparktune.report.experiment.words import stamp
from sparktune.report.page.parts import Column, lead, table

_MAKERS = (
    reported.decided,
    reported.fairness,
    reported.invalid,
    reported.anecdote,
    reported.empty,
    reported.stopped,
    reported.aa,
)
_VOID = frozenset({"br", "meta", "link", "hr", "col"})


class _Checked(HTMLParser):
    """Collects elements; a tag that closes another one than the last open one is a fault."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.faults: list[str] = []
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.words: list[str] = []
        self.record = ""
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        if tag not in _VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        if not self.open or self.open.pop() != tag:
            self.faults.append(tag)

    def handle_data(self, data: str) -> None:
        if self.open[-1:] == ["script"]:
            self.record += data
        elif self.open[-1:] != ["style"]:
            self.words.append(data)


@pytest.fixture(params=_MAKERS, ids=lambda make: str(make.__name__))
def material(request: pytest.FixtureRequest) -> Material:
    make: Callable[[], Material] = request.param
    return make()


def test_a_page_is_well_formed_and_small(material: Material) -> None:
    text = experiment_page(material)
    page = _Checked(text)

    assert not page.faults
    assert not page.open
    assert len(text.encode()) <= LIMIT


def test_200_cells_and_8_blocks_fit(material_of_200: str) -> None:
    """A page that a forum refuses is not shared."""
    assert len(material_of_200.encode()) <= LIMIT
    assert not _Checked(material_of_200).faults


@pytest.fixture(scope="module")
def material_of_200() -> str:
    return experiment_page(reported.huge())


def test_what_does_not_fit_is_said_to_be_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing goes missing in silence."""
    monkeypatch.setattr("sparktune.report.experiment.html.LIMIT", 10_000)

    page = _Checked(experiment_page(reported.decided()))

    assert "Too many trials" in " ".join(page.words)
    assert json.loads(page.record)["left_out"].startswith("block_results")


def test_a_page_asks_for_nothing(material: Material) -> None:
    """It is opened on machines without a network, and must tell nobody that it was."""
    text = experiment_page(material)
    page = _Checked(text)

    for _, attributes in page.elements:
        assert not {"src", "href", "xlink:href", "srcset", "action", "onload"} & set(attributes)
    assert not re.search(r"@import|url\((?!#)", re.sub(r"<script.*?</script>", "", text, flags=re.DOTALL))
    policy = [found["content"] for tag, found in page.elements if found.get("http-equiv") == "Content-Security-Policy"]
    assert policy == ["default-src 'none'; style-src 'unsafe-inline'"]
    assert [found.get("type") for tag, found in page.elements if tag == "script"] == ["application/json"]


def test_words_of_a_server_are_shown_and_not_obeyed() -> None:
    """A name of a model is chosen by whoever runs the server."""
    text = experiment_page(reported.invalid())
    page = _Checked(text)

    assert "b" not in {tag for tag, _ in page.elements}
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert '<b>alert("x")</b>' in " ".join(page.words)


def test_the_record_inside_is_the_result(material: Material) -> None:
    """A program reads the numbers from the page that a person was sent."""
    record = json.loads(_Checked(experiment_page(material)).record)

    assert record["schema"] == 1
    assert record["run"] == "e1"
    assert len(record["visits"]) == len(material.result.visits)


def test_light_and_dark_differ_in_variables_alone(material: Material) -> None:
    """A colour that is written into an element would be wrong in one of the two."""
    text = experiment_page(material)
    body = text[text.index("<body>") :]

    assert "prefers-color-scheme:dark" in text
    assert not re.search(r'(?:fill|stroke|style)="(?!url\(#|--h1:)', body)  # names of columns are no colours
    used = set(re.findall(r"var\(--([\w-]+)\)", text))
    declared = set(re.findall(r"--([\w-]+):", text))
    assert used <= declared


def test_ids_are_unique_and_pictures_are_named(material: Material) -> None:
    """A screen reader says what an element with that id says; a hatch is found by it."""
    page = _Checked(experiment_page(material))
    ids = [found["id"] for _, found in page.elements if "id" in found]

    assert len(ids) == len(set(ids))
    for tag, found in page.elements:
        if tag == "svg":
            assert set((found["aria-labelledby"] or "").split()) <= set(ids)
        for value in found.values():
            for wanted in re.findall(r"url\(#(.+?)\)", value or ""):
                assert wanted in ids


def test_the_verdict_comes_first_with_what_belongs_to_it() -> None:
    words = " ".join(_Checked(experiment_page(reported.decided())).words)
    first = words[: words.index("Blocks")]

    for wanted in ("IMPROVED", "98.4 % interval", "blocks (n)", "AB BA AB BA AB", "5 of 5", "guards", "2 ok"):
        assert wanted in first


def test_a_void_comparison_has_no_effect_beside_its_verdict() -> None:
    """A large number beside the word INVALID is what people remember."""
    text = experiment_page(reported.invalid())
    head = text[text.index("<header") : text.index("</header>")]

    assert "void" in head
    assert "70.5" not in head
    assert "it does not compare the arms" in head


def test_nothing_is_dropped() -> None:
    """Visits that do not count and trials that stood apart are in the page, with why."""
    words = " ".join(_Checked(experiment_page(reported.decided())).words)

    assert "the server ended while it was measured" in words
    assert "(attempt 2)" in words
    assert "*" in words
    assert "3, all kept" in words


def test_what_was_not_recorded_is_said() -> None:
    words = " ".join(_Checked(experiment_page(reported.anecdote())).words)

    assert "Temperature and memory: not recorded" in words
    assert "Warm-up: not recorded" in words
    assert "no recorded wave could be read" in words


def test_a_wave_without_any_output_is_drawn_as_waiting() -> None:
    """What failed is part of the record, and no reason to show none."""
    material = reported.decided()
    trial = material.waves[Arm.B]
    silent = tuple(
        replace(request, timeline=replace(request.timeline, output_ns=(), failure=reported.FAILURE))
        for request in trial.requests
    )

    text = experiment_page(replace(material, waves={Arm.B: replace(trial, requests=silent)}))

    assert "no stream had any output" in text
    assert "failed" in text


def test_markdown_has_n_interval_order_and_flags(material: Material) -> None:
    """A number without these is what the forum is full of."""
    text = experiment_markdown(material.result)

    for wanted in ("| n |", "| order |", "| effect of B |", "Flags:"):
        assert wanted in text
    assert "<" not in text
    assert all(line.count("|") - line.count(r"\|") == rows for line, rows in _rows(text))


def _rows(text: str) -> Iterator[tuple[str, int]]:
    """Each line of a table, with the bars that its head has."""
    bars = 0
    for line in text.splitlines():
        if not line.startswith("|"):
            bars = 0
            continue
        bars = bars or line.count("|")
        yield line, bars


def test_the_same_result_makes_the_same_page(material: Material) -> None:
    """Two people who report one run can compare files."""
    assert experiment_page(material) == experiment_page(material)


def test_the_record_holds_no_number_that_json_has_not(material: Material) -> None:
    def refuse(name: str) -> None:
        raise AssertionError(name)

    json.loads(_Checked(experiment_page(material)).record, parse_constant=refuse)


def test_a_loss_that_the_mean_hides_is_on_the_page_in_markdown_and_below_pictures() -> None:
    """Each of them is passed on alone."""
    made = reported.decided()
    result = replace(made.result, guards=(), harms=(reported.harm(),))
    words = "WARNING: in pp2048 tg128 c8 decode_min_tok_s is -31.0 % [-36.5 %, -25.0 %]"
    page = _Checked(unbound(experiment_page(replace(made, result=result))))

    assert words in " ".join(page.words)
    assert json.loads(page.record)["cell_harms"][0]["cells"] == 4
    assert 'class="badge warn"' in experiment_page(replace(made, result=result))
    assert "**WARNING: in pp2048 tg128 c8 decode\\_min\\_tok\\_s is -31.0 %" in experiment_markdown(result)
    assert "; decode_min_tok_s is WORSE in pp2048 tg128 c8 (-31.0 %) · experiment" in stamp(result)


def test_a_table_of_many_words_is_a_list_on_a_phone_with_its_heads() -> None:
    """Beside each other its columns would be gaps, and the remarks out of sight."""
    text = table((Column(head="block"), Column(head="it's; <so>", words=True)), [("1", "much")], about="x", listed=True)

    style = unescape(text.partition('style="')[2].partition('"')[0])
    assert style == r"--h1:'block';--h2:'it\000027s\00003b \00003cso\00003e'"
    assert "<td>1</td>" in text


def test_the_sentence_of_a_page_keeps_a_number_beside_its_unit() -> None:
    assert "+9.4&nbsp;% [+8.3&nbsp;%" in lead("B is +9.4 % [+8.3 %, +10.4 %]")
