"""The tables of `Protocol/PROTOCOL.md`, made from the comments of `Protocol/gantry.proto`, and whether generated Swift is of today's files.

Every line of the file that is no declaration in the few forms below is refused, so nothing in it can be left out of the document in silence.
"""

import hashlib
import re
from pathlib import Path

from rig.gathered import Codes, Moves, Requests, Topics
from rig.remarks import Mistake, Remarks

SOURCE = "gantry.proto"
DOCUMENT = "PROTOCOL.md"
GENERATED = "Sources/GantryWireMessages/Generated"
# The part of the file behind each of these comments makes the section of that heading.
SECTIONS = {
    "clients -> front": "13. Messages: clients to front",
    "front -> clients": "14. Messages: front to clients",
    "published changes": "15. Messages: published changes",
    "values of items": "16. Messages: values of items",
    "pages": "17. Messages: pages",
    "workers -> front": "18. Messages: workers to front",
    "front -> workers": "19. Messages: front to workers",
}
# These parts hold no declarations: a line is a row.
CODES = "codes of failures"
RESERVED_TOPICS = "reserved topics"
RESERVED = "21. Reserved"
ORIGIN = "Made by `Scripts/tables` from the comments of `gantry.proto`: change them there."
RESERVED_ABOUT = "These words and numbers are reserved for planned features. Version 1 does not have them, and they never get another meaning."

PART = re.compile(r"// ---- (.+)")
TITLE = re.compile(r"(message|enum) (\w+) \{(\})?")
REMARK = re.compile(r"\s+// (.+)")
ROW = re.compile(r"\s+(?P<type>.*?)(?P<name>\w+) = (?P<number>\d+);(?: // (?P<about>.+))?")
NUMBER = re.compile(r"\s+reserved (?P<numbers>\d+(?:(?:, | to )\d+)*);(?: // (?P<about>.+))?")
WORD = re.compile(r"`(?P<word>\w+)`: (?P<use>.+)")


class Reader:
    """Reads the file line by line into the lines of each section, and into the tables that stand elsewhere in the document."""

    def __init__(self):
        self.sections = {}
        self.reserved = []
        self.part = None
        self.kind = self.title = None
        self.doc, self.rows, self.words = [], [], []
        self.above = []
        # The name of the `oneof` whose fields come; None: they are of none.
        self.in_choice = None
        # The fields of each message, and those that are choices of it.
        self.fields, self.choices = {}, {}
        self.requests, self.codes, self.topics, self.moves = Requests(), Codes(), Topics(), Moves()

    def read(self, text):
        for number, line in enumerate(text.split("\n"), 1):
            try:
                self.take(line)
            except Mistake as mistake:
                raise Mistake(f"Protocol/{SOURCE}:{number}: {mistake}: {line.strip()}") from None
        missing = [name for name in (*SECTIONS, CODES) if name not in self.sections]
        if missing:
            raise Mistake(f"Protocol/{SOURCE}: no part \"{missing[0]}\"")

    def take(self, line):
        if match := PART.fullmatch(line):
            self.begin(match[1])
        elif self.part is None:
            pass  # The head of the file: syntax and package.
        elif self.part == CODES:
            if line:
                self.codes.take(line)
        elif self.part == RESERVED_TOPICS:
            if line:
                self.reserve("topic", "", line.removeprefix("// "))
        elif self.title is None:
            self.outside(line)
        else:
            self.inside(line)

    def begin(self, part):
        if part not in (*SECTIONS, CODES, RESERVED_TOPICS):
            raise Mistake("a part without a section in the document")
        self.part = part
        self.sections[part] = []

    def outside(self, line):
        if line.startswith("// "):
            self.doc.append(line[3:])
        elif match := TITLE.fullmatch(line):
            if not self.doc:
                raise Mistake("nothing says what it is")
            self.kind, self.title, self.rows, self.words = match[1], match[2], [], []
            self.fields[self.title], self.choices[self.title] = set(), set()
            if match[3]:
                self.end()
        elif line:
            raise Mistake("no comment, message or enumeration")

    def inside(self, line):
        if match := REMARK.fullmatch(line):
            self.above.append(match[1])
        elif match := ROW.fullmatch(line):
            self.row(match)
        elif self.above:
            raise Mistake("the comment above it is of no field and no value")
        elif line == "}":
            self.end()
        elif match := re.fullmatch(r"  oneof (\w+) \{", line):
            self.in_choice = match[1]
        elif line == "  }" and self.in_choice:
            self.in_choice = None
        elif match := NUMBER.fullmatch(line):
            if match["about"]:
                if not match["numbers"].isdigit():
                    raise Mistake("a word has one number")
                self.reserve(f"`{self.title}`", match["numbers"], match["about"])
        elif line:
            raise Mistake("no field, value or reserved number")

    def row(self, match):
        name, number, type = match["name"], match["number"], match["type"].strip()
        remarks = Remarks(self.above, match["about"])
        self.above = []
        self.words.append(name)
        if self.kind == "enum":
            self.rows.append(f"| {number} | `{name}` | {remarks.sentence} |")
        else:
            # Readers in some languages ask by that name which of the fields is there.
            declared = (f"oneof {self.in_choice} " if self.in_choice else "") + type
            self.rows.append(f"| {number} | `{name}` | `{declared}` | {remarks.sentence} |")
            self.fields[self.title].add(name)
            if self.in_choice:
                self.choices[self.title].add(name)
        if self.in_choice and Requests.has(self.title, name):
            self.requests.take(self.title, number, name, type, remarks)
        elif self.kind == "enum" and self.title == Moves.ENUMERATION:
            self.moves.take(name, remarks)
        else:
            remarks.refuse((), "only requests are answered, only states of a job move")
        if self.in_choice and self.title == Topics.MESSAGE:
            self.topics.take(type, remarks)

    def reserve(self, where, number, about):
        match = WORD.fullmatch(about)
        if not match:
            raise Mistake("a reserved word is written `word`: what for")
        if match["word"] in self.words or (where == "topic" and f"`{match['word']}`" in self.topics.all):
            raise Mistake("a reserved word that is in use")
        self.reserved.append(f"| {where} | {number}{' ' if number else ''}| `{match['word']}` | {match['use']} |")

    def end(self):
        lines = self.sections[self.part]
        lines += [f"#### {self.title}", "", *self.doc, ""]
        if self.rows:
            head = "| number | field | type | meaning |" if self.kind == "message" else "| value | name | meaning |"
            lines += [head, rule(head), *self.rows, ""]
        self.kind = self.title = None
        self.doc = []


def codes(text):
    """What each code of failures means, in the file's order."""
    return read(text).codes.all


def refusals(text):
    """Name and codes of refusal of each request of `Request`, by the number of its field; and the codes of each other one, by its name."""
    reader = read(text)
    tables(reader)
    requests = reader.requests
    codes = {name: requests.refusals(name, reader.codes.all) for name in requests.all}
    numbered = {number: (name, codes.pop(name)) for number, name in sorted(requests.numbers.items())}
    return numbered, codes


def read(text):
    """What the file says."""
    reader = Reader()
    reader.read(text)
    return reader


def sections(reader):
    """The document's sections by heading, each with its heading and an empty line at its end."""
    made = {
        heading: [f"## {heading}", "", ORIGIN, "", *reader.sections[part]] for part, heading in SECTIONS.items()
    }
    made[RESERVED] = [
        f"## {RESERVED}", "", RESERVED_ABOUT, ORIGIN, "", "| where | number | word | for |", "|---|---|---|---|", *reader.reserved, "",
    ]
    return {heading: "\n".join(lines) for heading, lines in made.items()}


def tables(reader):
    """The rows of tables inside of other sections, by the heads of the tables."""
    try:
        return {
            Codes.HEAD: [*reader.codes.rows()],
            Requests.HEAD: [*reader.requests.rows(reader.fields, reader.choices, set(reader.codes.all))],
            Topics.HEAD: [*reader.topics.rows()],
            Moves.HEAD: [*reader.moves.rows()],
        }
    except Mistake as mistake:
        raise Mistake(f"Protocol/{SOURCE}: {mistake}") from None


def document(old, text):
    """The document with its generated sections and tables made anew; all else stays."""
    reader = read(text)
    kept = re.split(r"(?m)^(?=## )", old)
    made = sections(reader)
    headings = [part.split("\n", 1)[0].removeprefix("## ") for part in kept]
    for heading in made:
        if headings.count(heading) != 1:
            raise Mistake(f"Protocol/{DOCUMENT} has not one section \"{heading}\"")
    for index, heading in enumerate(headings):
        if heading in made:
            kept[index] = made[heading] + ("\n" if index + 1 < len(kept) else "")
    new = "".join(kept)
    for head, rows in tables(reader).items():
        table = "\n".join([head, rule(head), *rows, ""])
        new, count = re.subn(rf"(?m)^{re.escape(head)}\n(?:\|.*\n)*", lambda _: table, new)
        if count != 1:
            raise Mistake(f"Protocol/{DOCUMENT} has not one table \"{head}\"")
    return new


def rule(head):
    """The line below the head of a table."""
    return re.sub(r"[^|]+", "---", head)


def digest(proto):
    """What the first line of generated Swift says of the file that it is from."""
    return hashlib.sha256(Path(proto).read_bytes()).hexdigest()


def stale(root):
    """The files of generated Swift that are not of today's .proto."""
    for proto in sorted(Path(root, "Protocol").glob("*.proto")):
        swift = Path(root, GENERATED, proto.stem + ".pb.swift")
        first = swift.read_text().split("\n", 1)[0] if swift.exists() else ""
        if digest(proto) not in first:
            yield f"{GENERATED}/{swift.name} is not of this Protocol/{proto.name}"
