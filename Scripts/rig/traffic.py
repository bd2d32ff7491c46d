"""What clients of a front do in `Scripts/chaos`: each is a process of `gantry`, short-lived and killed at any time."""

import json
import random
import signal
import subprocess
import threading
import time

from .proxy import is_proxied


class Traffic:
    """Clients that submit jobs, two that read pages and one that loads another feed, until `over` is set. What a command printed is a promise, however it ended."""

    FEED = "todos"
    # Loaded again and again: its loads meet whatever is done to the worker of lists and to the origin.
    LOADED = "products"

    def __init__(self, gantry, folder, over, seed):
        """`folder` gives the folder by which client number n reaches the front."""
        self.gantry, self.folder, self.over, self.seed = gantry, folder, over, seed
        self.lock = threading.Lock()
        self.living, self.killed = {}, set()  # client -> process; the processes that were killed on purpose
        self.stopped = set()  # processes that stood still for a while: how long they took says nothing of the front
        self.loads = 0
        self.asked, self.accepted, self.submit_waits, self.failures = 0, {}, [], {}
        self.page, self.pages_read, self.page_waits, self.pages_that_differ = None, 0, [], []
        self.threads = []

    def begin(self, clients):
        """Loads the feed of which pages are read, before anything is broken; then everybody works."""
        self.command("feed", "load", self.FEED, "--timeout", "60s")
        self.page = self.command(*self.page_arguments())
        self.threads = [threading.Thread(target=self.submit, args=(number,), daemon=True) for number in range(clients)]
        # Both through proxies, where there are any.
        readers = [number for number in range(clients, clients + 4) if is_proxied(number)]
        self.threads += [threading.Thread(target=self.read_pages, args=(number,), daemon=True) for number in readers]
        self.threads.append(threading.Thread(target=self.load, args=(clients + 4,), daemon=True))
        for thread in self.threads:
            thread.start()

    def command(self, *arguments):
        """What a command prints that nobody breaks."""
        done = subprocess.run(
            [self.gantry, *arguments, "--data", str(self.folder(0))], capture_output=True, text=True, stdin=subprocess.DEVNULL)
        if done.returncode:
            raise RuntimeError(f"gantry {' '.join(arguments)}: {done.stderr.strip()}")
        return done.stdout

    def page_arguments(self):
        return ["feed", "items", self.FEED, "--limit", "1000", "--output", "jsonl"]

    def run(self, client, arguments):
        """Runs a command that may be killed. Returns its whole lines, its code, and how long it took.

        The code is None if it was killed, the time if it was killed or stopped.
        """
        begun = time.monotonic()
        process = subprocess.Popen(
            [self.gantry, *arguments, "--data", str(self.folder(client)), "--timeout", "60s"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            stdin=subprocess.DEVNULL, text=True, start_new_session=True)
        with self.lock:
            self.living[client] = process
        output, errors = process.communicate()
        with self.lock:
            del self.living[client]
            was_killed = process.pid in self.killed and process.returncode == -signal.SIGKILL
            if process.returncode and not was_killed:
                text = errors.strip().splitlines()
                key = f"{arguments[0]} {arguments[1]}: code {process.returncode}: {text[0][:120] if text else ''}"
                self.failures[key] = self.failures.get(key, 0) + 1
            seconds = None if was_killed or process.pid in self.stopped else time.monotonic() - begun
        lines = [line for line in output.splitlines(keepends=True) if line.endswith("\n")]
        return lines, None if was_killed else process.returncode, seconds

    def submit(self, client):
        generator = random.Random(self.seed * 1_000 + client)
        while not self.over.is_set():
            count = generator.choice((1, 1, 2, 5, 10))
            loader = generator.choice(("stamp", "stamp", "stamp", "stamp-once"))
            with self.lock:
                self.asked += count
            lines, code, seconds = self.run(
                client, ["job", "submit", loader, "--any-loader", "--argument", str(generator.choice((5, 20, 100, 400))), "--count", str(count), "--output", "jsonl"])
            with self.lock:
                if seconds is not None:
                    self.submit_waits.append(seconds)
                for line in lines:
                    self.accepted[json.loads(line)["id"]] = loader
            self.over.wait(generator.uniform(0.05, 0.4))

    def read_pages(self, client):
        generator = random.Random(self.seed * 1_000 + client)
        while not self.over.is_set():
            lines, code, seconds = self.run(client, self.page_arguments())
            if code == 0:
                with self.lock:
                    self.pages_read += 1
                    self.page_waits += [] if seconds is None else [seconds]
                    if "".join(lines) != self.page:
                        self.pages_that_differ.append("".join(lines)[:400])
            self.over.wait(generator.uniform(0.05, 0.4))

    def load(self, client):
        """Loads a feed; a load that fails while the origin is away is no broken promise."""
        generator = random.Random(self.seed * 1_000 + client)
        while not self.over.is_set():
            _, code, _ = self.run(client, ["feed", "load", self.LOADED])
            self.loads += code == 0
            self.over.wait(generator.uniform(0.1, 1))

    def kill_one(self, generator):
        """Kills a client in the middle of its command; returns its process, None when none ran within a second."""

        def kill(process):
            self.killed.add(process.pid)
            process.kill()
            return process.pid

        return self.pick(generator, kill)

    def one_to_stop(self, generator):
        """A client in the middle of its command, None when none ran within a second."""

        def stop(process):
            self.stopped.add(process.pid)
            return process

        return self.pick(generator, stop)

    def pick(self, generator, use):
        end = time.monotonic() + 1
        while time.monotonic() < end:
            with self.lock:
                if self.living:
                    return use(self.living[generator.choice(sorted(self.living))])
            time.sleep(0.005)
        return None

    def join(self, seconds):
        for thread in self.threads:
            thread.join(seconds)

    def close(self):
        with self.lock:
            for process in self.living.values():
                process.kill()
