"""Observers of a front that run and die, and whether what they were shown agrees, by the lines that each `gantry watch` printed."""

import json
import signal
import subprocess

from rig.processes import last_words


class Observers:
    """Processes of `gantry watch`, each with a file of its own; one that is killed is started again."""

    def __init__(self, gantry, place, folders):
        self.gantry, self.place, self.folders = gantry, place, folders
        self.paths, self.living = [], {}

    def start(self, number):
        stem = f"observer-{number}-{len(self.paths)}"
        path = self.place.path / f"{stem}.jsonl"
        with open(path, "wb") as output, open(self.place.path / f"{stem}.log", "wb") as errors:
            process = subprocess.Popen(
                [self.gantry, "watch", "jobs", "workers", "front", "--data", str(self.folders[number]), "--output", "jsonl"], stdout=output,
                stderr=errors, stdin=subprocess.DEVNULL, start_new_session=True)
        self.paths.append(path)
        self.living[number] = (process, path)

    def begin(self):
        for number in range(len(self.folders)):
            self.start(number)

    def kill(self, number):
        process, _ = self.living[number]
        process.kill()
        process.wait(20)
        self.start(number)

    def agreement(self):
        return agreement(self.paths, [path for _, path in self.living.values()])

    def end(self):
        """Ends those that live; returns which had ended by themselves."""
        gone = [
            f"observer {number} ended by itself with {process.poll()}: {last_words(path.with_suffix('.log'))}"
            for number, (process, path) in self.living.items() if process.poll() is not None]
        for process, _ in self.living.values():
            process.send_signal(signal.SIGINT)
        for process, _ in self.living.values():
            process.wait(20)
        return gone

    def close(self):
        for process, _ in self.living.values():
            if process.poll() is None:
                process.kill()


def agreement(paths, living):
    """Whether observers that showed the same position of a topic showed the same, and whether those that live ended at the same."""
    seen, conflicts, last = {}, 0, []
    for path in paths:
        final = {}
        for line in path.read_text(errors="replace").splitlines(keepends=True):
            if not line.endswith("\n"):
                break  # It is being written, or its writer was killed.
            change = json.loads(line)
            if not change.get("verified"):
                continue
            key = (change["topic"], change["epoch"], change["sequence"])
            checksum = change.get("checksum")
            conflicts += seen.setdefault(key, checksum) != checksum
            final[change["topic"]] = key + (checksum,)
        if path in living:
            last.append(final)
    alike = all(final == last[0] and final for final in last)
    result = {"positions": len(seen), "conflicts": conflicts, "ended_alike": alike}
    return result if alike else {**result, "ended_at": [{topic: place[1:] for topic, place in final.items()} for final in last]}
