"""A line that ends in "10.0" and goes on with "% worse" is read wrong at a glance; a page stays searchable."""

import pytest
from tests.support.page_words import unbound

from sparktune.report.page.parts import alarm, badge, bound, bullets
from sparktune.report.svg.markup import element


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("more than 10.0 % worse", ["10.0 %"]),
        ("it is -31.0 % [-36.5 %, -25.0 %]: more", ["-31.0 %", "-36.5 %,", "-25.0 %]:"]),
        ("after 2 min 05 s of 3 GiB", ["2 min 05 s", "3 GiB"]),
        ("1,204 tok/s, and 3 blocks", ["1,204 tok/s,"]),
        ("pp2048 tg128 c8", []),
        ("", []),
    ],
)
def test_a_number_and_its_unit_are_one_piece(text: str, pieces: list[str]) -> None:
    markup = bound(text)

    assert markup.count('<span class="q">') == len(pieces)
    assert [one for one in pieces if f'<span class="q">{one}</span>' not in markup] == []
    assert unbound(markup) == text


def test_text_of_others_stays_text() -> None:
    """What a server says may look like markup, and may hold what marks a place here."""
    text = '<b class="q">9 %</b> & 8\0 % \u202e'

    assert "<b" not in bound(text)
    assert unbound(alarm(text)).startswith('<p class="bad">&lt;b class=')
    assert bound(element("code", "5 %")) == "<code>5 %</code>", "what is markup already is left as it is"
    assert bullets(["7 % <i>"]) == '<ul><li><span class="q">7 %</span> &lt;i&gt;</li></ul>'


def test_the_words_of_a_verdict_are_one_piece_beside_their_mark() -> None:
    """The frame lays its pieces side by side: words in several pieces would stand in columns."""
    made = badge("!", "IMPROVED, but guard tok_s is WORSE (-26.5 %)", "warn")

    assert made.endswith('<span>IMPROVED, but guard tok_s is WORSE (<span class="q">-26.5 %)</span></span></p>'), (
        "the number stays beside its sign"
    )
    assert made.startswith('<p class="badge warn"><span aria-hidden="true">!</span> <span>')
