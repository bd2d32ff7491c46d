"""Turns the records of deploy/bench into a Markdown table: table.py RECORDS [PAGE]

The table is printed; with PAGE it also takes the place of the table between the two marks of that page.
"""

import sys

from records import Records, machine

BEGIN, END = "<!-- figures: made by deploy/bench -->\n", "<!-- end of figures -->\n"
RATE = "jobsPerSecond"
ROUND_TRIP = "medianMicroseconds"


def number(value, unit=""):
    """A figure for people."""
    if value is None:
        return "-"
    text = f"{value:,.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"
    return f"{text} {unit}".strip()


def times(value, what):
    """A ratio for people."""
    return "-" if value is None else f"{value:.2f} x {what}"


def job_rows(records):
    """What a job costs, with nobody watching and with many."""
    yield "bare libzmq path in C", number(records.median("bare", RATE), "jobs/s"), "the measure", ""
    for row, text, goal in [
        ("memory-0", "memory mode", "at least 0.15, aim 0.35"),
        ("memory-deep", "the same, 16,000 under way", ""),
        ("memory-single", "the same, a call for each job", ""),
        ("full", "journal, FULL", "at least 0.08"),
        ("full-single", "the same, a call for each job", ""),
    ]:
        yield text, number(records.median(row, RATE), "jobs/s"), times(records.ratio(row, "bare", RATE), "bare path"), goal
    for limits, text, goal in (("one", "in one limit", "aim 0.9"), ("keyed", "in a limit of 1,000 keys", "aim 0.7")):
        row = f"full-limits-{limits}"
        if records.has(row):
            yield (
                f"journal, FULL, all jobs {text}", number(records.median(row, RATE), "jobs/s"),
                times(records.ratio(row, "full", RATE), "without limits"), goal)
    yield "beanstalkd with fsync", number(records.median("beanstalkd", RATE), "jobs/s"), "", ""
    yield "journal, FULL, beside it", "", times(records.ratio("full", "beanstalkd", RATE), "beanstalkd"), "at least 5"
    for observers in (1, 10, 100, 1000):
        row = f"memory-{observers}"
        goal = "over 0.5" if observers == 1000 else ""
        yield (
            f"memory mode, {observers:,} {'observer' if observers == 1 else 'observers'}", number(records.median(row, RATE), "jobs/s"),
            times(records.ratio(row, "memory-1", RATE), "one observer"), goal)


def time_rows(records):
    """How long a job, a commit and a look take."""
    bare = records.median("bare", ROUND_TRIP)
    yield "round trip of one job, bare libzmq path in C", number(bare, "us"), "the measure", ""
    yield (
        "the same, memory mode", number(records.median("memory-0", ROUND_TRIP), "us"),
        times(records.ratio("memory-0", "bare", ROUND_TRIP), "bare path"), "at most 3")
    yield (
        "the same, 1,000 observers", number(records.median("memory-1000", ROUND_TRIP), "us"),
        times(records.ratio("memory-1000", "memory-1", ROUND_TRIP), "one observer"), "")
    yield (
        "the same, journal, FULL", number(records.median("full", ROUND_TRIP), "us"),
        times(records.ratio("full", "memory-0", ROUND_TRIP), "memory mode"), "")
    yield "busy, journal, FULL: p99 of a job", number(records.median("full", "busyP99Microseconds"), "us"), "", "under 15,000 us"
    sync = [number(records.median("full", name), "us") for name in ("syncMedianMicroseconds", "syncP99Microseconds")]
    yield "a sync of its disk right before and after, median and p99", ", ".join(sync), "", ""
    yield (
        "front's CPU a job, 1,000 observers", number(records.median("memory-1000", "frontCPUMicrosecondsPerJob"), "us"),
        times(records.ratio("memory-1000", "memory-1", "frontCPUMicrosecondsPerJob"), "one observer"), "")
    yield "request to loading seen by 20 observers, p99", number(records.median("loading", "p99Microseconds"), "us"), "", "under 20,000 us"


def queue_rows(records):
    """What waits, and what is large."""
    jobs = number(records.median("queue", "jobs"))
    yield (
        f"memory per waiting job, {jobs} jobs", number(records.median("queue", "bytesPerQueuedJob"), "bytes"), "64 of them payload",
        "under 500 and payload")
    restart = records.median("restart", "restartToFirstGrantSeconds")
    yield (
        f"killed front to first grant, {number(records.median('restart', 'jobs'))} jobs",
        number(None if restart is None else restart * 1_000, "ms"), "", "under 2,000 ms")
    if records.has("delays"):
        delayed = number(records.median("delays", "jobs"))
        yield f"memory per delayed job, {delayed} jobs", number(records.median("delays", "bytesPerDelayedJob"), "bytes"), "64 of them payload", ""
        late = records.median("delays", "lateMicroseconds", "p99")
        yield f"outcome after its time, p99 of {number(records.median('delays', 'due'))} due beside them", number(late, "us"), "", ""
    if records.has("cancels"):
        yield "cancel to stopped, p99", number(records.median("cancels", "stoppedMicroseconds", "p99"), "us"), "", "under 200,000 us"
    for row, clients in (("estimates", "one client"), ("estimates-shared", "four clients that take turns")):
        if records.has(row):
            errors = [records.median(row, name) for name in ("medianError", "p90Error")]
            wrong = number(records.median(row, "wrongByThreeTimes"))
            estimated, unknown = (number(records.median(row, name)) for name in ("estimated", "unknown"))
            shown = f"{errors[0]:.0%}, {errors[1]:.0%}; {wrong} of {estimated} wrong by three times; {unknown} unknown"
            yield f"error of estimated waits, median and p90, {clients}", shown, "", "none wrong by three times"
    if not records.has("list"):
        return
    load, order = (records.median("list", name) for name in ("loadSeconds", "sortSeconds"))
    yield f"list of {number(records.median('list', 'items'))}: load, sort", f"{number(load, 's')}, {number(order, 's')}", "", ""
    pages = [number(records.median("list", place, "p99")) for place in ("firstPage", "middlePage", "lastPage")]
    yield "its pages of 50 at start, middle, end, p99", f"{', '.join(pages)} us", "", "under 5,000 us"
    peak, growth = (records.median("list", name) for name in ("workerPeakBytes", "frontGrowthBytes"))
    yield "worker's peak, front's growth", f"{peak / 2**20:,.0f} MiB, {growth / 2**20:.1f} MiB", "", "under 1,024 MiB, none"


def table(records):
    """The machine in a sentence, and the rows."""
    rounds = records.rounds()
    lines = [
        f"Measured by `deploy/bench` on {machine()}, {'one round' if rounds == 1 else f'medians of {rounds} rounds'}.", "",
        "| what | figure | ratio of runs of the same round | goal |", "|---|---|---|---|"]
    for rows in (job_rows, time_rows, queue_rows):
        lines += ["| " + " | ".join(row) + " |" for row in rows(records)]
    return "\n".join(lines) + "\n"


def put(text, page):
    """Puts the table between the marks of a page."""
    with open(page, encoding="utf-8") as file:
        before, mark, rest = file.read().partition(BEGIN)
    _, end, after = rest.partition(END)
    if not mark or not end:
        sys.exit(f"table.py: {page} lacks the marks {BEGIN.strip()} and {END.strip()}")
    with open(page, "w", encoding="utf-8") as file:
        file.write(before + mark + "\n" + text + "\n" + end + after)


def main():
    """Prints the table, and puts it into a page."""
    text = table(Records(sys.argv[1]))
    print(text, end="")
    if len(sys.argv) > 2:
        put(text, sys.argv[2])


if __name__ == "__main__":
    main()
