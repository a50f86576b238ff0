"""Keys of a compose service that compose does not know."""

__all__ = ["RULE"]

import re
from collections.abc import Iterator
from difflib import get_close_matches

from sparktune.deploy.rules._shared import Found, at, every_part, lint_rule
from sparktune.model.finding import Severity
from sparktune.model.lint import LintView

_NAMES = """
annotations attach blkio_config build cap_add cap_drop cgroup cgroup_parent command configs container_name cpu_count
cpu_percent cpu_period cpu_quota cpu_rt_period cpu_rt_runtime cpu_shares cpus cpuset credential_spec depends_on
deploy develop device_cgroup_rules devices dns dns_opt dns_search domainname entrypoint env_file environment expose
extends external_links extra_hosts gpus group_add healthcheck hostname image init ipc isolation label_file labels
links logging mac_address mem_limit mem_reservation mem_swappiness memswap_limit models network_mode networks
oom_kill_disable oom_score_adj pid pids_limit platform ports post_start pre_stop privileged profiles provider
pull_policy read_only restart runtime scale secrets security_opt shm_size stdin_open stop_grace_period stop_signal
storage_opt sysctls tmpfs tty ulimits use_api_socket user userns_mode uts volumes volumes_from working_dir
"""
_KEYS = frozenset(_NAMES.split())
_ROOT = re.compile(r"[^.\[]+")


def _judge(view: LintView) -> Iterator[Found]:
    for part in every_part(view, "compose"):
        seen: set[str] = set()
        for name, setting in part.keys.items():
            found = _ROOT.match(name)
            root = found[0] if found else name
            if root in _KEYS or root in seen or root.startswith("x-"):
                continue
            seen.add(root)
            near = get_close_matches(root, _KEYS, n=1, cutoff=0.7)
            meant = f"write {near[0]} instead of {root}" if near else f"take {root} out, or name it x-{root}"
            yield at(
                setting,
                Severity.ERROR,
                f"service {part.name} has {root}, which is no key of compose",
                f"{meant}; docker compose config -q checks a file",
            )


RULE = lint_rule(
    "misspelt-compose-key",
    title="a key that compose does not know",
    why="docker compose refuses the file; a program that is less strict drops the key, and the limit is not set.",
    source="the compose specification, its schema compose-spec.json",
    judge=_judge,
)
