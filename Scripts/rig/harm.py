"""What `Scripts/chaos` does to the processes, links and disk of a run, each in a thread of its own until the run is over."""

import random
import signal
import threading

from .proxy import HALF_OPEN_LEAST, KINDS
from .timelines import Faults

LONGEST_LINK_FAULT = (6, 2.5)  # in seconds; the second is for short runs


class Harm:
    """The faults of one run. `run` is the `Chaos` that they are done to."""

    def __init__(self, run, seed):
        self.run, self.every, self.over = run, run.options.every, run.over
        self.generator, self.faults, self.threads = random.Random(seed), Faults(), []

    def begin(self):
        # Name of the period, kind of the fault, what is done; links have their kinds by socket.
        self.kinds = []
        for name, kind, act in (
            ("front", "front killed", self.kill_front), ("worker", "worker killed", self.kill_worker),
            ("stop", "worker stopped", self.stop_worker), ("pause-front", "front stopped", self.pause_front),
            ("client", "client killed", self.kill_client), ("stop-client", "client stopped", self.stop_client),
            ("observer", "observer killed", self.kill_observer), ("stop-observer", "observer stopped", self.stop_observer),
            ("lists", "list worker killed", self.kill_lists), ("stop-lists", "list worker stopped", self.stop_lists),
            ("origin", "origin killed", self.kill_origin), ("stop-origin", "origin stopped", self.stop_origin),
            ("disk", "disk full", self.fill_disk)):
            if self.every[name] > 0 and not (name == "disk" and self.run.options.no_disk):
                self.kinds.append(kind)
                self.each(self.every[name], act)
        if self.run.links:
            self.kinds += [f"links: {channel} {kind}" for channel in self.run.links.channels for kind in KINDS]
            self.each(self.every["link"], self.break_links)

    def missing(self):
        """Kinds of faults that there were none of yet."""
        counts = self.faults.counts()
        return [kind for kind in self.kinds if kind not in counts]

    def join(self, seconds):
        for thread in self.threads:
            thread.join(seconds)

    def each(self, period, act):
        """Does `act` about each `period` seconds, in a thread of its own."""
        generator = random.Random(self.generator.random())

        def go():
            while not self.over.wait(period * generator.uniform(0.8, 1.2)):
                act(generator)

        thread = threading.Thread(target=go, daemon=True)
        thread.start()
        self.threads.append(thread)

    def stop(self, process, kind, seconds):
        fault = self.faults.begin(kind, process.pid)
        process.send_signal(signal.SIGSTOP)
        self.over.wait(seconds)
        process.send_signal(signal.SIGCONT)
        self.faults.end(fault)

    def kill(self, process, kind):
        self.faults.begin(kind, process.pid)
        process.send_signal(signal.SIGKILL)

    def a_worker(self, generator):
        return self.run.workers[generator.randrange(len(self.run.workers))]

    def kill_front(self, generator):
        self.kill(self.run.front, "front killed")

    def pause_front(self, generator):
        self.stop(self.run.front, "front stopped", generator.uniform(0.3, 3))

    def kill_worker(self, generator):
        self.kill(self.a_worker(generator), "worker killed")

    def stop_worker(self, generator):
        self.stop(self.a_worker(generator), "worker stopped", generator.uniform(0.3, 8))

    def kill_client(self, generator):
        process = self.run.traffic.kill_one(generator)
        if process is not None:
            self.faults.begin("client killed", process)

    def stop_client(self, generator):
        process = self.run.traffic.one_to_stop(generator)
        if process is not None:
            self.stop(process, "client stopped", generator.uniform(0.3, 8))

    def kill_lists(self, generator):
        self.kill(self.run.list_worker, "list worker killed")

    def stop_lists(self, generator):
        self.stop(self.run.list_worker, "list worker stopped", generator.uniform(0.3, 8))

    def kill_origin(self, generator):
        self.kill(self.run.origin, "origin killed")

    def stop_origin(self, generator):
        self.stop(self.run.origin, "origin stopped", generator.uniform(0.3, 8))

    def stop_observer(self, generator):
        observers = self.run.observers
        self.stop(observers.living[generator.randrange(len(observers.living))][0], "observer stopped", generator.uniform(0.3, 8))

    def kill_observer(self, generator):
        observers = self.run.observers
        number = generator.randrange(len(observers.living))
        self.faults.begin("observer killed", observers.living[number][0].pid)
        observers.kill(number)

    def break_links(self, generator):
        links = self.run.links
        channel, kind = links.draw()
        seconds = generator.uniform(0.5, LONGEST_LINK_FAULT[self.run.options.short])
        fault = self.faults.begin(f"links: {channel} {kind}")
        fault["links"] = 0
        fault["end"] += int((seconds + (HALF_OPEN_LEAST if kind == "half-open" else 0)) * 1e9)
        links.broken(channel, kind, seconds, fault)

    def fill_disk(self, generator):
        path = self.run.place.data / "filling"
        try:
            with open(path, "wb") as file:
                while True:
                    file.write(bytes(1 << 20))
        except OSError:
            pass
        fault = self.faults.begin("disk full")
        self.over.wait(3)
        path.unlink(missing_ok=True)
        self.faults.end(fault)
