"""A node with a real systemd and a real sshd: systemd-nspawn boots a copy of a Debian tree in a network of its own.

It has two CPUs of different types to look at: files of the test are mounted over /proc/cpuinfo and ``cpu_capacity``.
Its kernel is this machine's, and its root may write to it; ``kept_kernel`` puts that back, here at each of its boots,
too, as a machine of its own would.

Sources: systemd-nspawn(1); SYSTEMD_NSPAWN_API_VFS_WRITABLE in systemd's docs/ENVIRONMENT.md. Sources of mounts over
/proc are looked up in the tree, of mounts over /sys on the host: so it is in systemd 252.
"""

import hashlib
import os
import shutil
import signal
import stat
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

from tests.support.debian_tree import base_tree, copy_tree, needed
from tests.support.hosts import FAR_ADDRESS, Hosts, cabled_hosts
from tests.support.kernel import KernelValues, kept_kernel

__all__ = ["AGENT", "EFFICIENCY", "NAME", "BootedNode", "booted_node", "left_as_it_was"]

NAME = "spark-test"
AGENT = "/var/lib/sparktune/agent.pyz"
EFFICIENCY, PERFORMANCE = 0, 1
_CPUS = {EFFICIENCY: ("0xd87", 718), PERFORMANCE: ("0xd85", 1024)}
_HARDWARE = "usr/local/share/hardware"
# What a running system writes by itself: mounts, logs, time stamps, the seed of its random numbers. And what the agent
# keeps for a revert: its journal stays readable after one.
_NOT_COMPARED = ("dev", "proc", "run", "sys", "tmp", "var/lib/sparktune", "var/lib/systemd", "var/log", "var/tmp")
_DOWN_S = 30.0


class BootedNode:
    """``root`` is its file system as seen from outside, ``ssh`` the command that knows it by its name."""

    def __init__(self, folder: Path, hosts: Hosts, kernel: KernelValues) -> None:
        """Remember where everything is; it is not running."""
        self.name, self.folder, self.root, self.kernel = NAME, folder, folder / "root", kernel
        self.ssh_config = folder / "ssh_config"
        self._hosts = hosts
        self.ssh = " ".join(self.beside("ssh", "-F", str(self.ssh_config)))
        self._process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        """Boot, and wait until systemd has started everything."""
        binds = [f"/{_HARDWARE}/cpuinfo:/proc/cpuinfo"]
        for cpu in _CPUS:
            capacity = f"/sys/devices/system/cpu/cpu{cpu}/cpu_capacity"
            binds += [f"{self.root / _HARDWARE}/{cpu}:{capacity}"] if Path(capacity).exists() else []
        command = (
            *needed("systemd-nspawn"),
            "--quiet",
            "--register=no",
            # Where no systemd runs there is no scope to be asked for.
            *(() if Path("/run/systemd/system").is_dir() else ("--keep-unit",)),
            f"--machine={NAME}",
            f"--directory={self.root}",
            f"--network-namespace-path=/run/netns/{self._hosts.far}",
            "--capability=CAP_NET_ADMIN",  # udev tells others what it has seen over netlink
            *(f"--bind-ro={bind}" for bind in binds),
            "--boot",
        )
        with (self.folder / "console").open("ab") as console:
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=console,
                stderr=console,
                env={**os.environ, "SYSTEMD_NSPAWN_API_VFS_WRITABLE": "1"},
            )
        while self._ask("true").returncode:  # it takes as long as it takes; never is a timeout of the test
            assert self._process.poll() is None, f"the node does not boot: {self.console()[-2000:]}"
        self.run("systemctl is-system-running --wait || true")
        # In a container systemd starts before there is a udev, and listens to none; started again it finds one
        # (device_monitor_new_full in its sd-device/device-monitor.c).
        self.run("systemctl daemon-reexec")

    def stop(self) -> None:
        """Shut down."""
        if self._process is None:
            return
        self._process.send_signal(signal.SIGTERM)  # an orderly end, as nspawn has it
        try:
            self._process.wait(_DOWN_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._process = None

    def reboot(self) -> None:
        """Shut down, let the kernel have its own values again, and boot."""
        self.run("systemctl poweroff")
        assert self._process is not None
        self._process.wait()
        self.kernel.restore()
        self.start()

    def run(self, script: str) -> str:
        """Run a shell script as root on the node; it must succeed."""
        done = self._ask(script)
        assert done.returncode == 0, f"{script}: {done.stdout}{done.stderr}"
        return done.stdout

    def beside(self, *command: str) -> tuple[str, ...]:
        """Return the command line that runs a command on this machine, in the network that leads to the node."""
        return self._hosts.on(self._hosts.near, *command)

    @property
    def near(self) -> str:
        """The network namespace that leads to the node."""
        return self._hosts.near

    def boot_id(self) -> str:
        """Return what names this boot."""
        return self.run("cat /proc/sys/kernel/random/boot_id").strip()

    def console(self) -> str:
        """Return what the node printed on its console."""
        return (self.folder / "console").read_text(errors="replace")

    def tree(self) -> dict[str, str]:
        """Return every file, folder and link with its mode, owner, attributes and a hash of what it holds."""
        found = {}
        for folder, folders, files in os.walk(self.root):
            inside = os.path.relpath(folder, self.root)
            folders[:] = [name for name in folders if os.path.normpath(f"{inside}/{name}") not in _NOT_COMPARED]
            for name in (*folders, *files):
                path = os.path.normpath(f"{inside}/{name}")
                found[path] = _entry(self.root / path)
        return found

    def _ask(self, script: str) -> "subprocess.CompletedProcess[str]":
        command = self.beside("ssh", "-F", str(self.ssh_config), NAME, script)
        return subprocess.run(command, capture_output=True, text=True, check=False)


@contextmanager
def booted_node(suffix: str = "") -> Iterator[BootedNode]:
    """Boot a node; shut it down afterwards, and put the kernel's values back."""
    needed("systemd-nspawn", "ssh", "ssh-keygen", "ip")
    base = base_tree()
    with ExitStack() as stack:
        # Not below pytest's folder: paths of sockets must be short.
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="spark-node-", dir="/tmp")))
        hosts = stack.enter_context(cabled_hosts(suffix))
        kernel = stack.enter_context(kept_kernel())
        copy_tree(base, folder / "root")
        _prepare(folder)
        node = BootedNode(folder, hosts, kernel)
        stack.callback(_leave, node)
        node.start()
        node.reboot()  # a first boot writes files that later ones do not
        yield node


@contextmanager
def left_as_it_was(node: BootedNode) -> Iterator[None]:
    """Fail when anything on the node, or of the kernel, is otherwise afterwards; then put it back as far as it goes."""
    before = node.tree()
    yield
    left, now = node.kernel.differing(), node.tree()
    # A test that failed in the middle is no reason for the next one to fail.
    node.run(f"if [ -e {AGENT} ]; then python3 {AGENT} revert; fi >&2 || true")
    node.kernel.restore()
    assert left == {}, "the kernel's values are not what they were"
    paths = before.keys() | now.keys()
    assert {path: (before.get(path), now.get(path)) for path in paths if before.get(path) != now.get(path)} == {}


def _prepare(folder: Path) -> None:
    root = folder / "root"
    subprocess.run((*needed("ssh-keygen"), "-q", "-t", "ed25519", "-N", "", "-f", str(folder / "key")), check=True)
    keys = root / "root/.ssh"
    keys.mkdir(mode=0o700, exist_ok=True)
    shutil.copy(folder / "key.pub", keys / "authorized_keys")
    host_key = (root / "etc/ssh/ssh_host_ed25519_key.pub").read_text(encoding="ascii")
    (folder / "known_hosts").write_text(f"{FAR_ADDRESS} {host_key}")
    (folder / "ssh_config").write_text(
        f"""Host {NAME}
    HostName {FAR_ADDRESS}
    User root
    IdentityFile {folder}/key
    IdentitiesOnly yes
    IdentityAgent none
    UserKnownHostsFile {folder}/known_hosts
    GlobalKnownHostsFile /dev/null
    ConnectTimeout 1
"""
    )
    (root / "etc/hostname").write_text(f"{NAME}\n")
    (root / "etc/hosts").write_text(f"127.0.0.1 localhost {NAME}\n")
    hardware = root / _HARDWARE
    hardware.mkdir(parents=True)
    cores = [
        f"processor\t: {cpu}\nCPU implementer\t: 0x41\nCPU part\t: {part}\n" for cpu, (part, _capacity) in _CPUS.items()
    ]
    (hardware / "cpuinfo").write_text("\n".join(cores))
    for cpu, (_part, capacity) in _CPUS.items():
        (hardware / str(cpu)).write_text(f"{capacity}\n")


def _leave(node: BootedNode) -> None:
    for path in node.folder.glob("sparktune-*/*"):
        command = node.beside("ssh", "-o", f"ControlPath={path}", "-O", "exit", "any")
        subprocess.run(command, capture_output=True, check=False)
    node.stop()
    for name in ("payload", "supervisor"):  # control groups that nspawn leaves where no systemd cleans up after it
        with suppress(OSError):
            Path(f"/sys/fs/cgroup/systemd/{name}").rmdir()


def _entry(path: Path) -> str:
    status = path.lstat()
    kind = stat.filemode(status.st_mode)
    attributes = ",".join(os.listxattr(path, follow_symlinks=False))
    if stat.S_ISLNK(status.st_mode):
        holds = str(path.readlink())
    elif stat.S_ISREG(status.st_mode):
        holds = hashlib.blake2b(path.read_bytes(), digest_size=16).hexdigest()
    else:
        holds = ""
    return f"{kind} {status.st_uid}:{status.st_gid} {attributes} {holds}"
