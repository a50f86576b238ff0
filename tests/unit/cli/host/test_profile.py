"""The flags of ``host`` and the profile that they mean; what nobody could mean is said before a node is asked."""

from typing import Any

import pytest

from sparktune.cli._host.flags import ProfileFlags
from sparktune.cli._host.profile import confirm_window, profile_of
from sparktune.errors import UsageError
from sparktune.model.profile import EarlyoomStance, IrqPolicy, Mode, Profile


def test_nothing_written_is_the_article_s_profile() -> None:
    assert profile_of(ProfileFlags()) == Profile()
    assert not ProfileFlags().given


@pytest.mark.parametrize(
    ("flags", "member", "value"),
    [
        ({"mode": "classic"}, "mode", Mode.CLASSIC),
        ({"irq": "performance-spread"}, "irq", IrqPolicy.SPREAD),
        ({"irq_device": ["000F:01:00.0"]}, "irq_devices", ("000f:01:00.0",)),
        ({"sysctl": ["vm.swappiness=10"]}, "sysctls", {"vm.swappiness": "10", "vm.vfs_cache_pressure": "200"}),
        ({"sysctl": ["vm.vfs_cache_pressure=leave"]}, "sysctls", {"vm.swappiness": "1"}),
        ({"sysctl": ["kernel.numa_balancing = 0"]}, "sysctls", {**Profile().sysctls, "kernel.numa_balancing": "0"}),
        ({"target": "graphical.target"}, "target", "graphical.target"),
        ({"earlyoom": "stop"}, "earlyoom", EarlyoomStance.STOP),
        ({"compose": ["/srv/compose.yaml"]}, "compose_files", ("/srv/compose.yaml",)),
        ({"container": ["vllm"]}, "containers", ("vllm",)),
        ({"without": ["sysctl,irq-affinity", "sysctl"]}, "without", ("sysctl", "irq-affinity")),
        ({"allow_slow": True}, "allow_slow", True),
        ({"isolate_now": True}, "isolate_now", True),
        ({"move_running": True}, "move_running", True),
    ],
)
def test_every_part_can_be_set_or_left_out(flags: dict[str, Any], member: str, value: object) -> None:
    written = ProfileFlags(**flags)

    assert written.given
    assert getattr(profile_of(written), member) == value


def test_a_dot_in_the_name_of_a_network_device_is_kept() -> None:
    """In sysctl's other spelling the slashes separate: a VLAN's name has a dot of its own."""
    profile = profile_of(ProfileFlags(sysctl=["net/ipv4/conf/eth0.100/rp_filter=2"]))

    assert profile.sysctls["net.ipv4.conf.eth0/100.rp_filter"] == "2"


def test_the_next_command_means_the_same_profile() -> None:
    """``plan --mode classic`` that ends in ``next: host apply`` would lead to another profile than the one shown."""
    flags = ProfileFlags(mode="classic", sysctl=["a.b=1", "c.d=2"], allow_slow=True)

    assert flags.words() == ["--mode", "classic", "--sysctl", "a.b=1", "--sysctl", "c.d=2", "--allow-slow"]
    assert ProfileFlags().words() == []


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        ({"profile": "gaming"}, "no profile 'gaming'"),
        ({"mode": "fast"}, "--mode 'fast' is not known"),
        ({"irq": "everywhere"}, "--irq 'everywhere' is not known"),
        ({"irq_device": ["eth0"]}, "no PCI address"),
        ({"sysctl": ["vm.swappiness"]}, "not KEY=VALUE"),
        ({"sysctl": ["vm.swappiness="]}, "not KEY=VALUE"),
        ({"sysctl": ["vm.swappiness=1\nkernel.panic=1"]}, "not KEY=VALUE"),
        ({"sysctl": ["../../etc/passwd=1"]}, "not KEY=VALUE"),
        ({"sysctl": ["vm/../../etc/passwd=1"]}, "not KEY=VALUE"),
        ({"target": "multi-user"}, "no systemd target"),
        ({"target": "a b.target"}, "no systemd target"),
        ({"earlyoom": "kill"}, "--earlyoom 'kill' is not known"),
        ({"compose": ["compose.yaml"]}, "from its root"),
        ({"without": ["turbo"]}, "--without turbo: there is no such change"),
    ],
)
def test_what_nobody_could_mean(flags: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError) as caught:
        profile_of(ProfileFlags(**flags))

    assert message in str(caught.value)
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "seconds"), [("", None), ("0", 0.0), ("120s", 120.0), ("120", 120.0), ("2m", 120.0), ("2min", 120.0)]
)
def test_a_window_for_confirming(text: str, seconds: float | None) -> None:
    assert confirm_window(text) == seconds


@pytest.mark.parametrize("text", ["soon", "5s", "-1", "2h", "1.5m", "99999s", "\N{ARABIC-INDIC DIGIT NINE}0s"])
def test_a_window_that_nobody_could_use(text: str) -> None:
    """A node that undoes itself after a second would undo what could never be confirmed."""
    with pytest.raises(UsageError):
        confirm_window(text)
