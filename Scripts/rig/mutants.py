"""Finds places in Swift source where a small mistake could be made, and writes the mistake beside the original, chosen at run time.

Mutant schemata (Untch, Offutt, Harrold 1993): all mutants are compiled together; the variable GANTRY_MUTANT chooses one for a process. Into the file
that GANTRY_MUTANTS_REACHED names a process writes a byte for each number, 1 where it has come to that mutant.
"""

import hashlib
import re
from dataclasses import dataclass

# More mutants than there will be places.
MOST = 1 << 16
CHOOSER = """//
// Made by Scripts/mutate: chooses one of the mutants that are compiled together.
//

internal import Foundation

/// The mutant of this process.
public enum Mutant {
    private static let chosen = Int(ProcessInfo.processInfo.environment["GANTRY_MUTANT"] ?? "") ?? -1
    /// Where a byte is written for each mutant that this process comes to; a file in memory, so that nothing is lost with a process that is ended.
    @unsafe nonisolated(unsafe) private static let reached: UnsafeMutablePointer<UInt8>? = {
        guard let path = ProcessInfo.processInfo.environment["GANTRY_MUTANTS_REACHED"] else { return nil }
        let descriptor = unsafe open(path, O_RDWR | O_CREAT, 0o644)
        ftruncate(descriptor, MOST)
        return unsafe mmap(nil, MOST, PROT_READ | PROT_WRITE, MAP_SHARED, descriptor, 0)?.assumingMemoryBound(to: UInt8.self)
    }()
    /// Whether this is the mutant.
    @inline(never) public static func `is`(_ number: Int) -> Bool {
        if let reached = unsafe reached { unsafe reached[number] = 1 }
        return number == chosen
    }
}
""".replace("MOST", str(MOST))


@dataclass
class Mutant:
    """One mistake: a fragment of one line and what stands there instead."""

    file: str
    line: int  # from 1
    start: int
    end: int
    original: str
    mutated: str  # empty: the statement is left out
    kind: str
    about: str = ""
    tests: str = ""  # a filter: which tests are asked; empty: those of its module
    number: int = -1

    def described(self):
        change = f"{self.original.strip()}  ->  {self.mutated.strip() or '(left out)'}"
        return f"{self.file}:{self.line}: {self.kind}: {change}" + (f" ({self.about})" if self.about else "")


def clauses(text):
    """Splits a condition list at its top-level commas; yields (start, end)."""
    depth, begin, quoted = 0, 0, False
    for index, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        if quoted:
            continue
        depth += (character in "([{") - (character in ")]}")
        if character == "," and depth == 0:
            yield begin, index
            begin = index + 1
    yield begin, len(text)


def top_level(text, operator):
    """Where an operator stands outside brackets and quotes, with blanks around it."""
    depth, quoted = 0, False
    for index, character in enumerate(text):
        if character == '"':
            quoted = not quoted
        if quoted:
            continue
        depth += (character in "([{") - (character in ")]}")
        if depth == 0 and text.startswith(f" {operator} ", index):
            yield index


SWAPS = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "==", "&&": "||", "||": "&&"}
CONDITION = re.compile(r"^(\s*(?:\}? ?else )?(?:guard|if|while) )(.+?)( else \{.*| \{.*)$")
STATEMENT = re.compile(r"^(\s*)((?:[\w?.\[\]!]+)\(.*\)|[\w?!]+(?:[.\[][\w?.\[\]!\s+:]*)+ (?:=|\+=|-=) .+)$")
KEYWORDS = ("guard", "if", "while", "for", "switch", "return", "throw", "try", "case", "let", "var", "func", "init", "super", "self.init", "precondition", "private(set)", "package private(set)")


def in_condition(file, number, line):
    """Mutants of the condition of a guard, if or while that stands on one line."""
    match = CONDITION.match(line)
    if not match:
        return
    offset = len(match.group(1))
    for begin, end in clauses(match.group(2)):
        clause = match.group(2)[begin:end]
        text = clause.strip()
        begin += len(clause) - len(clause.lstrip())
        if re.match(r"(let|var|case|#|try|await)\b", text) or not text or "=" in text.replace("==", "").replace("!=", "").replace("<=", "").replace(">=", ""):
            continue
        # Without the only way out of a loop that never ends the compiler misses a return, lines below.
        if text == "true":
            continue
        if any(text.count(left) != text.count(right) for left, right in ("()", "[]", "{}")):
            continue
        place = (file, number, offset + begin, offset + begin + len(text))
        found = False
        for operator, other in SWAPS.items():
            for index in top_level(text, operator):
                found = True
                changed = text[: index + 1] + other + text[index + 1 + len(operator):]
                yield Mutant(*place, text, changed, "condition")
        if not found or "&&" in text or "||" in text:
            yield Mutant(*place, text, f"!({text})", "negated")


def as_statement(file, number, line):
    """A call or an assignment to a part of something, left out."""
    line = line.split("  //")[0].rstrip()
    match = STATEMENT.match(line)
    if not match or match.group(2).startswith(KEYWORDS) or line.rstrip().endswith(("{", "(", ",")):
        return
    # A property that an initializer leaves out, and a value that a function is to return, do not compile.
    if re.match(r"self\.\w+ = |[A-Z]\w+\(", match.group(2)):
        return
    text = match.group(2)
    if text.count("(") != text.count(")") or text.count("{") != text.count("}"):
        return
    # Equal values stay equal with less of them in the hash, and a collection grows by itself: these change nothing that anybody could see.
    if re.match(r"hasher\.combine\(|[\w.]+\.reserveCapacity\(", text):
        return
    begin = len(match.group(1))
    yield Mutant(file, number, begin, begin + len(text), text, "", "left out")


def as_return(file, number, line):
    """A returned comparison, turned."""
    match = re.match(r"^(\s*return )(.+ (?:<|<=|>|>=|==|!=|&&|\|\|) .+)$", line)
    if not match or match.group(2).count("(") != match.group(2).count(")") or "{" in line or " ? " in line:
        return
    begin = len(match.group(1))
    text = match.group(2)
    yield Mutant(file, number, begin, begin + len(text), text, f"!({text})", "returned")


def in_numbers(file, number, line):
    """One more or one less, and the smaller for the larger."""
    code = line.split("//")[0]
    for match in re.finditer(r"(?<=[\w)\]]) ([+-]) 1\b(?!\s*\.\.)", code):
        if re.match(r"\s*(let|var) |.*=", code):
            begin = match.start()
            text = match.group(0)
            yield Mutant(file, number, begin, begin + len(text), text, f" {match.group(1)} 0", "number")
    for match in re.finditer(r"\b(min|max)\(", code):
        other = "max(" if match.group(1) == "min" else "min("
        yield Mutant(file, number, match.start(), match.end(), match.group(0), other, "min or max")


def sites(root, folders):
    """All places in the folders, in order."""
    found = []
    for folder in folders:
        for path in sorted((root / folder).rglob("*.swift")):
            file = str(path.relative_to(root))
            for number, line in enumerate(path.read_text().splitlines(), 1):
                if line.strip().startswith(("//", "@", "import", "public import", "///")) or "Mutant.is" in line:
                    continue
                for find in (in_condition, as_statement, as_return, in_numbers):
                    found.extend(find(file, number, line))
    return found


def choose(found, count, seed, taken=()):
    """So many of them, at most one a line and none on those taken, by the seed, and spare ones; at most half of them leave a statement out.

    The order is that of hashes of what each changes: a change of the sources leaves all others where they were, so that sweeps can be compared.
    """
    found.sort(key=lambda mutant: hashlib.sha256(f"{seed} {mutant.file} {mutant.kind} {mutant.original} {mutant.mutated}".encode()).digest())
    chosen, lines, left_out = [], set(taken), 0
    for mutant in found:
        if len(chosen) == 2 * count:
            break
        is_left_out = mutant.kind == "left out"
        if (mutant.file, mutant.line) in lines or is_left_out and left_out > len(chosen) // 2:
            continue
        chosen.append(mutant)
        left_out += is_left_out
        lines.add((mutant.file, mutant.line))
    return sorted(chosen[:count], key=lambda mutant: (mutant.file, mutant.line)), chosen[count:]


def written(line, mutant):
    """The line with the mutant beside the original."""
    before, after = line[: mutant.start], line[mutant.end:]
    if mutant.kind == "left out":
        return f"{before}if !Mutant.is({mutant.number}) {{ {mutant.original} }}{after}"
    if mutant.kind == "number":
        sign = mutant.original.strip()[0]
        return f"{before} {sign} (Mutant.is({mutant.number}) ? 0 : 1){after}"
    if mutant.kind == "min or max":
        return f"{before}(Mutant.is({mutant.number}) ? {mutant.mutated[:-1]} : {mutant.original[:-1]})({after}"
    return f"{before}(Mutant.is({mutant.number}) ? ({mutant.mutated}) : ({mutant.original})){after}"


def by_hand(root, path):
    """The mutants of a list: blocks of `file:`, `find:`, `at:`, `not:`, `replace:`, `tests:` and `about:` lines.

    The text to find stands on one line of the file; where several have it, `at:` is other text of the wanted one, `not:` of the others.
    A line has one of them at most, for only one can be written beside it.
    """
    made, problems, block, taken = [], [], {}, set()
    for raw in path.read_text().splitlines() + [""]:
        line = raw.strip()
        if line.startswith("#"):
            continue
        if line:
            key, _, value = line.partition(": ")
            block[key.rstrip(":")] = value
            continue
        if not block:
            continue
        find, at, other, replace = block["find"], block.get("at", ""), block.get("not"), block.get("replace", "")
        lines = (root / block["file"]).read_text().splitlines()
        hits = [
            (number, text.index(find)) for number, text in enumerate(lines, 1)
            if find in text and at in text and not (other and other in text)]
        if len(hits) != 1:
            problems.append(f"{block['file']}: \"{find}\" stands on {len(hits)} lines, not on one: mend the list {path.name}")
        elif (block["file"], hits[0][0]) in taken:
            where = f"{block['file']}:{hits[0][0]}"
            problems.append(f"{where}: \"{find}\" is the second mistake of that line: mend the list {path.name}, or split the line")
        else:
            taken.add((block["file"], hits[0][0]))
            number, begin = hits[0]
            made.append(Mutant(
                block["file"], number, begin, begin + len(find), find, replace, "by hand" if replace else "left out",
                block.get("about", ""), block.get("tests", "")))
        block = {}
    return made, problems
