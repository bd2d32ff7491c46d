"""The processes of one run of `Scripts/chaos` or `Scripts/limit-trial`: a front and workers that are killed and stopped, and started again."""

import json
import signal
import subprocess
import sys
import threading
import time

from .processes import Place, last_words, program
from .proxy import CHANNELS, Links, is_proxied

SLOTS = 4


class Crew:
    """A front, numbered workers that stamp their runs, and what else a run has. `options` has `gantry`, `worker_program`, `workers`, `every`, `seed`, `keep`."""

    NAME = "crew"

    def __init__(self, options, prefix):
        self.options, self.slots = options, options.workers * SLOTS
        self.gantry = program("gantry", options.gantry)
        self.worker_program = program("ChaosWorker", options.worker_program)
        self.place = Place(prefix)
        self.ledger = self.place.path / "ledger"
        # Named as long as the data folder, so that a welcome that is read on its way keeps its length.
        self.link = self.place.path / "link"
        self.over = threading.Event()  # no faults, no new jobs
        self.closing = threading.Event()
        self.lock = threading.Lock()
        self.process_ends, self.problems = {}, []
        self.front, self.workers, self.links = None, {}, None

    def folder(self, number):
        """By which folder number n of the clients, workers or observers reaches the front."""
        return self.link if self.options.every["link"] > 0 and is_proxied(number) else self.place.data

    # Processes.

    def front_arguments(self):
        return ["front", "--data", self.place.data]

    def others(self):
        """Processes beside the front and the numbered workers, each with what starts it again."""
        return ()

    def start_front(self):
        self.front = self.place.start("front", [self.gantry, *self.front_arguments()])

    def start_links(self, channels=CHANNELS):
        """Proxies for the sockets of the front, those of `channels` to be broken."""
        if self.options.every["link"] > 0:
            self.links = Links(self.place.data / "run", self.link / "run", self.options.seed, channels)
            # A worker takes the records of its runs to where it believes its front to be.
            (self.link / "audit").symlink_to(self.place.data / "audit")

    def start_worker(self, number):
        # The front knows nothing of the process of a worker that comes through a proxy.
        endpoint = f"ipc://{self.folder(number)}/run/workers"
        self.workers[number] = self.place.start(
            f"worker-{number}", [self.worker_program, endpoint, f"worker-{number}", str(SLOTS), self.ledger], ready=False)

    def supervise(self):
        """Starts again what has died, as `gantry up` does after 0.1 s."""
        while not self.closing.wait(0.05):
            if not self.front.is_running:
                self.reap(self.front)
                self.closing.wait(0.1)
                self.start_front()
            for part, start in self.others():
                if not part.is_running:
                    self.reap(part)
                    self.closing.wait(0.05)
                    start()
            for number, worker in list(self.workers.items()):
                if not worker.is_running:
                    self.reap(worker)
                    self.closing.wait(0.05)
                    self.start_worker(number)

    def reap(self, process):
        code = process.reap()
        with self.lock:
            self.process_ends.setdefault(process.pid, []).append(process.ended_at)
            if code not in (0, -signal.SIGKILL):
                self.problems.append(f"{process.name} (process {process.pid}) ended by itself with {code}: {last_words(process.log.name)}")

    def everyone(self):
        return [self.front, *(part for part, _ in self.others()), *self.workers.values()]

    def resume(self):
        for process in self.everyone():
            process.send_signal(signal.SIGCONT)

    def stop(self):
        """Ends all, the front last, and notes when."""
        self.closing.set()
        for process in reversed(self.everyone()):
            process.stop()
            self.process_ends.setdefault(process.pid, []).append(process.ended_at)

    # What the front says.

    def listed(self):
        """Every job that the front still knows, by id."""
        jobs, before = {}, None
        while True:
            command = [self.gantry, "job", "list", "--limit", "1000", "--data", str(self.place.data), "--output", "json", "--timeout", "30s"]
            done = subprocess.run(command + (["--before", before] if before else []), capture_output=True, text=True)
            if done.returncode:
                raise RuntimeError(f"job list: {done.stderr.strip()}")
            page = json.loads(done.stdout)
            jobs.update((job["id"], job) for job in page["items"])
            before = page.get("next")
            if not before:
                return jobs

    def wait_until_done(self, seconds):
        """All jobs, and those that have not ended when the time is over."""
        end = time.monotonic() + seconds
        while True:
            jobs = self.listed()
            still = [job for job in jobs.values() if job["state"] in ("waiting", "scheduled", "running", "cancelling")]
            if not still or time.monotonic() > end:
                return jobs, still
            time.sleep(0.5)

    def close(self):
        self.over.set()
        self.closing.set()
        if self.links:
            self.links.stop()
        for process in self.place.processes:
            try:
                process.send_signal(signal.SIGCONT)
                process.kill()
            except Exception:  # the others have to go all the same
                pass
        self.unmount()
        self.place.processes = []
        if self.options.keep:
            print(f"{self.NAME}: kept {self.place.path}", file=sys.stderr)
        self.place.close(keep=self.options.keep)

    def unmount(self):
        """Takes away what the run has mounted."""
