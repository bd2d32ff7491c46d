"""Starts Gantry's processes for `Scripts/attack` and `Scripts/chaos`, and reads what they cost out of /proc."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent


class Missing(Exception):
    """Something that has to be installed or built first; the text says how."""


def program(name, given=None):
    """The optimized program of the package, else the debug one; `given` names another."""
    candidates = [Path(given)] if given else [ROOT / ".build/release" / name, ROOT / ".build/debug" / name]
    for candidate in candidates:
        if candidate.is_file():
            return str(candidate.resolve())
    raise Missing(f"{name} is not built: run swift build -c release --static-swift-stdlib --product {name}, or name one with its option")


class Process:
    """A child that leads a process group of its own, so that nothing of it is left behind."""

    def __init__(self, name, arguments, log, ready=True, environment=None):
        self.name, self.arguments = name, arguments
        self.log = open(log, "ab")
        self.ended_at = None
        reading, writing = os.pipe()
        command = list(map(str, arguments)) + (["--ready-fd", str(writing)] if ready else [])
        self.child = subprocess.Popen(
            command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log, pass_fds=[writing], start_new_session=True,
            env={**os.environ, "SWIFT_BACKTRACE": "enable=no", **(environment or {})})
        os.close(writing)
        self.pipe = reading
        self.ready_line = None
        threading.Thread(target=self.note_end, daemon=True).start()

    def note_end(self):
        """Notes when the process ended, by the boot clock, so that a run without an end has one: whoever reaps it may come late."""
        try:
            os.waitid(os.P_PID, self.child.pid, os.WEXITED | os.WNOWAIT)
        except ChildProcessError:
            return  # It was reaped at once, and that was noted.
        self.ended_at = self.ended_at or time.clock_gettime_ns(time.CLOCK_BOOTTIME)

    @property
    def pid(self):
        return self.child.pid

    def wait_ready(self, seconds=30):
        """Waits until the process says that it is ready; returns what it said."""
        text, end = b"", time.monotonic() + seconds
        while b"\n" not in text:
            readable, _, _ = select.select([self.pipe], [], [], max(0, end - time.monotonic()))
            part = os.read(self.pipe, 65536) if readable else b""
            if not part:
                raise RuntimeError(f"{self.name} did not get ready within {seconds} s: see {self.log.name}")
            text += part
        self.ready_line = json.loads(text.split(b"\n")[0])
        return self.ready_line

    def send_signal(self, number):
        if self.child.poll() is None:
            try:
                os.kill(self.child.pid, number)
            except ProcessLookupError:
                pass

    @property
    def is_running(self):
        return self.child.poll() is None

    def reap(self, seconds=30):
        """Waits for the end."""
        code = self.child.wait(seconds)
        self.ended_at = self.ended_at or time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        if not self.log.closed:
            os.close(self.pipe)
            self.log.close()
        return code

    def kill(self):
        self.send_signal(signal.SIGKILL)
        return self.reap()

    def stop(self, seconds=15):
        """Asks the process to end, and ends it when it does not."""
        if not self.is_running:
            return self.reap()
        self.send_signal(signal.SIGCONT)
        self.send_signal(signal.SIGTERM)
        try:
            return self.reap(seconds)
        except subprocess.TimeoutExpired:
            return self.kill()

    # What it costs.

    def memory(self):
        """(resident now, most ever) in MiB."""
        fields = {}
        for line in Path(f"/proc/{self.pid}/status").read_text().splitlines():
            key, _, value = line.partition(":")
            fields[key] = value.split()
        return int(fields["VmRSS"][0]) / 1024, int(fields["VmHWM"][0]) / 1024

    def processor_seconds(self):
        fields = Path(f"/proc/{self.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def last_words(path):
    """What a process that ended by itself wrote about it: what failed, or its last lines."""
    lines = [line.strip() for line in Path(path).read_text(errors="replace").splitlines() if line.strip()]
    faults = [line for line in lines if "Fatal error" in line or "ssertion" in line or "abort" in line.lower()]
    return " | ".join(faults[:3] or lines[-3:])[:600] or "no word"


class Place:
    """A folder for one run; its path is short because socket paths are."""

    def __init__(self, prefix):
        import tempfile

        self.path = Path(tempfile.mkdtemp(prefix=prefix, dir="/tmp"))
        self.data = self.path / "data"
        self.processes = []

    def start(self, name, arguments, **options):
        process = Process(name, arguments, self.path / f"{name}.log", **options)
        self.processes.append(process)
        return process

    def close(self, keep=False):
        for process in reversed(self.processes):
            try:
                process.send_signal(signal.SIGCONT)
                process.kill()
            except Exception as error:  # the others have to go all the same
                print(f"{process.name}: {error}", file=sys.stderr)
        if not keep:
            shutil.rmtree(self.path, ignore_errors=True)


def end_on_signals():
    """SIGTERM and SIGINT raise, so that `finally` ends the children."""

    def leave(number, frame):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)


def install_hint(*packages):
    return "apt-get install --yes " + " ".join(packages)
