"""Generated files in every form: reading leaves them alone, an edit changes its value and nothing else.

An edit that cannot be made without touching more is refused; what comes back is compared here by other means than the
code uses itself: the bytes outside the place that the document told, and the plain data of a YAML parser.
"""

import json
from typing import Any

from hypothesis import assume, given, settings
from hypothesis import strategies as st
from ruamel.yaml import YAML
from tests.support.edited import VALUES, edited, key_of, last_of

from sparktune.formats.kinds import all_formats
from sparktune.model.document import Document, Entry, Format, NotThisFormat

_FORMATS = {one.id: one for one in all_formats()}
_MODEST = settings(max_examples=40, deadline=None)
_COMMENTS = st.sampled_from(["", "", "  # why", ' # don\'t: "this"'])
_ENDS = st.sampled_from(["\n", "\r\n"])
_SCALARS = st.sampled_from(
    [
        "a",
        "8",
        "'it''s'",
        '"d # e"',
        "'x y'",
        "!!str 5",
        "&here word",
        "*shared",
        "|-\n{i}two\n{i}lines",
        ">-\n{i}two\n{i}lines",
        "",
    ]
)
_COMMANDS = st.sampled_from(
    [
        "vllm serve m --port 80 --cfg '{{\"a\":1}}' --enable-x",
        '"vllm serve m --port 80 --cfg \'{{\\"a\\":1}}\' --x=1"',
        "'vllm serve m --port 80 --name ''a b'' --x=1'",
        ">\n{i}vllm serve m\n{i}--port 80 # --lost\n{i}--x=1",
        '>-\n{i}bash -c \'exec vllm serve m --port 80\n{i}--cfg "{{\\"a\\": 1}}" --x=1\'',
        '|\n{i}bash -c "\n{i}set -e\n{i}vllm serve m \\\n{i}  --port 80 \\\n{i}  --x=1\n{i}"',
        "\n{i}- bash\n{i}- -c\n{i}- |\n{i}  A=1 vllm serve m --port 80 \\\n{i}    --x=1 # no",
        "[vllm, serve, m, --port, \"80\", '--x=1']",
        "\n{i}- vllm\n{i}- serve\n{i}- --port  # where\n{i}- '80'\n{i}- --x=1",
        "*command",
    ]
)


@st.composite
def _compose(draw: st.DrawFn) -> str:
    indent = " " * draw(st.integers(3, 5))
    lines = ["x-shared: &shared word", "x-env: &env {A: base, Z: base}", "x-command: &command vllm serve m --port 80"]
    lines += ["services:"]
    for name in draw(st.permutations(["one", "two"])):
        lines.append(f"  {name}:{draw(_COMMENTS)}")
        keys = draw(st.permutations(["image", "command", "environment", "cpuset", "ulimits", "# note"]))
        for key in keys[: draw(st.integers(2, 6))]:
            lines += _member(draw, key, indent)
    return draw(st.sampled_from(["", "\ufeff"])) + draw(_ENDS).join(
        [*lines, draw(st.sampled_from(["", "# end", "\n"]))]
    )


def _member(draw: st.DrawFn, key: str, indent: str) -> list[str]:
    inner = indent + "  "
    if key == "# note":
        return [f"{indent}# a note"]
    if key == "command":
        return f"{indent}command: {draw(_COMMANDS)}".format(i=inner).split("\n")
    if key == "environment":
        return [f"{indent}environment:", *_environment(draw, inner)]
    if key == "ulimits":
        return [f"{indent}ulimits: {{memlock: -1, stack: 5}}{draw(_COMMENTS)}"]
    value = draw(_SCALARS)
    comment = "" if "\n" in value else draw(_COMMENTS)
    return f"{indent}{key}: {value}{comment}".format(i=inner).split("\n")


def _environment(draw: st.DrawFn, indent: str) -> list[str]:
    names = ["A", "B", "C"][: draw(st.integers(1, 3))]
    if draw(st.booleans()):
        forms = st.sampled_from(["{n}=x", '"{n}=x y"', "'{n}=it''s'", "{n}"])
        return [f"{indent}- " + draw(forms).format(n=name) for name in names]
    lines = []
    for name in names:
        value = draw(_SCALARS)
        lines += f"{indent}{name}: {value}{'' if chr(10) in value else draw(_COMMENTS)}".format(i=indent + "  ").split(
            "\n"
        )
    return [f"{indent}<<: *env", *lines] if draw(st.booleans()) else lines


def _read(form: Format, text: str) -> Document:
    try:
        return form.read("file", text)
    except NotThisFormat:
        assume(False)
        raise


def _outside_is_equal(document: Document, entry: Entry, after: str) -> bool:
    """Whether the bytes outside the entry are as they were; quotes may go around the word that holds it."""
    assert entry.span is not None
    text, start, end = document.text, entry.span.start, entry.span.end
    while start and text[start - 1] not in " \t\n[{,":
        start -= 1
    while end < len(text) and text[end] not in " \t\r\n]},":
        end += 1
    tail = text[end:]
    return after.startswith(text[:start]) and after.endswith(tail)


def _check(form: Format, text: str, data: st.DataObject) -> tuple[Document, Entry, str | None, str]:
    document = _read(form, text)
    assert document.text == text
    assume(document.entries)
    chosen = data.draw(st.sampled_from(document.entries), label="entry")
    entry = last_of(document, chosen)
    value = data.draw(st.none() | VALUES, label="value")
    after = edited(form, document, entry, value)
    assume(after is not None)
    assert after is not None
    again = form.read("file", after)
    found = [one for one in again.entries if key_of(one) == key_of(entry)]
    if value is None:
        assert not found
    else:
        assert (found[-1].text or "") == value
        if entry.span is not None and after != text:
            assert _outside_is_equal(document, entry, after)
    assert edited(form, again, entry, value) == after
    return document, entry, value, after


def _rest(document: Document, entry: Entry) -> list[tuple[tuple[str, str, str], str | None]]:
    """Return what a document says besides an entry, whole commands left out: they repeat flags and variables."""
    wholes = {"command", "entrypoint", "ExecStart", "Environment", "ulimits"}
    return sorted(
        (
            (key_of(one), one.text)
            for one in document.entries
            if key_of(one) != key_of(entry) and one.name not in wholes
        ),
        key=repr,
    )


def _plain(text: str) -> Any:  # noqa: ANN401 - what the generator made
    yaml = YAML(typ="safe", pure=True)
    yaml.composer.warn_double_anchors = False
    return yaml.load(text)


@_MODEST
@given(text=_compose(), data=st.data())
def test_compose_files_change_in_one_value_only(text: str, data: st.DataObject) -> None:
    document, entry, _, after = _check(_FORMATS["compose"], text, data)
    if entry.name in {"command", "entrypoint"}:
        return
    assert _rest(document, entry) == _rest(_FORMATS["compose"].read("file", after), entry)
    before, now = _plain(text), _plain(after)
    for one in (before, now):
        assert isinstance(one["services"], dict)
        service = one["services"].get(entry.part) or {}
        for key in ("environment", "command", entry.name.split(".")[0].split("[")[0]):
            service.pop(key, None)
    assert json.dumps(before, default=str) == json.dumps(now, default=str)


@st.composite
def _env(draw: st.DrawFn) -> str:
    values = st.sampled_from(["1", "a b", '"x # y"', "'it'", "", "a#b", "x # c", '"a\\"b"', "{'a': 1}", "${B}"])
    rows = st.one_of(
        st.builds("{}={}".format, st.sampled_from(["A", "B", "export C", "D"]), values),
        st.sampled_from(["# note", "", "NAMED", "  E = 5", "# F=1"]),
    )
    end = draw(_ENDS)
    text = end.join(draw(st.lists(rows, min_size=1, max_size=8)))
    return draw(st.sampled_from(["", "\ufeff"])) + text + draw(st.sampled_from(["", end]))


@_MODEST
@given(text=_env(), data=st.data(), form=st.sampled_from(["env", "docker-env", "environment"]))
def test_files_of_variables_change_in_one_value_only(text: str, data: st.DataObject, form: str) -> None:
    document, entry, value, after = _check(_FORMATS[form], text, data)
    assert _rest(document, entry) == _rest(_FORMATS[form].read("file", after), entry)
    if value is not None and "\n" not in value:
        assert after.count("\n") == text.count("\n")


@st.composite
def _unit(draw: st.DrawFn) -> str:
    rows = st.sampled_from(
        [
            "Environment=A=1", "Environment=\"A=b c\" 'D=e' F=g", "Environment=", "# Environment=Z=1", "; note", "",
            "EnvironmentFile=-/etc/default/x", "Restart=always", "CPUAffinity=5-9 15-19", "ExecStart=",
            "ExecStart=/usr/bin/vllm serve m --port 80 --x=%i", "Nice = 5", "junk",
            "ExecStart=-/usr/bin/vllm serve m \\{e}  --port 80 \\{e}# in between{e}  --cfg '{{\"a\":1}}'",
            "ExecStart=/bin/sh -c \"exec vllm serve m --port 80 --name 'a b'\"",
            "ExecStart=/usr/bin/docker run --rm -e A=b -v /x:/y --ulimit memlock=-1 image vllm serve m --port 80",
        ]
    )  # fmt: skip
    end = draw(_ENDS)
    lines = ["[Unit]", "Description=x", "[Service]", *draw(st.lists(rows, max_size=8)), "[Install]", "WantedBy=x"]
    return end.join(lines).format(e=end, a="{a}") + draw(st.sampled_from(["", end]))


@_MODEST
@given(text=_unit(), data=st.data())
def test_units_change_in_one_value_only(text: str, data: st.DataObject) -> None:
    document, entry, _, after = _check(_FORMATS["unit"], text, data)
    if entry.name not in {"ExecStart", "Environment"}:
        assert _rest(document, entry) == _rest(_FORMATS["unit"].read("file", after), entry)


@st.composite
def _recipe(draw: st.DrawFn) -> str:
    lines = ["recipe_version: '2'", f"model: org/model{draw(_COMMENTS)}", "defaults:"]
    for name in ("port", "max_num_seqs", "cfg"):
        value = draw(_SCALARS.filter(lambda one: "*" not in one))
        lines += f"  {name}: {value}{'' if chr(10) in value else draw(_COMMENTS)}".format(i="    ").split("\n")
    lines += draw(st.sampled_from([[], ["env:", "  A: '1'  # why", "  B: x"], ["env: {A: b}"]]))
    lines += draw(
        st.sampled_from(
            [
                ["command: vllm serve {model} --port {port}"],
                ["command: |", "  vllm serve {model} --port {port} \\", "    --cfg '{cfg}' --x=1"],
                ["command: >-", "  vllm serve {model}", "  --port {port} --cfg '{cfg}'"],
            ]
        )
    )
    return draw(_ENDS).join([*lines, ""])


@_MODEST
@given(text=_recipe(), data=st.data())
def test_recipes_change_in_one_value_only(text: str, data: st.DataObject) -> None:
    document, entry, _, after = _check(_FORMATS["recipe"], text, data)
    if entry.name != "command":
        assert _rest(document, entry) == _rest(_FORMATS["recipe"].read("file", after), entry)


@st.composite
def _command(draw: st.DrawFn) -> str:
    flags = st.sampled_from(
        [
            "--port 80",
            "--x=1",
            "--cfg '{\"a\": 1}'",
            '--name "a b"',
            "--on",
            "-tp 2",
            "--len -1",
            "$EXTRA",
            '--q="a\'b"',
        ]
    )
    start = draw(
        st.sampled_from(
            ["vllm serve m", "A=1 B='x y' exec vllm serve m", "docker run --rm -e A=b image", "llama-server"]
        )
    )
    glue = st.sampled_from([" ", "  ", " \\\n  "])
    text = "".join([start, *(draw(glue) + flag for flag in draw(st.lists(flags, max_size=6)))])
    head = draw(st.sampled_from(["", "#!/bin/sh\nset -e\n", "export C=1; "]))
    return head + text + draw(st.sampled_from(["", "\n", " # best\n", " && echo\n", "\necho done"]))


@_MODEST
@given(text=_command(), data=st.data())
def test_commands_change_in_one_value_only(text: str, data: st.DataObject) -> None:
    document, entry, _, after = _check(_FORMATS["command"], text, data)
    assert _rest(document, entry) == _rest(_FORMATS["command"].read("file", after), entry)
