#!/usr/bin/python3
"""Shows that the verdicts of `Scripts/chaos`, `Scripts/attack` and `Scripts/limit-trial` see what they are for: runs by the book, and runs with each thing broken in them."""

import json
import sys
import tempfile
from datetime import datetime, timezone
from pathlib import Path
from types import SimpleNamespace

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True

from rig import hurt, limits  # noqa: E402
from rig.ledger import Runs  # noqa: E402
from rig.observers import agreement  # noqa: E402
from rig.timelines import Faults, Timelines, wall_offset  # noqa: E402
from rig.traffic import Traffic  # noqa: E402
from rig.verdict import judge  # noqa: E402

SECOND = 1_000_000_000
START = 1_000 * SECOND  # of every run, by the boot clock


def instant(seconds):
    """A time of the front, so long after the start of all runs."""
    return datetime.fromtimestamp((START + wall_offset()) / SECOND + seconds, timezone.utc).isoformat().replace("+00:00", "Z")


class Injected:
    """A run of three jobs by the book; `break_it` changes what came of it."""

    def __init__(self, folder, break_it):
        self.options = SimpleNamespace(seconds=1, timelines=0, aims=False)
        self.slots, self.problems, self.faults = 4, [], Faults()
        self.traffic = Traffic("gantry", None, None, 1)
        self.traffic.accepted = {"1": "stamp", "2": "stamp-once", "3": "stamp"}
        self.traffic.pages_read = self.traffic.loads = 1
        self.lines = [f"{what} {job} 1 {job}0 {START + at * SECOND}" for job in "123" for what, at in (("start", 1), ("end", 2))]
        self.jobs = {
            job: {"id": job, "loader": loader, "state": "succeeded", "attempts": 1, "acceptedAt": instant(0), "endedAt": instant(3)}
            for job, loader in self.traffic.accepted.items()}
        self.still, self.process_ends = [], {}
        self.shown = [[self.change("jobs", 1, "a")], [self.change("jobs", 1, "a")]]
        break_it(self)
        ledger = folder / "ledger"
        ledger.write_text("".join(line + "\n" for line in self.lines))
        self.runs = Runs(ledger, self.process_ends)
        paths = [folder / f"observer-{number}" for number in range(len(self.shown))]
        for path, changes in zip(paths, self.shown):
            path.write_text("".join(json.dumps(change) + "\n" for change in changes))
        self.verdict = judge(self, self.jobs, self.still, agreement(paths, paths))

    @staticmethod
    def change(topic, sequence, checksum):
        return {"topic": topic, "epoch": 1, "sequence": sequence, "checksum": checksum, "verified": True}

    def timelines(self, jobs):
        return Timelines(self.runs, self.faults, {}, jobs)

    def run(self, job, begin, end=None, process=99):
        self.lines += [f"start {job} 2 {process} {START + int(begin * SECOND)}"]
        self.lines += [f"end {job} 2 {process} {START + int(end * SECOND)}"] if end else []

    def end(self, job, state, code=None, **more):
        self.jobs[job].update(state=state, failure={"code": code or state}, **more)

    def fault(self, kind, seconds, process=None):
        entry = self.faults.begin(kind, process)
        entry["begin"] = entry["end"] = START + int(seconds * SECOND)
        self.process_ends.setdefault(process, []).append(entry["end"])

    def killed(self):
        """A job that may not be repeated and whose worker was killed: nothing is broken."""
        self.fault("worker killed", 1.5, 20)
        self.lines = [line for line in self.lines if not line.startswith("end 2")]
        self.end("2", "failed", "outcomeUnknown")

    def reused(self):
        """A job whose worker was killed, which ran again; later another worker had the same process number: nothing is broken."""
        self.fault("worker killed", 1.5, 10)
        self.lines = [line for line in self.lines if not line.startswith("end 1")]
        self.run("1", 2, 2.5)
        self.jobs["1"].update(attempts=2)
        self.process_ends[10].append(START + 100 * SECOND)

    def loaded_again(self, kind):
        """A load that was granted twice while something was done."""
        self.fault(kind, 1.5, 20)
        self.jobs["4"] = {**self.jobs["1"], "id": "4", "loader": "http", "attempts": 2}

    def quarantined(self, deaths):
        for number in range(deaths):
            self.fault("worker killed", 1 + number, 30 + number)
        self.lines = [line for line in self.lines if " 3 1 " not in line]
        for number in range(deaths):
            self.run("3", 0.5 + number, process=30 + number)
        self.end("3", "quarantined", attempts=deaths)


# Each a name in `broken`, or None where nothing is broken, and what is done to the run.
INJECTED = [
    (None, lambda run: None),
    (None, lambda run: run.killed()),
    (None, lambda run: run.quarantined(3)),
    (None, lambda run: run.reused()),
    ("lost", lambda run: run.jobs.pop("1")),
    ("doubled", lambda run: run.run("2", 5, 6)),
    ("overlapping", lambda run: run.run("1", 1.5, 3)),
    ("succeeded_without_a_run", lambda run: run.lines.remove(run.lines[1])),
    ("not_ended", lambda run: run.still.append(run.jobs["1"])),
    ("ended_wrongly", lambda run: run.end("1", "failed", "outcomeUnknown")),
    ("ended_wrongly", lambda run: run.end("2", "failed", "outcomeUnknown")),
    ("ended_wrongly", lambda run: run.end("1", "failed", "crashed")),
    ("ended_wrongly", lambda run: run.end("1", "cancelled")),
    ("ended_wrongly", lambda run: run.quarantined(2)),
    ("pages_that_differ", lambda run: run.traffic.pages_that_differ.append("{}")),
    ("observers", lambda run: run.shown.append([run.change("jobs", 1, "b")])),
    ("observers", lambda run: run.shown.append([run.change("jobs", 2, "a")])),
    ("nothing was accepted", lambda run: run.traffic.accepted.clear()),
    ("no page was read", lambda run: setattr(run.traffic, "pages_read", 0)),
    ("no feed was loaded", lambda run: setattr(run.traffic, "loads", 0)),
    (None, lambda run: run.loaded_again("list worker killed")),
    (None, lambda run: run.loaded_again("list worker stopped")),
    ("a job was granted again for no reason", lambda run: run.loaded_again("worker killed")),
    ("a job was granted again for no reason", lambda run: (run.jobs["1"].update(attempts=2), run.fault("list worker killed", 1.5, 20))),
    ("a process ended by itself", lambda run: run.problems.append("front")),
    ("a job was granted again for no reason", lambda run: run.jobs["1"].update(attempts=2)),
    (None, lambda run: run.jobs["1"].update(endedAt=instant(20))),
    ("aims", lambda run: (run.jobs["1"].update(endedAt=instant(20)), setattr(run.options, "aims", True))),
]


# An attack that was withstood, what changes of it, and a part of what the verdict then says; None: nothing.
WITHSTOOD = {
    "silence_seconds": 0.1, "silence_before": 0.01, "silence_bound": 0.5, "notes": ["12 frames"], "worker_runs": True, "front_runs": True,
    "processor_seconds": 1.0, "grown_mib": 20.0, "accepts_afterwards": True}
ATTACKED = [
    (None, "most", {}),
    ("the good client waited 0.60 s", "most", {"silence_seconds": 0.6}),
    ("FAILED", "most", {"notes": ["FAILED: the frame was taken"]}),
    ("the worker has ended", "most", {"worker_runs": False}),
    ("the front has ended", "most", {"front_runs": False}),
    (None, "most", {"grown_mib": 255.0}),
    ("memory grew by 257 MiB", "most", {"grown_mib": 257.0}),
    ("memory was still larger by 65 MiB", "after", {"grown_mib": 65.0}),
    ("not accepted", "most", {"accepts_afterwards": False}),
    (None, "most", {"processor_seconds": 3.0}),
    ("3.5 times the processor time", "most", {"processor_seconds": 3.5}),
]


# Limits that two jobs at once, of two tenants, keep to; what is done to their runs, and a part of what the verdict then says; None: nothing.
RULES = {"all": limits.Rule(capacity=2), "pace": limits.Rule(rate=1, burst=2), "tenant": limits.Rule(capacity=1)}


class Limited:
    """A run of four jobs, two at once, by the book; `break_it` changes what came of it."""

    def __init__(self, folder, break_it):
        self.lines = [
            f"{what} {job} 1 {job}0 {START + int((at + job // 3) * 2 * SECOND)}" for job in (1, 2, 3, 4) for what, at in (("start", 0), ("end", 0.5))]
        self.values = {str(job): {"all": "", "pace": "", "tenant": "ab"[job % 2]} for job in (1, 2, 3, 4)}
        self.jobs = {job: {"id": job, "state": "succeeded"} for job in self.values}
        self.audit = {"state": "held", "limits": [{"limit": "all", "attempts": 4, "state": "held"}]}
        self.still, self.problems = [], []
        break_it(self)
        ledger = folder / "ledger"
        ledger.write_text("".join(line + "\n" for line in self.lines))
        self.verdict = limits.judge(Runs(ledger, {}), self.values, RULES, self.audit, self.jobs, self.still, 0, self.problems)

    def run(self, job, begin, end):
        """One more run, which the audit knows too."""
        self.lines += [f"start {job} 2 99 {START + int(begin * SECOND)}", f"end {job} 2 99 {START + int(end * SECOND)}"]
        self.audit["limits"][0]["attempts"] += 1


LIMITED = [
    (None, lambda run: None),
    (None, lambda run: run.run(1, 1.5, 1.6)),
    ("all: 3 ran at once, 2 are allowed", lambda run: run.run(3, 0.5, 0.6)),
    ("tenant: 2 ran at once, 1 are allowed", lambda run: run.values["1"].update(tenant="a")),
    ("pace: 5.", lambda run: [run.run(3, 1.1 + part / 1_000, 1.1 + part / 1_000) for part in range(3)]),
    ("all was never full", lambda run: run.lines.__delitem__(slice(2, 4)) or run.lines.__delitem__(slice(4, 6))),
    ("the audit says passed", lambda run: run.audit.update(state="passed")),
    ("the audit knows 3 attempts, the ledger 4", lambda run: run.audit["limits"][0].update(attempts=3)),
    ("1 accepted jobs are lost", lambda run: run.jobs.pop("2")),
    ("1 jobs succeeded without a run", lambda run: run.lines.__delitem__(slice(0, 2))),
    ("1 jobs have not ended", lambda run: run.still.append(run.jobs["1"])),
    ("a process ended by itself", lambda run: run.problems.append("front")),
]


def attacked(memory, changes):
    """What the verdict says of an attack that was withstood at n, and at 2n but for these changes."""
    twice = WITHSTOOD | changes
    return hurt.of_run({"memory": memory}, twice) + hurt.of_sizes([WITHSTOOD, twice])


def main():
    wrong = 0
    for wanted, memory, changes in ATTACKED:
        said = attacked(memory, changes)
        if said if wanted is None else len(said) != 1 or wanted not in said[0]:
            wrong += 1
            print(f"attack with {changes}: the verdict should say {wanted or 'nothing'} and says {said}")
    for number, (name, break_it) in enumerate(INJECTED):
        with tempfile.TemporaryDirectory(prefix="gantry-injected-") as folder:
            verdict = Injected(Path(folder), break_it).verdict
        if name not in verdict["broken"] if name else verdict["broken"]:
            wrong += 1
            print(f"injected run {number}: {name or 'nothing'} is broken, the verdict says {verdict['broken']} {verdict['examples']}")
    for number, (part, break_it) in enumerate(LIMITED):
        with tempfile.TemporaryDirectory(prefix="gantry-injected-") as folder:
            broken = Limited(Path(folder), break_it).verdict["broken"]
        if not any(sentence.startswith(part) for sentence in broken) if part else broken:
            wrong += 1
            print(f"limited run {number}: the verdict should say {part or 'nothing'} and says {broken}")
    print(f"{len(INJECTED) + len(ATTACKED) + len(LIMITED)} injected runs, {wrong} judged wrongly")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
