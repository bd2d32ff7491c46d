"""Turns the records of deploy/bench into a Markdown table and a picture: table.py RECORDS PICTURE"""

import os
import re
import statistics
import sys


def read(path):
    """Each record is a dictionary of its words NAME=VALUE, in order of the runs."""
    with open(path, encoding="utf-8") as file:
        return [dict(word.split("=", 1) for word in line.split()) for line in file if line.strip()]


def chosen(records, **wanted):
    """The records whose words are as wanted; a mode matches by its beginning."""
    return [r for r in records if all(r.get(k, "").startswith(v) if k == "mode" else r.get(k) == v for k, v in wanted.items())]


def median(records, name):
    values = [float(r[name]) for r in records if name in r]
    return statistics.median(values) if values else None


def median_of_ratios(ours, theirs, name):
    """The median over the alternating runs of our figure divided by theirs in the same round."""
    pairs = [(float(a[name]), float(b[name])) for a, b in zip(ours, theirs) if name in a and name in b]
    return statistics.median(a / b for a, b in pairs) if pairs else None


def machine():
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        model = re.search(r"model name\s*:\s*(.*)", file.read())
    name = model.group(1).strip() if model else os.uname().machine
    return f"{os.cpu_count()} cores of {name}, Linux {os.uname().release.split('-')[0]}"


def number(value, unit=""):
    if value is None:
        return "-"
    text = f"{value:,.0f}" if value >= 100 else f"{value:.2f}"
    return f"{text} {unit}".strip()


def rows(records):
    bare = chosen(records, peer="zmq")
    beanstalkd = chosen(records, peer="beanstalkd")
    disk = chosen(records, peer="disk")
    memory = chosen(records, peer="gantry", mode="memory", batch="1000", observers="1")
    crowd = chosen(records, peer="gantry", mode="memory", batch="1000", observers="10")
    single = chosen(records, peer="gantry", mode="memory", batch="1")
    full = chosen(records, peer="gantry", mode="full", batch="1000")
    full_single = chosen(records, peer="gantry", mode="full", batch="1")
    loading = chosen(records, mode="loading")
    restart = [r for r in chosen(records, mode="queue") if r is not chosen(records, mode="queue")[0]]
    queue = chosen(records, mode="queue")[:1]
    large = chosen(records, mode="list")
    rate = "jobs_per_s"

    def ratio(ours, theirs, name=rate):
        value = median_of_ratios(ours, theirs, name)
        return "-" if value is None else f"{value:.2f}"

    yield "bare libzmq path in C, one subscriber", number(median(bare, rate), "jobs/s"), "1 (the measure)", ""
    yield "memory mode, 1,000 in flight", number(median(memory, rate), "jobs/s"), f"{ratio(memory, bare)} x bare path", "at least 0.15, aim 0.35"
    yield "the same, each job a request of its own", number(median(single, rate), "jobs/s"), f"{ratio(single, bare)} x bare path", ""
    yield "journal, FULL, 1,000 in flight", number(median(full, rate), "jobs/s"), f"{ratio(full, bare)} x bare path", "at least 0.08"
    yield "", "", f"{ratio(full, beanstalkd)} x beanstalkd with fsync", "at least 5"
    yield "the same, each job a request of its own", number(median(full_single, rate), "jobs/s"), f"{ratio(full_single, bare)} x bare path", ""
    yield "beanstalkd with fsync", number(median(beanstalkd, rate), "jobs/s"), "", ""
    yield "fsync of the disk meanwhile, median", number(median(disk, "p50_us"), "us"), "", ""
    yield "round trip of one job, memory mode, median", number(median(memory, "p50_us"), "us"), f"{ratio(memory, bare, 'p50_us')} x bare path", "at most 3"
    yield (
        "front's CPU a job, ten observers instead of one", number(median(crowd, "front_cpu_us_per_job"), "us"),
        f"{ratio(crowd, memory, 'front_cpu_us_per_job')} x one observer", "at most 1.2")
    yield "request to loading seen by 20 observers, p99", number(median(loading, "p99_us"), "us"), "", "under 20,000 us"
    yield f"memory per waiting job, {number(median(queue, 'n'))} jobs", number(median(queue, "bytes_per_queued_job"), "bytes"), "64 of them payload", "under 500 and payload"
    yield f"killed front to first grant, {number(median(restart, 'n'))} jobs", number(median(restart, "restart_to_first_grant_ms"), "ms"), "", "under 2,000 ms"
    if large:
        one = large[0]
        yield f"list of {number(float(one['n']))}: load, sort", f"{one['load_s']} s, {one['sort_s']} s", "", ""
        pages = ", ".join(number(float(one[f"{place}_p99_us"])) for place in ("start", "middle", "end"))
        yield "its pages of 50 at start, middle, end, p99", f"{pages} us", "", "under 5,000 us"
        yield "worker's peak, front's growth", f"{one['worker_peak_mib']} MiB, {float(one['front_growth_kib']) / 1024:.1f} MiB", "", "under 1,024 MiB, none"


def picture(records):
    """Bars of jobs a second on a linear scale, our own in a darker shade."""
    bars = [
        ("bare libzmq path (C)", median(chosen(records, peer="zmq"), "jobs_per_s"), "#9aa5b1"),
        ("Gantry, memory", median(chosen(records, peer="gantry", mode="memory", batch="1000", observers="1"), "jobs_per_s"), "#1f6feb"),
        ("Gantry, memory, single requests", median(chosen(records, peer="gantry", mode="memory", batch="1"), "jobs_per_s"), "#1f6feb"),
        ("Gantry, fsynced journal", median(chosen(records, peer="gantry", mode="full", batch="1000"), "jobs_per_s"), "#1a7f37"),
        ("Gantry, journal, single requests", median(chosen(records, peer="gantry", mode="full", batch="1"), "jobs_per_s"), "#1a7f37"),
        ("beanstalkd, fsync", median(chosen(records, peer="beanstalkd"), "jobs_per_s"), "#9aa5b1"),
    ]
    bars = [bar for bar in bars if bar[1]]
    largest = max(value for _, value, _ in bars)
    height = 28 * len(bars) + 44
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="760" height="{height}" font-family="sans-serif" font-size="13">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        '<text x="16" y="22" font-weight="bold">No-op jobs end to end, jobs a second (higher is better)</text>',
    ]
    for index, (name, value, colour) in enumerate(bars):
        y = 36 + 28 * index
        width = max(1, round(380 * value / largest))
        lines.append(f'<text x="236" y="{y + 15}" text-anchor="end">{name}</text>')
        lines.append(f'<rect x="246" y="{y}" width="{width}" height="20" fill="{colour}"/>')
        lines.append(f'<text x="{252 + width}" y="{y + 15}">{value:,.0f}</text>')
    return "\n".join(lines + ["</svg>", ""])


def main():
    records = read(sys.argv[1])
    print(f"Measured by `deploy/bench` on {machine()}.\n")
    print("| what | figure | ratio, median of the runs' | goal |\n|---|---|---|---|")
    for row in rows(records):
        print("| " + " | ".join(row) + " |")
    if len(sys.argv) > 2:
        with open(sys.argv[2], "w", encoding="utf-8") as file:
            file.write(picture(records))


if __name__ == "__main__":
    main()
