"""The verdict of `Scripts/chaos`: which promises were broken, by what was printed, stamped and shown."""

from datetime import datetime

from .ledger import quantile

# From accepted to ended, in seconds. A machine that others use too decides times as much as Gantry does, so they break a run only if asked.
AIMS = {"p99": 6.0, "most": 10.0}
# Deaths of workers after which a job is quarantined (FrontSettings.deathLimit).
DEATHS = 3


def took(job):
    """Seconds from accepted to ended; None while it has not ended, or where it cannot be read."""
    if "endedAt" not in job or "acceptedAt" not in job:
        return None
    ended, accepted = (datetime.fromisoformat(job[key].replace("Z", "+00:00")) for key in ("endedAt", "acceptedAt"))
    return (ended - accepted).total_seconds()


def times(values):
    return {"median": quantile(values, 0.5), "p95": quantile(values, 0.95), "p99": quantile(values, 0.99), "most": max(values, default=None)}


def over_the_aims(seconds):
    """A sentence for each aim that was missed."""
    return [
        f"accepted to ended, {name}: {seconds[name]:.1f} s, over the aim of {aim:g} s" for name, aim in AIMS.items()
        if seconds[name] is not None and seconds[name] > aim]


def broken_ends(jobs, loaders, timelines):
    """Jobs that ended as nothing that was done to them explains, each with why: nobody cancels any, and no run fails."""
    found = []
    for job in jobs.values():
        state, code = job["state"], job.get("failure", {}).get("code")
        loader = loaders.get(job["id"], job["loader"])
        losses = timelines.losses(job)
        deaths = [reason for reason in losses if timelines.is_death(reason)]
        if state == "quarantined":
            if len(deaths) < DEATHS:
                found.append(f"job {job['id']} ({loader}) is quarantined after {len(deaths)} deaths that could be seen: {losses}")
        elif state == "failed" and code == "outcomeUnknown":
            if loader == "stamp":
                found.append(f"job {job['id']} may be repeated and ended with an unknown outcome: {losses}")
            elif not timelines.was_disturbed(job):
                found.append(f"job {job['id']} ({loader}) ended with an unknown outcome, and nothing was done to a worker")
        elif state in ("failed", "cancelled"):
            found.append(f"job {job['id']} ({loader}) ended {state} {code or ''}".rstrip())
    return found


def counted(values):
    found = {}
    for value in values:
        found[value] = found.get(value, 0) + 1
    return dict(sorted(found.items()))


def judge(run, jobs, still, agreement):
    """Everything that was measured, and under `broken` the promises that were not kept. `run` is the `Chaos` that is over."""
    runs, traffic, timelines = run.runs, run.traffic, run.timelines(jobs)
    accepted = traffic.accepted
    lost = [job for job in accepted if job not in jobs]
    doubled = [job for job, loader in accepted.items() if loader == "stamp-once" and len(runs.runs.get(job, [])) > 1]
    stamped = [job for job in jobs.values() if job["loader"].startswith("stamp")]
    unseen = [
        job["id"] for job in stamped
        if job["state"] == "succeeded" and not any(entry["how"] == "end" for entry in runs.runs.get(job["id"], []))]
    seconds = times([time for time in map(took, stamped) if time is not None])
    overlapping, granted_again = runs.overlapping(), timelines.granted_again()
    ends = broken_ends({job["id"]: job for job in stamped}, accepted, timelines)
    result = {
        "seconds": run.options.seconds, "faults": run.faults.counts(), "asked": traffic.asked, "accepted": len(accepted),
        "unknown_to_client": len({job["id"] for job in stamped} - set(accepted)), "lost": len(lost), "doubled": len(doubled),
        "overlapping": len(overlapping), "succeeded_without_a_run": len(unseen), "not_ended": len(still), "ended_wrongly": len(ends),
        "states": counted(job["state"] for job in stamped),
        "failure_codes": counted(job["failure"]["code"] for job in stamped if "failure" in job),
        "granted_more_than_once": sum(job.get("attempts", 0) > 1 for job in stamped), "grants_again_by_reason": granted_again,
        "runs": sum(map(len, runs.runs.values())),
        "runs_that_were_killed": sum(entry["how"] == "killed" for entries in runs.runs.values() for entry in entries),
        "most_runs_at_once": runs.most_at_once(), "slots": run.slots, "observers": agreement,
        "clients_killed": len(traffic.killed), "failures_of_commands": traffic.failures, "submit_seconds": times(traffic.submit_waits),
        "pages_read": traffic.pages_read, "pages_that_differ": len(traffic.pages_that_differ), "page_seconds": times(traffic.page_waits),
        "loads": traffic.loads,
        "accepted_to_ended_seconds": seconds, "over_the_aims": over_the_aims(seconds), "problems": run.problems,
    }
    result["broken"] = broken(result, agreement, granted_again, run.options.aims)
    result["examples"] = {
        "lost": lost[:5], "doubled": doubled[:5], "overlapping": [runs.told(job) for job in overlapping[:5]], "not_ended": [job["id"] for job in still[:5]],
        "ended_wrongly": ends[:5], "pages_that_differ": traffic.pages_that_differ[:2]}
    if run.options.timelines:
        result["slowest"] = timelines.slowest(run.options.timelines)
    return result


def broken(result, agreement, granted_again, aims):
    names = ("lost", "doubled", "overlapping", "succeeded_without_a_run", "not_ended", "ended_wrongly", "pages_that_differ")
    found = [name for name in names if result[name]]
    if agreement["conflicts"] or not agreement["ended_alike"]:
        found.append("observers")
    if not result["accepted"]:
        found.append("nothing was accepted")
    if not result["pages_read"]:
        found.append("no page was read")
    if not result["loads"]:
        found.append("no feed was loaded")
    if result["problems"]:
        found.append("a process ended by itself")
    if any(reason.startswith("unexplained") for reason in granted_again):
        found.append("a job was granted again for no reason")
    if aims and result["over_the_aims"]:
        found.append("aims")
    return found
