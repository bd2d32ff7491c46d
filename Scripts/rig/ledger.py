"""Compares what really ran, by the outside ledger, with what the front says."""

from collections import defaultdict


class Runs:
    """The runs of jobs as their processes stamped them."""

    def __init__(self, path, process_ends):
        """`process_ends` has for each number of a process when the processes with that number ended."""
        self.runs = defaultdict(list)  # job -> [start, end, process, how]
        open_runs = {}
        for line in path.read_text().splitlines() if path.exists() else []:
            what, job, attempt, process, stamp = line.split()
            key = (job, attempt, process)
            if what == "start":
                run = {"start": int(stamp), "end": None, "process": int(process), "how": "open"}
                self.runs[job].append(run)
                open_runs[key] = run
            elif key in open_runs:
                run = open_runs.pop(key)
                run["end"], run["how"] = int(stamp), what
        # A run without an end lasted until its process was seen to be gone: the next end of that number, which the kernel gives to another
        # process after some ten thousand.
        for run in open_runs.values():
            ends = [end for end in process_ends.get(run["process"], []) if end is not None and end >= run["start"]]
            run["end"], run["how"] = min(ends, default=None), "killed"

    def overlapping(self):
        """Jobs of which two runs lay one over the other."""
        found = []
        for job, runs in self.runs.items():
            ordered = sorted(runs, key=lambda run: run["start"])
            for first, second in zip(ordered, ordered[1:]):
                if first["end"] is None or second["start"] < first["end"]:
                    found.append(job)
        return found

    def told(self, job):
        """The runs of a job in order, with seconds from the first one's start."""
        ordered = sorted(self.runs[job], key=lambda run: run["start"])
        seconds = lambda stamp: None if stamp is None else round((stamp - ordered[0]["start"]) / 1e9, 3)
        return {"job": job, "runs": [{**run, "start": seconds(run["start"]), "end": seconds(run["end"])} for run in ordered]}

    def most_at_once(self):
        """The most runs that lay over one instant."""
        edges = sorted(
            edge for runs in self.runs.values() for run in runs if run["end"] is not None for edge in ((run["start"], 1), (run["end"], -1)))
        now = most = 0
        for _, step in edges:
            now += step
            most = max(most, now)
        return most


def quantile(values, part):
    """The value below which that part of them lies; None of nothing."""
    if not values:
        return None
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, int(part * len(ordered)))]
