"""How the agent gets onto a node: its archive comes on the stdin of a Python that is told how to run it."""

__all__ = ["bootstrap"]

# Reads the archive of the agent from stdin into memory and runs it: nothing is written on the node, nothing stays.
# It must be understood by any Python 3, which it is there to find out.
_BOOTSTRAP = """
import os,sys
if sys.version_info<(3,10):sys.exit("sparktune needs Python 3.10 or newer, this is "+sys.version.split()[0])
n=int(sys.argv[1]);b=b""
while len(b)<n:
 c=os.read(0,n-len(b))
 if not c:sys.exit("the agent did not arrive whole")
 b+=c
f=os.memfd_create("sparktune");os.write(f,b)
sys.path.insert(0,"/proc/self/fd/%d"%f)
from sparktune.agent.main import main
main(b,sys.argv[2:])
"""


def bootstrap(python: str, archive: bytes, *arguments: str) -> tuple[str, ...]:
    """Return the command line that runs the agent when ``archive`` follows on its stdin."""
    return (python, "-I", "-S", "-c", f"exec({_BOOTSTRAP!r})", str(len(archive)), *arguments)
