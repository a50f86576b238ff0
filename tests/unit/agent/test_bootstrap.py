"""The first words that reach a node: any Python 3 and any login shell must take them."""

import ast
import shlex

from sparktune.agent.bootstrap import bootstrap


def test_the_program_is_one_line_without_what_shells_expand_in_quotes() -> None:
    """In csh ! acts even there, and a quote ends with its line; fish takes a doubled backslash for one."""
    line = shlex.join(bootstrap("python3", b"archive", "word"))

    assert not set("!\n`") & set(line)
    assert "\\\\" not in line
    assert shlex.split(line)[-2:] == ["7", "word"]


def test_old_pythons_understand_it() -> None:
    """Else they could not say that they are too old."""
    (_python, *_flags, code, _size) = bootstrap("python3", b"")
    (call,) = ast.parse(code).body
    assert isinstance(call, ast.Expr)
    assert isinstance(call.value, ast.Call)
    (inner,) = call.value.args
    assert isinstance(inner, ast.Constant)

    assert ast.parse(str(inner.value), feature_version=(3, 4))
