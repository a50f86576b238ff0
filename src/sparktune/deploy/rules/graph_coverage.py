"""Decode steps that are larger than any captured CUDA graph."""

__all__ = ["RULE"]

from collections.abc import Iterator

from sparktune.deploy.graph_coverage import Graphs, coverage, ladder, least_cap
from sparktune.deploy.image_facts import image_facts
from sparktune.deploy.rules._shared import Found, at, drafts, number, part_rule, version
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView, Part
from sparktune.model.setting import Setting

_CAP = ("max_cudagraph_capture_size", "compilation_config.max_cudagraph_capture_size")
_SIZES = ("cudagraph_capture_sizes", "compilation_config.cudagraph_capture_sizes")
_LADDER_STEP = 8
_ENOUGH = 16  # the largest concurrency in the published tables of Sparks: a larger max_num_seqs is an upper bound


def _judge(part: Part, view: LintView) -> Iterator[Found]:
    if part.engine == "sglang":
        yield from _sglang(part)
    if part.engine != "vllm" or _no_graphs(part):
        return
    requests, tokens = number(part, "max_num_seqs"), drafts(part)
    cap, batched = number(part, *_CAP), number(part, "max_num_batched_tokens")
    if tokens is None:
        yield from _ladder(part)
    if requests is None or tokens is None:
        return
    found = coverage(
        Graphs(
            requests=int(requests),
            drafts=tokens,
            cap=int(cap) if cap is not None else None,
            sizes=_sizes(part),
            batched_tokens=int(batched) if batched is not None else None,
            version=version(part),
        )
    )
    if found is None or found.requests >= requests:
        return
    place = next((part.settings[key] for key in (*_CAP, *_SIZES, "max_num_seqs") if key in part.settings), None)
    if place is None:
        return
    few = found.requests < _ENOUGH
    words = f"at most {found.requests} of {int(requests)} requests decode inside a CUDA graph: "
    words += f"a step has {tokens + 1} token{'s' if tokens else ''} per request, and the largest captured is "
    words += f"{found.tokens} tokens{_cut(found.steps)}{_of_version(part)}"
    yield at(place, Severity.ERROR if few else Severity.INFO, words, _hint(part, view, int(requests), tokens))


def _ladder(part: Part) -> Iterator[Found]:
    """Yield that a size is cut where it is not known how many tokens are drafted, and so how much is covered."""
    key = next((key for key in _CAP if number(part, key) is not None), "")
    cap = int(number(part, key) or 0)
    most = max(ladder(cap), default=0)
    if 0 < most < cap:
        yield at(
            part.settings[key],
            Severity.INFO,
            f"a largest size of {cap} tokens is cut to {most}, and with drafts once more; how many tokens are drafted "
            "is not known here",
            f"choose a size of the ladder (a multiple of {_LADDER_STEP}) that holds max_num_seqs x (1 + draft tokens)",
        )


def _no_graphs(part: Part) -> bool:
    eager = part.settings.get("enforce_eager")
    mode = part.settings.get("compilation_config.cudagraph_mode")
    return (eager is not None and eager.value is True) or (mode is not None and mode.value in {"NONE", 0})


def _sizes(part: Part) -> tuple[int, ...] | None:
    found: Setting | None = next((part.settings[key] for key in _SIZES if key in part.settings), None)
    if found is None or not isinstance(found.value, tuple):
        return None
    return tuple(one for one in found.value if isinstance(one, int) and not isinstance(one, bool)) or None


def _cut(steps: tuple[int, ...]) -> str:
    return f" ({' -> '.join(map(str, steps))})" if len(steps) > 1 else ""


def _of_version(part: Part) -> str:
    known = version(part)
    return f", by the rules of vLLM {known[0]}.{known[1]}" if known else ""


def _hint(part: Part, view: LintView, requests: int, tokens: int) -> str:
    least = least_cap(requests, tokens)
    each = tokens + 1
    ways = [f"set max_cudagraph_capture_size to {least}"] if least is not None else []
    ways.append(f"name the sizes, multiples of {each} up to {requests * each}")
    ways.append("lower max_num_seqs")
    baked = image_facts(view, part.image).env.get("GRAPH_CAP")
    own = f"; the image's own is {baked} (GRAPH_CAP)" if baked else ""
    return ", or ".join(ways) + own + "; larger graphs take memory and time at start"


def _sglang(part: Part) -> Iterator[Found]:
    most, running = number(part, "cuda_graph_max_bs"), number(part, "max_running_requests")
    if most is not None and running is not None and most < running:
        yield at(
            part.settings["cuda_graph_max_bs"],
            Severity.WARNING,
            f"--cuda-graph-max-bs {int(most)} is less than --max-running-requests {int(running)}: larger batches "
            "decode outside of a CUDA graph",
            f"set --cuda-graph-max-bs {int(running)}; the log says 'cuda graph: False' under load where it is missing",
        )


RULE = part_rule(
    "graph-coverage",
    title="CUDA graphs that are smaller than a decode step",
    why="A step that fits in no captured graph is launched kernel by kernel; reports on two Sparks lost most of their "
    "throughput there. What is given is cut twice: to the ladder of sizes, and to multiples of 1 + draft tokens.",
    source="vLLM config/vllm.py and config/compilation.py; https://github.com/vllm-project/vllm/pull/37865, "
    "https://github.com/vllm-project/vllm/issues/54933",
    judge=_judge,
)
