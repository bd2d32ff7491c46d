"""Turns the records of deploy/bench into a picture: picture.py RECORDS PICTURE"""

import math
import statistics
import sys

from records import Records, machine

GRAY, BLUE, GREEN = "#8a96a3", "#1f6feb", "#1a7f37"
WIDTH = 860
LEFT = 300
SPAN = 420
BAR = 18
STEP = 27

PANELS = [
    (
        "Throughput: jobs a second, nobody watching", "jobs/s (longer is better)", "jobsPerSecond",
        [
            ("bare libzmq path in C, no queue", "bare", GRAY),
            ("Gantry, memory", "memory-0", BLUE),
            ("Gantry, memory, a call for each job", "memory-single", BLUE),
            ("Gantry, fsynced journal", "full", GREEN),
            ("Gantry, fsynced journal, a call for each job", "full-single", GREEN),
            ("beanstalkd, fsynced log", "beanstalkd", GRAY),
        ],
    ),
    (
        "Observers: jobs a second, memory mode, each observer verified", "jobs/s (longer is better)", "jobsPerSecond",
        [
            (f"Gantry, {count:,} {'observer' if count == 1 else 'observers'}", f"memory-{count}", BLUE)
            for count in (0, 1, 10, 100, 1000)
        ],
    ),
    (
        "Round trip of one job at a time, median", "microseconds (shorter is better)", "medianMicroseconds",
        [
            ("bare libzmq path in C, no observer", "bare", GRAY),
            ("Gantry, memory, no observer", "memory-0", BLUE),
            ("Gantry, memory, 1 observer", "memory-1", BLUE),
            ("Gantry, memory, 100 observers", "memory-100", BLUE),
            ("Gantry, memory, 1,000 observers", "memory-1000", BLUE),
            ("Gantry, fsynced journal, no observer", "full", GREEN),
        ],
    ),
]


def ticks(largest):
    """Round marks of an axis from 0 to just above the largest value."""
    rough = largest / 4
    power = 10 ** math.floor(math.log10(rough))
    step = next(power * factor for factor in (1, 2, 2.5, 5, 10) if power * factor >= rough)
    return [step * index for index in range(math.ceil(largest / step) + 1)]


def text(x, y, content, anchor="start", style=""):
    """A line of text."""
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}"{style}>{content}</text>'


def panel(records, top, title, unit, figure, bars):
    """The lines of one panel that begins at `top`, and where it ends."""
    known = [(name, records.values(row, figure), color) for name, row, color in bars]
    known = [(name, values, color) for name, values, color in known if values]
    if not known:
        return [], top
    marks = ticks(max(max(values) for _, values, _ in known))
    scale = SPAN / marks[-1]
    first = top + 36
    bottom = first + STEP * len(known)
    lines = [text(16, top + 18, title, style=' font-weight="bold" font-size="14"')]
    for mark in marks:
        x = LEFT + mark * scale
        lines.append(f'<line x1="{x:.1f}" y1="{first - 5}" x2="{x:.1f}" y2="{bottom}" stroke="#d8dee4"/>')
        lines.append(text(x, bottom + 15, f"{mark:,.0f}", "middle", ' fill="#57606a" font-size="11"'))
    lines.append(text(LEFT + SPAN / 2, bottom + 31, unit, "middle", ' fill="#57606a" font-size="11"'))
    for index, (name, values, color) in enumerate(known):
        y = first + STEP * index
        middle = statistics.median(values)
        lines.append(text(LEFT - 10, y + 14, name, "end"))
        lines.append(f'<rect x="{LEFT}" y="{y}" width="{max(1, middle * scale):.1f}" height="{BAR}" fill="{color}"/>')
        end = max(values) * scale
        if max(values) > min(values):
            # From the smallest run to the largest.
            start, line = LEFT + min(values) * scale, y + BAR / 2
            lines.append(f'<line x1="{start:.1f}" y1="{line}" x2="{LEFT + end:.1f}" y2="{line}" stroke="#24292f" stroke-width="1.5"/>')
        lines.append(text(LEFT + end + 8, y + 14, f"{middle:,.0f}"))
    return lines, bottom + 48


def picture(records):
    """The whole picture as SVG."""
    body, top = [], 8
    for title, unit, figure, bars in PANELS:
        lines, top = panel(records, top, title, unit, figure, bars)
        body += lines
    rounds = records.rounds()
    runs = "One run of each" if rounds == 1 else f"Bars are medians of {rounds} rounds, lines reach from the smallest to the largest"
    note = ' fill="#57606a" font-size="11"'
    body.append(text(16, top + 8, f"{runs}. No-op jobs of 64 bytes, 1,000 under way, two workers, one client.", style=note))
    body.append(text(16, top + 24, f"{machine()}; everything shares them.", style=note))
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{top + 36:.0f}" viewBox="0 0 {WIDTH} {top + 36:.0f}" '
        'font-family="DejaVu Sans, Verdana, sans-serif" font-size="12.5" fill="#24292f">')
    return "\n".join([head, '<rect width="100%" height="100%" fill="#ffffff"/>'] + body + ["</svg>", ""])


def main():
    """Writes the picture."""
    with open(sys.argv[2], "w", encoding="utf-8") as file:
        file.write(picture(Records(sys.argv[1])))


if __name__ == "__main__":
    main()
