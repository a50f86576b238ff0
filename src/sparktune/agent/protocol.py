"""What controller and node say to each other: one JSON object per line, both ways.

The agent first writes a line ``sparktune-agent NONCE`` with the word it was started with: whatever a login shell
printed before it is no answer. A request is ``{"id": N, "verb": VERB, ...}``. Answers carry the same id: any number of
``{"id": N, "part": {...}}``, then one ``{"id": N, "ok": {...}}`` or ``{"id": N, "error": {"kind", "message"}}``.

``hello`` -> protocol, boot_id, hostname, uid, python, and monotonic_ns and wall_ns read together.

``observe``: reads, a list of ``{"kind": "file"|"files"|"links"|"names"|"stats"|"command", ...}`` with the fields of
``sparktune.model.reads`` -> a part per read, in any order, ``{"index": I, "state": "present"|"absent"|"unreadable",
"value"?, "why"?}``. The value is text for "file"; an object by path for "files" (of such results), "links" (of
targets) and "stats" (of ``{"size", "mtime_ns"}``); a list of paths for "names"; ``{"stdout", "stderr", "code"}`` for
"command", which is executed only when ``allowed.py`` names it. "why" beside a present value says why it is not all of
it. A command's ``arguments_from`` is run first: what it prints are further arguments, and when it fails or prints
nothing its own answer is that of the read. A read that only root may do is done again through ``sudo -n``; where that
would ask for a password, or does not exist, it is unreadable and says so.

``sample``: sources (reads of the kinds file, files and command, each file as whole as it is; and of the kind count),
interval_s, count (0: without end) -> a part per tick ``{"tick": N, "monotonic_ns", "wall_ns", "missed": N,
"changed": {PATH: TEXT}, "gone": [PATH, ...], "unread"?: {PATH: WHY}}``. Ticks keep to multiples of the interval
from the first one; ``missed`` counts those that were skipped since the tick before. ``changed`` holds texts that differ
from the tick before, everything at the first one. A command's path is its argv joined by spaces; a source that cannot
be read, or a command that fails, has no text, and of commands and logs ``unread`` says why ("" when it has one again).
A command with ``every_s`` above 0 runs so seldom, beside the ticks, and never twice at once. ``{"kind": "count",
"path", "words"}`` follows a log, a file or /dev/kmsg (as root, where only root may read it): its text is how many lines
from what it still has on held all the words, and on a second line the last of them. What matches a pattern is
looked up again every few seconds. The next request ends a sample.

``transact``: a transaction ``{"label", "who", "plan", "boot_id", "profile", "steps", "confirm_within_s"?,
"wait_s"?}``; steps are ``{"kind", "change", ...}`` with the fields of ``sparktune.model.step`` (kinds file, link,
value, irq, affinity, threads, property, reload, service, isolate, container), ``expect`` among them. Under the node's
lock everything is looked at and compared with ``expect`` and ``boot_id`` ("" : any); then, per step, what is there is
written to the journal, the step is done and read back, and that is written. -> a part per step, in order ``{"step":
I, "kind", "change", "items": {ITEM: {"outcome", "why"?, "found"?, "wanted"?}}}``; then ok ``{"transaction", "state",
"failed", "undone": [STEP, ...], "recovered": [UNDONE, ...]}`` with state committed, unconfirmed, rolled_back or
incomplete; UNDONE is ``{"transaction", "state", "steps", "why"?}``; a transaction that changed nothing is not kept, its
name is "". A crashed transaction is rolled back before anything else happens. Errors: "busy" (another one works here:
who, since when; or one waits to be confirmed), "void" (what the plan saw has changed: what, from, to), "root" (needs
root), "journal" (the journal cannot be written or read), "request" (a step that this agent does not know),
"transaction" (there is none of that name, it cannot be reverted alone, one before it could not be undone, or the node
could not undo it by itself when nobody confirms).

A step of the kind threads with ``reapply`` is a rule: its transaction is kept also when no thread was there for it. Its
items are ``PID/TID/START``; where it found none, one item that is called like the rule says so ("gone", "refused").
With ``which`` "busy" the node measures for four to five seconds, once; a thread of ``expect`` that does not spin then
makes the plan void. In a captured tree nothing can be measured: it finds none. The node's own command ``follow``, which
a timer runs, does rules again for threads that came since, each in a transaction ``of`` the first one with the label
"follow" and with ``only``, the items that it is for; it is undone with that one, and dropped when all its threads have
ended. What a thread got by a rule and somebody changed since stays so; what was refused is not tried again in this
boot. ``follow`` waits for nobody who has the lock, undoes of what crashed only its own, and leaves threads alone which
an open transaction speaks of. ``reapply``, for boots and devices, leaves rules to ``follow``.

``confirm``: transaction -> ok ``{"transaction", "state"}``. With ``confirm_within_s`` the node undoes the transaction
by itself when that time has passed without it.

``revert``: transaction ("" for all that are applied), who, wait_s -> a part per undone transaction, UNDONE as above,
the last one first; then ok ``{"transactions": N, "state": "reverted"|"incomplete"|"nothing"}``. An item that is
neither as the transaction left it nor as it was before is "foreign", and left.

``give_up``: transaction, items, who, wait_s -> for a transaction that is incomplete: it is tried to be undone once
more, a part per transaction that was; then, when it still is incomplete and no item but those named is not as before,
its journal says that these were given up, and it blocks nothing any more. ok ``{"transaction", "state", "left"}``, with
state given_up, or reverted or rolled_back when nothing had to be; "left" as in the journal. Errors: "transaction",
"journal", and "void" when more than ``items`` would be given up.

``journal``: -> ok ``{"transactions": [...], "holder": TEXT}``, the oldest first, as
``sparktune.model.transaction.Transaction`` has them; ``holder`` says who holds the lock now, "" for nobody.

These five need root: another user's agent has its own copy started through ``sudo -n``, as for reads. All parts are
sent when the node's lock is free again.

``run``: argv, folder ("" for the home folder), environment, limit_s, turn -> one command that starts or stops a
service, or reads, run to its end when ``runnable.py`` has its form: a part per line of its output as it comes
``{"line": TEXT}`` (of a long one the beginning; of very many those at the beginning and the last ones), then ok
``{"code", "why", "missed_lines"}``: the exit code, negative for a signal; ``why`` says that it was ended, and why. It
runs in a session of its own and comes to its end also when the link is lost. Commands of one ``turn`` (any text, ""
for none) wait for one another, except those that kill; one that ends a service ends one that still starts it. What
needs root is run through ``sudo -n`` as above. Errors: "command" (not on the list, not on this node, no such folder),
"busy" (another command of this turn still runs when the time is over), "root". On a captured tree nothing is run:
"command".

With ``--root DIR`` paths are those below DIR, links in it lead nowhere else, and nothing is executed: the command ARGV
answers with DIR/commands/SLUG.txt (its stdout), SLUG.stderr and SLUG.code (its exit code, 0 when missing), where SLUG
is ``command_slug(ARGV)``; without SLUG.txt and SLUG.code it is absent. The arguments that another command would add are
not part of the name. The uid is what ``id -u`` answers there.
"""

__all__ = [
    "HOME",
    "LONGEST_COMMAND_S",
    "LONGEST_LINE_BYTES",
    "LONGEST_RUN_S",
    "MOST_READ_CHARACTERS",
    "PROTOCOL",
    "command_slug",
    "greeting",
]

import hashlib
import re
from collections.abc import Sequence

PROTOCOL = 1
HOME = "/var/lib/sparktune"  # what the agent keeps on a node
LONGEST_LINE_BYTES = 64 * 1024 * 1024
# All text of one read. JSON writes no character in more than six bytes, so that an answer fits into a line.
MOST_READ_CHARACTERS = 10 * 1024 * 1024
LONGEST_COMMAND_S = 60.0
LONGEST_RUN_S = 7200.0
_LONGEST_SLUG = 120


def command_slug(argv: Sequence[str]) -> str:
    """Return the file name, without its ending, of a command's output in a captured tree.

    Anything but letters, digits, dots and underscores becomes a dash; a long one is cut and ends in a hash of it all.
    """
    line = " ".join(argv)
    slug = re.sub(r"[^A-Za-z0-9._]+", "-", line).strip("-.")
    if len(slug) <= _LONGEST_SLUG:
        return slug
    return f"{slug[:_LONGEST_SLUG]}-{hashlib.sha256(line.encode()).hexdigest()[:8]}"


def greeting(nonce: str) -> str:
    """Return the agent's first line."""
    return f"sparktune-agent {nonce}"
