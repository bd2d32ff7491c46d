"""Reads the records of deploy/bench: a line for each run with its row, its round, and what the run printed."""

import json
import os
import re
import statistics

# What the peers call the figures that `gantry bench` prints as JSON.
NAMES = {
    "jobs_per_s": "jobsPerSecond",
    "busy_p50_us": "busyMedianMicroseconds",
    "busy_p99_us": "busyP99Microseconds",
    "p50_us": "medianMicroseconds",
    "p99_us": "p99Microseconds",
}


class Records:
    """The runs of one measurement, by row and in order of the rounds."""

    def __init__(self, path):
        self._runs = {}
        with open(path, encoding="utf-8") as file:
            for line in file:
                row, _, printed = line.rstrip("\n").split("\t", 2)
                self._runs.setdefault(row, []).append(_figures(printed))

    def has(self, row):
        """Whether the row was measured."""
        return row in self._runs

    def values(self, row, *names):
        """A figure of each run; `names` lead into what is nested."""
        values = []
        for run in self._runs.get(row, []):
            for name in names:
                run = run.get(name) if isinstance(run, dict) else None
            if run is not None:
                values.append(float(run))
        return values

    def median(self, row, *names):
        """The median over the rounds; None where nothing was measured."""
        values = self.values(row, *names)
        return statistics.median(values) if values else None

    def ratio(self, row, other, name):
        """The median over the rounds of one row's figure divided by the other's in the same round."""
        pairs = list(zip(self.values(row, name), self.values(other, name)))
        return statistics.median(a / b for a, b in pairs) if pairs else None

    def rounds(self):
        """How many rounds there were."""
        return max(len(runs) for runs in self._runs.values())


def _figures(printed):
    if printed.startswith("{"):
        return json.loads(printed)
    words = dict(word.split("=", 1) for word in printed.split())
    return {NAMES.get(name, name): value for name, value in words.items()}


def machine():
    """The machine that measures, in a few words."""
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*:\s*(.*)", file.read())
    name = model.group(1).strip() if model else os.uname().machine
    return f"{os.cpu_count()} cores of {name}, Linux {os.uname().release.split('-')[0]}"
