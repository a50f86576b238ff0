"""What produced a run's numbers: this tool, this Python, this machine."""

__all__ = ["local_provenance"]

import platform
from collections.abc import Sequence

from sparktune import __version__
from sparktune.model.run import Provenance
from sparktune.redact import redact_argv


def local_provenance(argv: Sequence[str]) -> Provenance:
    """Describe this process; secrets are taken out of the arguments."""
    return Provenance(
        tool_version=__version__,
        python=platform.python_version(),
        kernel=platform.release(),
        machine=platform.machine(),
        hostname=platform.node(),
        argv=redact_argv(argv),
    )
