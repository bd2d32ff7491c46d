"""The verdict on an attack: what of what was measured says that it hurt."""

MEMORY_BOUND = 256  # MiB that a front may grow by under an attack
PROCESSOR_RATIO = 3.0  # of 2n against n
GIVEN_BACK_SECONDS = 10.0  # until memory that has to be given back must be
LEAST_PROCESSOR_SECONDS = 0.5  # below it a ratio says nothing


def memory_bound(plan):
    """What the front's memory may have grown by, in MiB: at most, or once what was given back is."""
    return MEMORY_BOUND if plan["memory"] == "most" else MEMORY_BOUND / 4


def of_run(plan, run):
    """How one run hurt; empty: it was withstood. What was not measured, because the front had ended before, says nothing."""
    found = []
    if run.get("silence_seconds", 0) > run.get("silence_bound", 0):
        found.append(
            f"the good client waited {run['silence_seconds']:.2f} s (bound {run['silence_bound']:.2f} s, "
            f"before the attack {run['silence_before']:.3f} s)")
    found += [note for note in run["notes"] if note.startswith("FAILED")]
    if not run.get("worker_runs", True):
        found.append("the worker has ended")
    if not run.get("front_runs", True):
        found.append("the front has ended")
    if run.get("grown_mib", 0) > memory_bound(plan):
        what = "memory grew by" if plan["memory"] == "most" else f"after {GIVEN_BACK_SECONDS:g} s memory was still larger by"
        found.append(f"{what} {run['grown_mib']:.0f} MiB (bound {memory_bound(plan):g})")
    if not run.get("accepts_afterwards", True):
        found.append("afterwards a job was not accepted within 10 s")
    return found


def ratio_of(runs):
    """What twice the attack cost, as a multiple of what it cost once; None: it was not measured, or too little to say."""
    costs = [run.get("processor_seconds") for run in runs]
    if len(costs) < 2 or None in costs or costs[1] < LEAST_PROCESSOR_SECONDS:
        return None
    return round(costs[1] / max(costs[0], 0.05), 2)


def of_sizes(runs):
    """How the cost of twice the attack hurt."""
    ratio = ratio_of(runs)
    if ratio is None or ratio <= PROCESSOR_RATIO:
        return []
    return [f"twice the attack cost {ratio} times the processor time (bound {PROCESSOR_RATIO})"]
