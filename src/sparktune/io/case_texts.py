"""Loose files of reports about a machine - cores, memory, kernel, GPU, processes - written on a ``CaseNode``."""

__all__ = [
    "cpu_info",
    "cpu_table",
    "gpu_samples",
    "kernel_log",
    "locked_memory",
    "manager_file",
    "process_status",
    "thread_loads",
    "throttle_reasons",
    "version",
]

import csv
import re
from dataclasses import replace

from sparktune.host.nccl_log import NcclLogFacts
from sparktune.host.thread_load import ThreadLoadFacts, read_top
from sparktune.io.case_node import CaseNode

_CPU = "/sys/devices/system/cpu"
_CPU_COLUMNS = {
    "cpuinfo_max_freq_khz": "cpufreq/cpuinfo_max_freq",
    "cpu_capacity": "cpu_capacity",
    "thread_siblings_list": "topology/thread_siblings_list",
    "cluster_cpus_list": "topology/cluster_cpus_list",
    "midr_el1": "regs/identification/midr_el1",
}
_STATUS = re.compile(r"^#\s*/proc/(?P<pid>\d{1,10})/(?:task/(?P<tid>\d{1,10})/)?status", re.ASCII)
_GPU_NAMES = {"clocks.sm": "clocks.current.sm"}


def cpu_info(node: CaseNode, text: str, _file: str) -> None:
    """Read /proc/cpuinfo, which lists the CPUs that are online."""
    node.files["/proc/cpuinfo"] = text
    listed = re.findall(r"^processor\s*:\s*(\d{1,5})\s*$", text, re.MULTILINE)
    if listed:
        node.files.setdefault(f"{_CPU}/online", f"{','.join(listed)}\n")


def cpu_table(node: CaseNode, text: str, _file: str) -> None:
    """Read a table of sysfs values, one row per CPU; columns that are no file of sysfs are left."""
    for row in csv.DictReader(text.splitlines()):
        cpu = (row.get("cpu") or "").strip()
        if not cpu.isdecimal():
            continue
        for column, leaf in _CPU_COLUMNS.items():
            if row.get(column):
                node.files[f"{_CPU}/cpu{cpu}/{leaf}"] = f"{row[column].strip()}\n"


def process_status(node: CaseNode, text: str, _file: str) -> None:
    """Read excerpts of status files, each below a comment that gives its path."""
    path = ""
    for line in text.splitlines():
        found = _STATUS.match(line)
        if found:
            path = f"/proc/{found['pid']}/task/{found['tid'] or found['pid']}/status"
            node.files[path] = ""
        elif path:
            node.files[path] += f"{line}\n"


def manager_file(node: CaseNode, text: str, file: str) -> None:
    """Read a drop-in of systemd's manager: the file's name is that of the folder and its own."""
    node.files[f"/etc/systemd/system.conf.d/{file.removeprefix('system.conf.d_')}"] = text


def kernel_log(node: CaseNode, text: str, _file: str) -> None:
    """Read lines of the kernel's log, of one boot."""
    argv = ("dmesg",)
    node.outputs[argv] = node.outputs.get(argv, "") + text


def version(node: CaseNode, text: str, _file: str) -> None:
    """Read what ``uname -a`` says."""
    words = text.split()
    if len(words) > 2 and words[0] == "Linux":  # noqa: PLR2004 - system, host, release
        node.outputs["uname", "-r"] = f"{words[2]}\n"
        node.files["/proc/version"] = f"Linux version {words[2]}\n"
        machine = next((word for word in words[3:] if word in {"aarch64", "x86_64"}), None)
        if machine:
            node.outputs["uname", "-m"] = f"{machine}\n"


def gpu_samples(node: CaseNode, text: str, _file: str) -> None:
    """Read rows of nvidia-smi in CSV; of several the last one with the highest load counts, for clocks under load."""
    rows = [
        {_field(name): _value(value) for name, value in row.items() if name and value}
        for row in csv.DictReader(text.splitlines(), skipinitialspace=True)
    ]
    best: dict[str, str] = {}
    for row in rows:
        if _load(row) >= _load(best):
            best = row
    node.gpu.update(best)


def throttle_reasons(node: CaseNode, text: str, _file: str) -> None:
    """Read ``field: value`` lines with the names of nvidia-smi's fields."""
    for line in text.splitlines():
        name, colon, value = line.partition(":")
        if colon:
            node.gpu[_field(name)] = _value(value)


def locked_memory(node: CaseNode, text: str, _file: str) -> None:
    """Read the line of ``ulimit -a`` about locked memory."""
    found = re.search(r"max locked memory.*?\b(unlimited|\d{1,20})\s*$", text, re.MULTILINE)
    if found:
        facts = node.facts.get(NcclLogFacts, NcclLogFacts())
        node.facts[NcclLogFacts] = replace(facts, unlimited_memlock=found[1] == "unlimited")


def thread_loads(node: CaseNode, text: str, file: str) -> None:
    """Read what ``top -H`` printed."""
    facts: ThreadLoadFacts = node.facts.get(ThreadLoadFacts, ThreadLoadFacts())
    node.facts[ThreadLoadFacts] = ThreadLoadFacts(samples=(*facts.samples, read_top(text, file)))


def _field(name: str) -> str:
    """Return a field's name without its unit in brackets."""
    plain = name.split("[", maxsplit=1)[0].strip()
    return _GPU_NAMES.get(plain, plain)


def _value(text: str) -> str:
    """Return a value without its unit; what holds no number stays as it is."""
    found = re.fullmatch(r"(-?\d+(?:\.\d+)?) (?:MHz|%|W|MiB)", text.strip(), re.ASCII)
    return found[1] if found else text.strip()


def _load(row: dict[str, str]) -> float:
    load = row.get("utilization.gpu", "")
    return float(load) if re.fullmatch(r"\d{1,3}(?:\.\d+)?", load, re.ASCII) else -1.0
