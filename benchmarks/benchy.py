"""llama-benchy 0.4.0 as the other client: install it once, run it offline, read its figures.

It finds a tokenizer in ``--tokenizer DIR`` and its text in ``~/.cache/llama-benchy``; both are made here, below a home
folder of their own, so that nothing is downloaded at run time and the user's home stays untouched.
"""

__all__ = ["BenchyError", "BenchyRun", "prepare", "run"]

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from measured import children_cpu_s

from sparktune.io.reference.prompts import OUTPUT_WORDS

VERSION = "0.4.0"
_CACHE = Path(__file__).resolve().parents[1] / ".cache"
_VENV = _CACHE / "llama-benchy-venv"
_HOME = _CACHE / "llama-benchy-home"
_BOOK = _HOME / ".cache" / "llama-benchy" / "cc6a0b5782734ee3b9069aa3b64cc62c.txt"  # named by its default book's URL
_TOKENIZER = _HOME / "tokenizer"
_BOOK_WORDS = 20_000
_TIMEOUT_S = 600


class BenchyError(Exception):
    """It could not be installed or run; the text says why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class BenchyRun:
    """``cpu_s`` of the whole process; TTFT and decode rate of each request, wave by wave, its warm-up left out."""

    cpu_s: float
    ttft_s: tuple[float, ...]
    rate_tok_s: tuple[float, ...]


def prepare() -> None:
    """Install it and write its tokenizer and text; raises BenchyError."""
    if not (_VENV / "bin" / "llama-benchy").exists():
        print(f"installing llama-benchy {VERSION} into {_VENV.relative_to(_CACHE.parent)}", file=sys.stderr)
        _call([sys.executable, "-m", "venv", str(_VENV)])
        _call([str(_VENV / "bin" / "pip"), "install", "--quiet", "--no-input", f"llama-benchy=={VERSION}"])
    _BOOK.parent.mkdir(parents=True, exist_ok=True)
    _TOKENIZER.mkdir(parents=True, exist_ok=True)
    size = len(OUTPUT_WORDS)
    _BOOK.write_text(" ".join(OUTPUT_WORDS[index * (index + 7) % size] for index in range(_BOOK_WORDS)))
    vocabulary = {word: number for number, word in enumerate(("[UNK]", *OUTPUT_WORDS))}
    tokenizer = {
        "version": "1.0",
        "truncation": None,
        "padding": None,
        "added_tokens": [],
        "normalizer": None,
        "pre_tokenizer": {"type": "Whitespace"},
        "post_processor": None,
        "decoder": None,
        "model": {"type": "WordLevel", "vocab": vocabulary, "unk_token": "[UNK]"},
    }
    (_TOKENIZER / "tokenizer.json").write_text(json.dumps(tokenizer))


def run(base_url: str, model: str, *, concurrency: int, prompt_tokens: int, output_tokens: int, runs: int) -> BenchyRun:
    """Measure ``runs`` waves after its own warm-up; raises BenchyError."""
    result = _HOME / "result.json"
    result.unlink(missing_ok=True)
    argv = [str(_VENV / "bin" / "llama-benchy"), "--base-url", base_url, "--model", model]
    argv += ["--tokenizer", str(_TOKENIZER), "--pp", str(prompt_tokens), "--tg", str(output_tokens)]
    argv += ["--runs", str(runs), "--concurrency", str(concurrency), "--latency-mode", "none", "--skip-coherence"]
    argv += ["--no-adapt-prompt", "--save-result", str(result), "--format", "json"]
    before_s = children_cpu_s()
    _call(argv)
    cpu_s = children_cpu_s() - before_s
    try:
        (row,) = json.loads(result.read_text())["benchmarks"]
        return BenchyRun(
            cpu_s=cpu_s,
            ttft_s=tuple(value / 1000 for value in row["e2e_ttft"]["values"]),
            rate_tok_s=tuple((row["tg_req_throughput"] or row["tg_throughput"])["values"]),
        )
    except (OSError, ValueError, KeyError, TypeError) as error:
        message = f"llama-benchy wrote no result that can be read: {error!r}"
        raise BenchyError(message) from error


def _call(argv: list[str]) -> None:
    environment = {**os.environ, "HOME": str(_HOME), "HF_HUB_OFFLINE": "1", "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    if "pip" in argv[0]:
        environment["HOME"] = os.environ.get("HOME", str(_HOME))  # pip reads the user's own index settings
    try:
        done = subprocess.run(argv, env=environment, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        message = f"{argv[0]} did not run: {error}"
        raise BenchyError(message) from error
    if done.returncode != 0:
        message = (
            f"{' '.join(argv[:4])} ... ended with {done.returncode}: {(done.stderr or done.stdout).strip()[-600:]}"
        )
        raise BenchyError(message)
