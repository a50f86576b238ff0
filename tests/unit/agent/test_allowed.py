"""What a node agrees to run: a fault of the controller must not be able to change a node."""

import pytest

from sparktune.agent.allowed import is_allowed


@pytest.mark.parametrize(
    "line",
    [
        "dmesg",
        "dmesg --time-format iso",
        "dmesg --level=err,crit",
        "docker info --format {{.CgroupDriver}}",
        "docker inspect one two",
        "docker logs --tail 400 one",
        "docker exec 0123456789ab cat /proc/17/environ",
        "docker ps -aq --no-trunc",
        "ethtool -i enp1s0f0np0",
        "ethtool enp1s0f0np0",
        "ip -j addr show",
        "ip -d -j link show dev eth0",
        "ip route get 10.0.0.1",
        "journalctl -k -b --no-pager -o short-iso -g NVRM",
        "nvidia-smi",
        "nvidia-smi -q -d CLOCK",
        "nvidia-smi --query-gpu=name,clocks.sm --format=csv,noheader",
        "nvidia-smi topo -m",
        "runc --version",
        "systemctl show -p AllowedCPUs init.scope",
        "uname -a",
    ],
)
def test_reading_is_allowed(line: str) -> None:
    assert is_allowed(line.split())


@pytest.mark.parametrize(
    "line",
    [
        "",
        "sh -c true",
        "/usr/bin/uname -a",
        "-x uname",
        "dmesg -C",
        "dmesg -TC",
        "dmesg --clear",
        "dmesg --console-off",
        "docker run ubuntu",
        "docker rm one",
        "docker logs -f one",
        "docker exec one cat /proc/17/environ",
        "docker exec 0123456789ab cat /proc/17/environ /etc/shadow",
        "docker exec 0123456789ab cat /etc/shadow",
        "docker exec -u root 0123456789ab cat /proc/17/environ",
        "docker info --config /tmp/x",
        "docker -H tcp://elsewhere ps",
        "ethtool -s enp1s0f0np0 speed 1000",
        "ethtool -L enp1s0f0np0 combined 4",
        "ethtool --reset enp1s0f0np0 all",
        "ip link set eth0 down",
        "ip -j link del eth0",
        "ip -j addr flush dev eth0",
        "ip -batch file addr show",
        "ip netns exec one ip addr show",
        "ip -n one addr show",
        "journalctl --rotate",
        "journalctl --vacuum-size=1",
        "journalctl --cursor-file=/etc/passwd",
        "nvidia-smi -pm 1",
        "nvidia-smi -lgc 300",
        "nvidia-smi --gpu-reset",
        "nvidia-smi -q -f /etc/passwd",
        "nvidia-smi drain -p 0",
        "nvidia-smi --query-gpu=name drain",
        "runc delete one",
        "systemctl restart docker",
        "systemctl -q restart is-active docker",
    ],
)
def test_changing_is_refused(line: str) -> None:
    assert not is_allowed(line.split())
