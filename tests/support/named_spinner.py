"""A program whose thread polls without end beside threads that sleep, under names of one's choice.

Names are set as engines set theirs: prctl(2), PR_SET_NAME, for a thread of its own, /proc/self/comm for the process.
"""

__all__ = ["ALIKE", "POLLER", "PROCESS", "SPINNER"]

PROCESS = "testrpc"
POLLER = "testpoller"
SPINNER = f"""\
import ctypes, os, threading, time
libc = ctypes.CDLL(None)
def poll():
    libc.prctl(15, b"{POLLER}", 0, 0, 0)
    while True:
        os.sched_yield()
threading.Thread(target=poll, daemon=True).start()
threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
open("/proc/self/comm", "w").write("{PROCESS}")
time.sleep(3600)
"""
# All threads have the name of the process, as in llama.cpp: one that is made after it took its name has that, too.
ALIKE = f"""\
import os, threading, time
open("/proc/self/comm", "w").write("{PROCESS}")
def poll():
    while True:
        os.sched_yield()
threading.Thread(target=time.sleep, args=(3600,), daemon=True).start()
threading.Thread(target=poll, daemon=True).start()
time.sleep(3600)
"""
