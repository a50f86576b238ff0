"""Hand each reader of a plan to what can read it."""

__all__ = ["Reader"]

from sparktune.errors import HostError, NodeError, UsageError
from sparktune.io.cluster import LOCAL
from sparktune.io.http.address import parse_address
from sparktune.io.http.client import Client
from sparktune.io.launching.ending import find_all
from sparktune.io.launching.live import Reads, read_command, read_json
from sparktune.io.launching.live_process import read_process
from sparktune.io.launching.live_service import read_service
from sparktune.io.launching.live_steps import read_steps
from sparktune.io.launching.programs import Programs
from sparktune.io.launching.record import Record
from sparktune.io.launching.settings import HoldSettings
from sparktune.io.launching.words import Words
from sparktune.model.launcher import LiveCommand, LiveJson, LiveProcess, LiveReader, LiveService, LiveSteps


class Reader:
    """All that is needed to read an arm back."""

    def __init__(self, settings: HoldSettings, words: Words, record: Record, programs: Programs) -> None:
        """Read nothing yet."""
        self._settings, self._words, self._record, self._programs = settings, words, record, programs
        self._address = parse_address(settings.base_url)

    async def read(self, reader: LiveReader) -> Reads:
        """Return what one reader sees; what goes wrong is in it."""
        match reader:
            case LiveJson():
                async with Client(self._address, self._settings.api_key) as client:
                    return await read_json(reader, client, self._words)
            case LiveCommand():
                return await read_command(reader, self._words, self._settings.work_folder, self._settings.environment)
            case LiveProcess():
                return self._process(reader)
            case LiveSteps():
                return await self._steps(reader)
            case LiveService():
                return await self._service(reader)

    async def _service(self, reader: LiveService) -> Reads:
        node = reader.service.node
        try:
            target = self._settings.target(node)
            port = reader.service.port or self._address.target.port
            return await read_service(reader, target, self._words, port)
        except (NodeError, HostError, UsageError) as error:
            return Reads(wrong=f"node {node or 'local'} cannot be read: {error}")

    def _process(self, reader: LiveProcess) -> Reads:
        server = self._programs.server
        if server is None:
            return Reads(wrong="no server was started")
        if server.ended:
            return Reads(wrong=f"the server is gone: {self._words.hide(server.ended)}")
        entry = next(one for one in self._record.processes if one.mark == server.what.mark)
        mine = find_all(entry.mine)
        found = read_process(reader, self._words, mine, server.pid, self._address.target.port)
        unproven = "" if found.proven else "its command line is not the arm's: a wrapper stands between"
        return Reads(
            values=found.values,
            wanted=found.wanted,
            wrong=found.wrong,
            open=unproven,
            note=found.note,
            node=LOCAL,
            processes=frozenset(one.pid for one in mine),
        )

    async def _steps(self, reader: LiveSteps) -> Reads:
        try:
            target = self._settings.target(reader.node)
            return await read_steps(reader, target, self._record)
        except (NodeError, HostError, UsageError) as error:
            return Reads(wrong=f"node {reader.node or 'local'} cannot be read: {error}")
