"""Any text is read or refused, and any edit is made or refused: nothing else comes out."""

from hypothesis import example, given, settings
from hypothesis import strategies as st
from ruamel.yaml.error import YAMLError
from tests.support.edited import VALUES, edited, last_of

from sparktune.formats.kinds import all_formats
from sparktune.model.document import NotThisFormat

_ODD = st.text() | st.text(alphabet="services:\n a-b={}[]&*!|>'\"$()`\\#%@\t\r,<\ufeff~?", max_size=60)


@settings(max_examples=60, deadline=None)
@given(
    text=_ODD, head=st.sampled_from(["", "services:\n  a:\n    ", "[Service]\n", "model: m\ncommand: ", "vllm serve "])
)
@example(text="\x00", head="")
@example(text="? a\n: b", head="services:\n  a:\n    ")
@example(text="<<: [*a, *a]", head="")
def test_any_text_is_a_document_or_a_refusal(text: str, head: str) -> None:
    """Whatever is in a file: no traceback, and no place outside the text."""
    for form in all_formats():
        form.recognises("file", head + text)
        try:
            document = form.read("file", head + text)
        except NotThisFormat as error:
            refusal = error
        else:
            refusal = None
        if refusal is not None:
            assert refusal.hint
            assert 0 <= refusal.line <= text.count("\n") + text.count("\r") + head.count("\n") + 2
            continue
        for entry in document.entries:
            assert entry.span is None or 0 <= entry.span.start <= entry.span.end <= len(head + text)


@settings(max_examples=30, deadline=None)
@given(text=_ODD, value=VALUES | st.text(max_size=10))
def test_any_edit_is_made_or_refused(text: str, value: str) -> None:
    """A caller's value is anything: it comes back as it was given, or the edit is refused with a reason."""
    for form in all_formats():
        try:
            document = form.read("file", text)
        except (NotThisFormat, YAMLError):
            continue
        for entry in document.entries[:2]:
            after = edited(form, document, entry, value)
            if after is not None:
                assert (last_of(form.read("file", after), entry).text or "") == value
