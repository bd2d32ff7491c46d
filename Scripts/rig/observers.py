"""Compares what observers of a front were shown, by the lines that each `gantry watch` printed."""

import json


def agreement(paths):
    """Whether observers that showed the same position of a topic showed the same; and whether they ended at the same."""
    seen, conflicts, last = {}, 0, []
    for path in paths:
        final = {}
        for line in path.read_text().splitlines(keepends=True):
            if not line.endswith("\n"):
                break  # It is being written.
            change = json.loads(line)
            if not change.get("verified"):
                continue
            key = (change["topic"], change["epoch"], change["sequence"])
            checksum = change.get("checksum", change.get("digest"))
            conflicts += seen.setdefault(key, checksum) != checksum
            final[change["topic"]] = key + (checksum,)
        last.append(final)
    alike = all(final == last[0] and final for final in last)
    result = {"positions": len(seen), "conflicts": conflicts, "ended_alike": alike}
    return result if alike else {**result, "ended_at": [{topic: place[1:] for topic, place in final.items()} for final in last]}
