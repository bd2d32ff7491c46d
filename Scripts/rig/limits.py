"""The verdict of `Scripts/limit-trial`: whether limits held by the outside ledger, by the audit, and whether both speak of the same."""

from collections import defaultdict
from dataclasses import dataclass


@dataclass(frozen=True)
class Rule:
    """What a limit allows, for each of its values."""

    capacity: int = 0  # at once; 0: any number
    rate: int = 0  # begun in a second; 0: any number
    burst: int = 0

    @property
    def words(self):
        """The same for `gantry limit set`."""
        return ([str(self.capacity)] if self.capacity else []) + (["--rate", f"{self.rate}/s", "--burst", str(self.burst)] if self.rate else [])


def most_at_once(runs):
    """The most runs that lay over one instant. One without an end is still running."""
    edges = sorted(
        edge for run in runs for edge in ((run["start"], 1), (float("inf") if run["end"] is None else run["end"], -1)))
    now = most = 0
    for _, step in edges:
        now += step
        most = max(most, now)
    return most


def most_beyond_rate(starts, rate):
    """The most that began in any length of time beyond what the rate alone brings in it: at most the burst, and what had been granted before."""
    most, lowest = 0, None
    for number, start in enumerate(sorted(starts)):
        here = number - rate * start / 1e9
        lowest = here if lowest is None else min(lowest, here)
        most = max(most, here - lowest + 1)
    return most


def judge(runs, values, rules, audit, jobs, still, slots, problems):
    """What was measured, and under `broken` what was not as it has to be.

    Tokens are taken at grants, and a run begins later. Of grants that had not begun there are never more than run at once, so in any length of time no
    more begin than burst, rate and that number allow.
    """
    at_most = min(rule.capacity for rule in rules.values() if rule.capacity and rule.capacity > 1)
    outside, broken = {}, []
    for name, rule in rules.items():
        by_value = defaultdict(list)
        for job, of in values.items():
            by_value[of[name]] += runs.runs.get(job, [])
        seen = outside[name] = {"runs": sum(map(len, by_value.values()))}
        if rule.capacity:
            seen["most_at_once"] = max(map(most_at_once, by_value.values()))
            if seen["most_at_once"] > rule.capacity:
                broken.append(f"{name}: {seen['most_at_once']} ran at once, {rule.capacity} are allowed")
            if seen["most_at_once"] < rule.capacity:
                broken.append(f"{name} was never full: nothing is shown")
        if rule.rate:
            beyond = max(most_beyond_rate([run["start"] for run in entries], rule.rate) for entries in by_value.values())
            seen["most_beyond_rate"] = round(beyond, 1)
            if beyond > rule.burst + at_most:
                broken.append(f"{name}: {beyond:.1f} began beyond {rule.rate} a second, {rule.burst} and {at_most} that were under way are allowed")
            if beyond < rule.burst - 1:
                broken.append(f"{name} never used its burst up: nothing is shown")
    killed = sum(run["how"] == "killed" for entries in runs.runs.values() for run in entries)
    limits = audit.get("limits", [])
    audited = {
        "state": audit.get("state"), "unclosed": len(audit.get("unclosed", [])), "attempts": sum(limit["attempts"] for limit in limits if limit["limit"] == "all"),
        "limits": len(limits), "not_held": [limit for limit in limits if limit["state"] != "held"]}
    if audited["state"] != "held":
        broken.append(f"the audit says {audited['state']}")
    # A worker that was killed may have written one of the two lines of a start and not the other, for each of its slots.
    started = outside["all"]["runs"]
    if not started <= audited["attempts"] <= started + killed + slots:
        broken.append(f"the audit knows {audited['attempts']} attempts, the ledger {started}")
    lost = [job for job in values if job not in jobs]
    if lost:
        broken.append(f"{len(lost)} accepted jobs are lost, {lost[0]} first")
    unrun = [job for job in jobs.values() if job["state"] == "succeeded" and not any(run["how"] == "end" for run in runs.runs.get(job["id"], []))]
    if unrun:
        broken.append(f"{len(unrun)} jobs succeeded without a run, {unrun[0]['id']} first")
    if still:
        broken.append(f"{len(still)} jobs have not ended")
    if runs.overlapping():
        broken.append("runs of one job overlap")
    if problems:
        broken.append("a process ended by itself")
    states = defaultdict(int)
    for job in jobs.values():
        states[job["state"]] += 1
    return {
        "states": dict(sorted(states.items())), "runs_that_were_killed": killed, "outside": outside, "audit": audited, "problems": problems,
        "broken": broken}
