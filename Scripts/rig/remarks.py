"""What the comment of a declaration in a .proto says: what it means, and further lines that begin with key words.

The comment stands behind the declaration or above it, where it may have several lines:

    // Loads a feed; joins a load that is under way.
    // Replies: `accepted`; `done` for a feed without a source.
    // Refused with: `unknownFeed`, `busy`.
    FeedTarget load = 3;

A request has `Replies:` and `Refused with:`, or `Answered as:` with another one; a state a line `Moves to STATE:` for each move, which says when.
A line without a key word goes on with the one above it.
"""

import re

REPLIES, REFUSALS, SAME = "Replies", "Refused with", "Answered as"
MOVES = "Moves to "
LINE = re.compile(rf"({REPLIES}|{REFUSALS}|{SAME}|{MOVES}\w+): (.+)")


class Mistake(Exception):
    """A line of the file that would make no row, or a wrong one."""


class Remarks:
    """The comment of one declaration."""

    def __init__(self, above, behind):
        """Of the lines above it and the text behind it, without their slashes; there is one or the other."""
        if above and behind:
            raise Mistake("a comment above it and one behind it")
        self.meaning = behind or ""
        self.lines = {}
        key = None
        for text in above:
            if match := LINE.fullmatch(text):
                key = match[1]
                if key in self.lines:
                    raise Mistake(f"two lines \"{key}:\"")
                self.lines[key] = match[2]
            elif key:
                self.lines[key] += f" {text}"
            else:
                self.meaning = f"{self.meaning} {text}".strip()
        if not self.meaning:
            raise Mistake("nothing says what it means")

    def cell(self, key):
        """The line of a key word as it stands in a table: without the stop at its end."""
        return self.lines[key].removesuffix(".")

    @property
    def moves(self):
        """When it moves, by where it moves to."""
        return {key.removeprefix(MOVES): self.cell(key) for key in self.lines if key.startswith(MOVES)}

    @property
    def sentence(self):
        """What it means, and where it moves, for those who need not know when."""
        return self.meaning + (f" {MOVES}{', '.join(self.moves)}." if self.moves else "")

    def refuse(self, keys, reason):
        """Its lines with other key words than these are a mistake."""
        for key in self.lines:
            if not key.startswith(keys):
                raise Mistake(f"{reason}: \"{key}:\"")
