"""Tables of the protocol document whose rows stand apart in the .proto: requests, codes of failures, topics, and the moves of a job's state.

Each takes what concerns it while the file is read, refuses what would make a wrong row, and gives the rows under `HEAD`, the head of its table.
"""

import re

from rig.remarks import MOVES, REFUSALS, REPLIES, SAME, Mistake

NAMES = re.compile(r"`(\w+)`")
# A request that another one may be refused like.
OTHERS = re.compile(r"those of `(\w+)`")


class Requests:
    """Each request with its replies and the codes that it is refused with."""

    HEAD = "| request | replies | refused with |"
    # Where they are declared: as a choice of that message, all of them or one by its name.
    PLACES = {"Request": None, "ClientMessage": {"submit", "request"}}
    # The choice that stands for all of them: it says what each may be refused with.
    EACH = "request"
    # Every request may be refused; this reply is the other column.
    REFUSED = "refused"

    def __init__(self):
        # Type and comment of each request by its name.
        self.all = {}
        # The names of the numbered ones, by the numbers of their fields.
        self.numbers = {}
        # The comment of that which stands for all of them.
        self.each = None

    @classmethod
    def has(cls, message, name):
        return message in cls.PLACES and name in (cls.PLACES[message] or {name})

    def take(self, message, number, name, type, remarks):
        if (message, name) == ("ClientMessage", self.EACH):
            remarks.refuse(REFUSALS, "what is said of each request is what it may be refused with")
            if REFUSALS not in remarks.lines:
                raise Mistake(f"the comment above it has no line \"{REFUSALS}:\"")
            self.each = remarks
            return
        remarks.refuse((REPLIES, REFUSALS, SAME), "a request does not move")
        if SAME in remarks.lines:
            remarks.refuse(SAME, f"the request `{name}` is answered as another one, and has a line of its own")
        else:
            for key in (REPLIES, REFUSALS):
                if key not in remarks.lines:
                    raise Mistake(f"the request `{name}` has no line \"{key}:\" in the comment above it")
        self.all[name] = (type, remarks)
        if message == "Request":
            self.numbers[int(number)] = name

    def refusals(self, name, codes):
        """The codes that a request may be refused with, in the order of all codes."""
        _, remarks = self.all[name]
        if SAME in remarks.lines:
            return self.refusals(NAMES.fullmatch(remarks.cell(SAME))[1], codes)
        line = remarks.lines[REFUSALS]
        named = set(NAMES.findall(line + self.each.lines[REFUSALS])).union(*(self.refusals(other, codes) for other in OTHERS.findall(line)))
        return [code for code in codes if code in named]

    def rows(self, fields, choices, codes):
        """Its rows; `fields` are those of each message, `choices` those of which it has one at most."""
        groups = {name: [name] for name, (_, remarks) in self.all.items() if SAME not in remarks.lines}
        for name, (_, remarks) in self.all.items():
            if SAME not in remarks.lines:
                continue
            other = NAMES.fullmatch(remarks.cell(SAME))
            if not other or other[1] not in groups:
                raise Mistake(f"the request `{name}` is answered as none that has a line \"{REPLIES}:\"")
            groups[other[1]].append(name)
        if not self.each:
            raise Mistake(f"no choice `{self.EACH}` says what each request may be refused with")
        self.check(self.EACH, self.each, REFUSALS, codes, set())
        yield f"| each of these | `{self.REFUSED}` | {self.each.cell(REFUSALS)} |"
        said = set()
        for name, group in groups.items():
            type, remarks = self.all[name]
            arguments = fields.get(type, set())
            replies = self.check(name, remarks, REPLIES, choices["Reply"], arguments | choices["FrontMessage"])
            self.check(name, remarks, REFUSALS, codes, arguments | set(self.all))
            said |= replies
            yield f"| {', '.join(f'`{one}`' for one in group)} | {remarks.cell(REPLIES)} | {remarks.cell(REFUSALS)} |"
        if unsaid := choices["Reply"] - said - {self.REFUSED}:
            raise Mistake(f"no request has the reply `{min(unsaid)}`")

    @staticmethod
    def check(name, remarks, key, wanted, others):
        """The words of a line that are what it is about; one of another kind is a mistake."""
        words = set(NAMES.findall(remarks.lines[key]))
        if unknown := words - wanted - others:
            raise Mistake(f"the request `{name}`, \"{key}:\": there is no `{min(unknown)}`")
        if not words & wanted:
            raise Mistake(f"the request `{name}`, \"{key}:\": it names none")
        return words & wanted


class Codes:
    """The codes of failures."""

    HEAD = "| code | meaning |"
    LINE = re.compile(r"// `([a-z][A-Za-z0-9]*)`: (.+)")

    def __init__(self):
        # What each means.
        self.all = {}

    def take(self, line):
        match = self.LINE.fullmatch(line)
        if not match:
            raise Mistake("a code is written `code`: what it means")
        if match[1] in self.all:
            raise Mistake("a code that is there already")
        self.all[match[1]] = match[2]

    def rows(self):
        return [f"| `{code}` | {meaning} |" for code, meaning in self.all.items()]


class Topics:
    """The topics, by what the choices of an item say of their keys."""

    HEAD = "| topic | items |"
    MESSAGE = "Item"
    PLACE = re.compile(r"[Kk]ey (?P<key>`[^`]+`) of (?P<topics>`[^`]+`(?: and `[^`]+`)*)(?P<more>, .+)?")

    def __init__(self):
        # Keys and values of each topic by its text.
        self.all = {}

    def take(self, type, remarks):
        for place in re.split(r"; (?=key `)", remarks.meaning.removesuffix(".")):
            match = self.PLACE.fullmatch(place)
            if not match:
                raise Mistake("an item is written Key `key` of `topic`, and more; key … of …")
            for topic in match["topics"].split(" and "):
                self.all.setdefault(topic, []).append(f"{match['key']}: `{type}`{match['more'] or ''}")

    def rows(self):
        return [f"| {topic} | {'; '.join(items)} |" for topic, items in self.all.items()]


class Moves:
    """Where a job moves from each of its states, and when."""

    HEAD = "| from | to | when |"
    ENUMERATION, PREFIX = "JobState", "JOB_STATE_"
    FINAL = "Final."

    def __init__(self):
        # The moves of each state by its word.
        self.all = {}

    def take(self, name, remarks):
        remarks.refuse(MOVES, "a state is no request")
        if bool(remarks.moves) == remarks.meaning.endswith(self.FINAL):
            raise Mistake(f"a state has lines \"{MOVES}STATE:\" above it, or is \"{self.FINAL}\"")
        self.all[name.removeprefix(self.PREFIX).lower()] = remarks.moves

    def rows(self):
        for state, moves in self.all.items():
            for target, when in moves.items():
                if target not in self.all:
                    raise Mistake(f"the state `{state}` moves to `{target}`, which is none")
                yield f"| {state} | {target} | {when} |"
