"""Which suites of unit tests reach which mutants: a mutant is tried with those alone, the cheapest and most particular first."""

import re
import subprocess
from dataclasses import dataclass

# A suite that takes longer is asked alone, and only for what no other has noticed.
LONG_SECONDS = 6
# How many are asked together: first few, which notice most, then more.
TOGETHER = (6, 40)


@dataclass
class Suite:
    """A suite, the numbers of the mutants that it comes to, and the processor time that it takes alone."""

    name: str
    reached: frozenset
    seconds: float

    @property
    def is_long(self):
        return self.seconds > LONG_SECONDS


def names(program, target, folder):
    """The suites of a test target, in order."""
    listed = subprocess.run([*program, "--list-tests", "--filter", rf"^{target}\."], cwd=folder, capture_output=True, text=True, check=True).stdout
    return sorted(set(re.findall(rf"^({target}\.\w+)", listed, re.M)))


def pattern(some):
    """The filter that chooses these suites, by their names."""
    return f"^({'|'.join(re.escape(name) for name in some)})/"


def reached(path):
    """What a run has written: a byte for each mutant, 1 where it came there."""
    return frozenset(number for number, byte in enumerate(path.read_bytes()) if byte) if path.exists() else frozenset()


def batches(suites, number):
    """The suites that reach the mutant, in the groups and the order in which they are asked."""
    asked = sorted((suite for suite in suites if number in suite.reached), key=lambda suite: len(suite.reached) * max(suite.seconds, 0.1))
    short = [suite for suite in asked if not suite.is_long]
    few, more = TOGETHER
    groups = [short[:few]] + [short[begin:begin + more] for begin in range(few, len(short), more)]
    return [group for group in groups if group] + [[suite] for suite in asked if suite.is_long]
