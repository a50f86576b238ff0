"""All sources of facts together: one round trip asks each thing once, and nothing that a node would refuse."""

from sparktune.agent.allowed import is_allowed
from sparktune.host.facts import all_reads, all_sources, read_facts
from sparktune.host.facts.cpu import CpuFacts
from sparktune.host.facts.kernel_log import KernelLogFacts
from sparktune.host.facts.memory import MemoryFacts
from sparktune.host.facts.sysctl import SysctlFacts
from sparktune.model.observed import Observed, present, unreadable
from sparktune.model.reads import ReadCommand, ReadFile, ReadFiles, Readings


def test_names_and_kinds_are_unique() -> None:
    """Facts are looked up by type and printed by name: a second one would hide the first."""
    sources = all_sources()

    assert len({source.name for source in sources}) == len(sources)
    assert len({source.kind for source in sources}) == len(sources)


def test_every_read_is_asked_once() -> None:
    reads = all_reads()

    assert len(set(reads)) == len(reads)
    assert {read for source in all_sources() for read in source.reads} == set(reads)


def test_a_node_runs_every_command() -> None:
    """A command that is not on the node's list is refused, and its facts would be missing everywhere."""
    commands = [read.argv for read in all_reads() if isinstance(read, ReadCommand)]

    assert [argv for argv in commands if not is_allowed(argv)] == []


def test_a_node_that_answers_nothing_has_facts_without_values() -> None:
    facts = read_facts("a", Readings())

    assert facts.node == "a"
    assert not facts.failure
    assert set(facts.facts) == {source.kind for source in all_sources()}


def test_what_may_not_be_read_never_raises() -> None:
    """Without root many files of a node are closed; each costs a field, and says why."""
    closed: Observed[str] = unreadable("permission denied")
    readings = Readings(
        files={read.path: closed for read in all_reads() if isinstance(read, ReadFile)},
        matches={
            read.pattern: {read.pattern.replace("[0-9]", "0").replace("*", "0"): closed}
            for read in all_reads()
            if isinstance(read, ReadFiles)
        },
        commands={read.argv: unreadable("not allowed") for read in all_reads() if isinstance(read, ReadCommand)},
    )

    facts = read_facts("a", readings)

    memory, cpu, log = facts.get(MemoryFacts), facts.get(CpuFacts), facts.get(KernelLogFacts)
    assert memory is not None
    assert memory.available == closed
    assert memory.cma_free == closed
    assert cpu is not None
    assert cpu.online == closed
    assert log is not None
    assert log.no_memory.why == "journalctl: not allowed; dmesg: not allowed"


def test_more_settings_than_any_machine_has_are_not_compared() -> None:
    """Every line is compared with every key: a node that sends a million must not keep the doctor busy."""
    text = "".join(f"vm.other{number} = 1\n" for number in range(5001))
    readings = Readings(matches={"/etc/sysctl.d/*.conf": {"/etc/sysctl.d/a.conf": present(text)}})

    facts = read_facts("a", readings).get(SysctlFacts)

    assert facts is not None
    assert {setting.boot.why for setting in facts.settings} == {"more than 5000 settings"}
