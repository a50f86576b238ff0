"""The engine wants more memory at its start than is free."""

__all__ = ["SIGNATURE"]

import math
import re

from sparktune.model.finding import Severity
from sparktune.model.log import LogRole, LogSignature


def _told(found: re.Match[str]) -> str:
    free, total, share = (float(found[name]) for name in ("free", "total", "share"))
    wanted = float(found["wanted"]) if found["wanted"] else share * total
    short = f"It wants {wanted:.2f} GiB ({found['share']} of {total:.2f}) and finds {free:.2f} GiB free"
    if total <= 0 or free >= wanted:
        return f"{short}."
    fits = math.floor(100 * free / total + 1e-9) / 100
    return (
        f"{short}: {wanted - free:.2f} GiB short. With this much free the highest share that starts is {fits:.2f}; "
        "reclaim memory first, then the same share may start."
    )


SIGNATURE = LogSignature(
    id="free-memory-short",
    title="The engine wants more memory at its start than is free",
    role=LogRole.ROOT,
    severity=Severity.ERROR,
    words=("less than desired GPU memory utilization",),
    pattern=re.compile(
        r"Free memory on device[^(]{0,40}\((?P<free>\d{1,6}(?:\.\d{1,4})?)/(?P<total>\d{1,6}(?:\.\d{1,4})?) GiB\)"
        r" on startup "
        r"is less than desired GPU memory utilization \((?P<share>\d(?:\.\d{1,6})?)(?:,"
        r" (?P<wanted>\d{1,6}(?:\.\d{1,4})?) GiB)?\)"
    ),
    source=(
        "vLLM 0.33.0, vllm/v1/worker/utils.py; https://github.com/Blackwellboy/model-serving-minefield trap 119; "
        "https://github.com/MiaAI-Lab/GLM-5.3-Flash-EXL3-2x-DGX-Sparks issue 47"
    ),
    cause=(
        "Before it loads anything the engine compares free memory with its share of all memory. Something else "
        "holds memory: an engine process that outlived its server, the page cache, swap, or another tenant. "
        "Failed starts can leave less free each time. Where this is the first error, the network's errors on "
        "other nodes only follow it."
    ),
    fix=(
        "Stop automatic restarts. Then reclaim: end an orphaned engine process by its id (nvidia-smi lists them), "
        "stop other tenants, and on a dedicated node drop the page cache; read the free value again and start "
        "with the same setting. Only if a clean node still has less than is wanted, the setting has to change: "
        "reports see 101 to 118 GiB free on clean nodes, so 0.87 and more may never start."
    ),
    engines=("vllm",),
    explain=_told,
)
