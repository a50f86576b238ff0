"""Names of models, arms and files go into tables that people paste: none of them ends a cell or calls somebody."""

import pytest

from sparktune.report.markdown import escaped, titled_list


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("pp2048 @ d4096 (c2)", "pp2048 @ d4096 (c2)"),
        ("model@somebody", "model&#64;somebody"),
        ("@somebody", "&#64;somebody"),
        (r"a\|b", r"a\\\|b"),
        ("<img> & <b>", "&lt;img&gt; &amp; &lt;b&gt;"),
        ("*a* _b_ `c` ~d~", r"\*a\* \_b\_ \`c\` \~d\~"),
        ("![x](y) #1", r"\!\[x\](y) \#1"),
        ("two\nlines", "two lines"),
    ],
)
def test_no_text_is_markup(text: str, shown: str) -> None:
    assert escaped(text) == shown


def test_a_list_without_lines_has_no_title() -> None:
    assert list(titled_list("Notes", ())) == []
    assert list(titled_list("Notes", ["a|b"])) == ["", "Notes:", "", r"- a\|b"]
