"""Runs one check against one mutant, for as long as it may take, and says what it has found."""

import json
import os
import re
import signal
import subprocess
import tempfile
import threading
import time
from pathlib import Path

# For how long nothing of a check may run, its own children apart.
STILL_SECONDS = 300
# The sweep is interrupted: what runs is ended.
LEAVING = threading.Event()


def run(command, folder, number, seconds, **environment):
    """What a check says against the mutant (None: nothing), and the processor time that it took.

    It is ended as soon as it has said something, takes more of that than it may, or stands still: that says something, too. On a busy machine
    neither comes sooner.
    """
    with tempfile.TemporaryFile() as said:
        environment |= {"GANTRY_MUTANT": str(number), "SWIFT_BACKTRACE": "enable=no"}
        child = subprocess.Popen(
            command, cwd=folder, env={**os.environ, **environment}, stdout=said, stderr=said, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            finding, took = watch(child, seconds, said)
        finally:
            if child.returncode is None:
                os.killpg(child.pid, signal.SIGKILL)
                child.wait()
        if child.returncode < 0 and finding is None:
            finding = f"ended by signal {-child.returncode}"
        elif child.returncode > 0:
            finding = first_finding(said) or f"exit code {child.returncode}"
    return finding, took


def watch(child, seconds, said):
    """Waits for a child's end or its first finding: that or why it has to be ended (None: it has ended), and its processor time."""
    used, moved_at = 0, time.monotonic()
    while True:
        time.sleep(0.2)
        ended, status, usage = os.wait4(child.pid, os.WNOHANG)
        if ended:
            child.returncode = os.waitstatus_to_exitcode(status)
            return None, usage.ru_utime + usage.ru_stime
        before, used = used, processor_seconds(child.pid)
        if used != before or is_running(child.pid):
            moved_at = time.monotonic()
        if finding := first_finding(said):
            return finding, used
        if LEAVING.is_set():
            return "interrupted", used
        if used > seconds:
            return f"not done after {seconds:.0f} s of processor time", used
        if time.monotonic() - moved_at > STILL_SECONDS:
            return f"stands still for {STILL_SECONDS} s", used


def processor_seconds(process):
    """What a process has used, its ended children with it."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")


def is_running(process):
    """Whether a thread of a process runs, or would if the machine were not busy."""
    for task in Path(f"/proc/{process}/task").iterdir():
        try:
            if (task / "stat").read_text().rpartition(")")[2].split()[0] == "R":
                return True
        except OSError:
            continue  # The thread has ended.
    return False


def first_finding(said):
    """The first failed test, or the first broken promise, in what a check has said until now."""
    # Where the check writes on is one place with where a read begins, unless that is said.
    text = os.pread(said.fileno(), os.fstat(said.fileno()).st_size, 0).decode(errors="replace")
    test = re.search(r'✘ Test (".*?"|\S+).* (?:failed|recorded)', text)
    if test:
        return test.group(1)
    for line in text.splitlines():
        if line.startswith("{") and line.endswith("}") and '"invariant"' in line:
            seed = json.loads(line)
            return f"seed {seed['seed']}: {seed['invariant']}"
    return None
