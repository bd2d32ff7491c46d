"""Tells from outside why jobs were granted again and where the time of slow ones went: by the ledger of runs and the log of faults."""

import time
from datetime import datetime

from .proxy import is_proxied

LEASE = 5.5  # seconds until a front frees the slots of a silent worker
WORKER_LINKS = "links: workers"  # what was done to links of others lost no job


def wall_offset():
    """Nanoseconds from the boot clock to the wall clock."""
    return time.time_ns() - time.clock_gettime_ns(time.CLOCK_BOOTTIME)


class Faults:
    """What was done to whom: kind, process (None: links or the disk), beginning and end by the boot clock."""

    def __init__(self):
        self.entries = []

    def begin(self, kind, process=None):
        """Notes a fault; `end` of what it returns notes how long it lasted."""
        now = time.clock_gettime_ns(time.CLOCK_BOOTTIME)
        entry = {"kind": kind, "process": process, "begin": now, "end": now}
        self.entries.append(entry)
        return entry

    @staticmethod
    def end(entry):
        entry["end"] = time.clock_gettime_ns(time.CLOCK_BOOTTIME)

    def between(self, begin, end, process=None, kinds=()):
        """Faults that were felt in that time; of one process, or of none in particular. One that met no link was not felt."""
        return [
            entry for entry in self.entries
            if entry.get("links", 1) and entry["begin"] <= end and entry["end"] >= begin and (process is None or entry["process"] in (None, process))
            and (not kinds or any(entry["kind"].startswith(kind) for kind in kinds))]

    def counts(self):
        """How many there were of each kind; one of links that met no link was none."""
        found = {}
        for entry in self.entries:
            if entry.get("links", 1):
                found[entry["kind"]] = found.get(entry["kind"], 0) + 1
        return dict(sorted(found.items()))


class Timelines:
    """The jobs of a run as they look from outside."""

    def __init__(self, runs, faults, names, jobs):
        self.runs, self.faults, self.names, self.jobs = runs, faults, names, jobs
        self.offset = wall_offset()

    def instant(self, text):
        """A time of the front on the boot clock."""
        return int(datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp() * 1e9) - self.offset

    def ordered(self, job):
        return sorted(self.runs.runs.get(job, []), key=lambda run: run["start"])

    def granted_again(self):
        """How often each reason made the front grant a job once more than its last grant; what has none is `unexplained`."""
        reasons = {}
        for job in self.jobs.values():
            for reason in self.losses(job)[:max(0, job.get("attempts", 0) - 1)]:
                reasons[reason] = reasons.get(reason, 0) + 1
        return dict(sorted(reasons.items()))

    def losses(self, job):
        """Why each grant of a job came to nothing, the last one too unless it succeeded."""
        runs, grants = self.ordered(job["id"]), job.get("attempts", 0)
        if job["state"] == "succeeded":
            runs, grants = runs[:-1], grants - 1
        found = [self.why_lost(run) for run in runs[:max(0, grants)]]
        return found + [self.why_not_begun(job, self.ordered(job["id"]))] * max(0, grants - len(found))

    @staticmethod
    def is_death(reason):
        """Whether a front may count it as a death of a worker: its process or its link was away."""
        return not reason.startswith("unexplained") and any(word in reason for word in ("worker", "links"))

    def was_disturbed(self, job):
        """Whether something was done to a worker or its link, or the front stood still, while the job was known."""
        begin = self.instant(job["acceptedAt"]) - int(LEASE * 1e9)
        end = self.instant(job["endedAt"]) if "endedAt" in job else 1 << 63
        return bool(self.faults.between(begin, end, None, ["worker", WORKER_LINKS, "front"]))

    def why_lost(self, run):
        """Why the job of a run ran again."""
        # A run that goes on under a stopped worker, or behind a broken link, is lost at the end of its lease.
        begin, end = run["start"] - int(LEASE * 1e9), (run["end"] or run["start"]) + int(LEASE * 1e9)
        if run["how"] == "killed":
            # A fault is noted a moment before it is done.
            if self.faults.between(run["start"] - int(1e9), end, run["process"], ["worker killed"]):
                return "its worker was killed"
            if self.faults.between(begin, end, run["process"], ["worker stopped"]):
                return "its worker was stopped for longer than its lease, and ended by the kernel"
            if self.faults.between(begin, end, None, [WORKER_LINKS]) and self.is_proxied(run["process"]):
                return "the links of its worker were broken for longer than its lease"
            return "unexplained: its worker ended by itself"
        how = "stopped at the end of its lease" if run["how"] == "stopped" else "ended, and the front did not hear of it in time"
        for kinds in (["worker killed"], ["worker stopped"], [WORKER_LINKS], ["front stopped", "front killed"], ["disk"]):
            if kinds == [WORKER_LINKS] and not self.is_proxied(run["process"]):
                continue
            process = run["process"] if kinds[0].startswith("worker") else None
            if self.faults.between(begin, end, process, kinds):
                return f"its run was {how}: {kinds[0]}" if run["how"] == "stopped" else f"its run {how}: {kinds[0]}"
        return f"unexplained: its run {how}"

    def why_not_begun(self, job, runs):
        """Why a grant that no run followed was made in vain."""
        begin = self.instant(job["acceptedAt"])
        end = runs[-1]["start"] if runs else self.instant(job["endedAt"]) if "endedAt" in job else begin
        # What is loaded runs in the worker of lists, which no proxy stands before.
        holders = (["worker killed"], ["worker stopped"], [WORKER_LINKS])
        if not job["loader"].startswith("stamp"):
            holders = (["list worker killed"], ["list worker stopped"])
        for kinds in (*holders, ["front"], ["disk"]):
            if self.faults.between(begin - int(LEASE * 1e9), end, None, kinds):
                return f"granted and never begun: {kinds[0] if kinds != ['front'] else 'front killed or stopped'}"
        return "unexplained: granted and never begun"

    def is_proxied(self, process):
        name = self.names.get(process, "")
        return name.startswith("worker-") and is_proxied(int(name.split("-")[1])) and bool(self.faults.between(0, 1 << 63, None, [WORKER_LINKS]))

    def slowest(self, count):
        """Of the slowest jobs what happened when, in seconds since they were accepted."""
        def took(job):
            return self.instant(job["endedAt"]) - self.instant(job["acceptedAt"])

        ended = sorted((job for job in self.jobs.values() if "endedAt" in job), key=took, reverse=True)[:count]
        return [self.timeline(job, took(job)) for job in ended]

    def timeline(self, job, took):
        begin = self.instant(job["acceptedAt"])
        events = [(took, f"is {job['state']}")]
        caught = {None}
        for run in self.ordered(job["id"]):
            caught.add(run["process"])
            name = self.names.get(run["process"], run["process"])
            events.append((run["start"] - begin, f"runs in {name}"))
            if run["end"]:
                events.append((run["end"] - begin, f"run in {name}: {run['how']}"))
        for entry in self.faults.between(begin - int(1e9), begin + took):
            if entry["process"] in caught or entry["kind"].startswith("front"):
                name = self.names.get(entry["process"], "")
                lasting = f" for {(entry['end'] - entry['begin']) / 1e9:.1f} s" if entry["end"] > entry["begin"] else ""
                events.append((entry["begin"] - begin, f"({entry['kind']} {name}{lasting})"))
        text = [f"{at / 1e9:+.2f} {what}" for at, what in sorted(events)]
        return {"job": job["id"], "seconds": round(took / 1e9, 2), "attempts": job.get("attempts"), "crashCount": job.get("crashCount"), "events": text}
