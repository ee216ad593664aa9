#!/usr/bin/python3
"""Counts what makes the library hard to change: large classes, mutable members, places that catch StepFailure or go another
way after it, branches on the number of processes.

usage: structure.py [--check] [ROOT]     ROOT holds src/limber (default: the repository of this file)

Prints a table. With --check, exit status 1 where a count is above its limit (LIMITS below).
"""

import argparse
import re
import sys
from dataclasses import dataclass
from pathlib import Path

# Each with the most that is allowed, and the goal. A limit is never raised; it is lowered when a count has fallen.
MEMBERS, LINES = 12, 300
LIMITS = {
    "data members of the largest class": (12, MEMBERS),
    f"classes with more than {MEMBERS} data members": (0, 0),
    "lines of the longest class, with its sources": (300, LINES),
    f"classes with more than {LINES} lines": (0, 0),
    "mutable members": (2, 2),
    "places that catch StepFailure": (2, 5),
    "places with another way (failure_of)": (26, 26),
    "branches on the number of processes": (19, 20),
}

SOURCES = {".hpp", ".cpp"}
NO_CODE = re.compile(r'R"(\w*)\(.*?\)\1"|//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.DOTALL)
DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*", re.MULTILINE)
CLASS = re.compile(r"(?:^|[\s>])class\s+(?:\[\[.*?\]\]\s*)?(\w+)\s*(?:<[^{}]*>\s*)?(?:final\s*)?(?::(?!:)[^{}]*)?$", re.DOTALL)
RECORD = re.compile(r"^(?:template\s*<[^{}]*>\s*)?(?:mutable\s+)?(?:struct|union|enum)\b[^()]*$", re.DOTALL)
SCOPE = re.compile(r'^(?:inline\s+)?namespace\b|^extern\s*$')
DEFINED = re.compile(r"\b(\w+)(?:<[\w, ]*>)?::(?:\w+::)*(?:~?\w+|operator[^\w\s(]+|operator\s*\(\s*\))\s*\(")
MUTABLE = re.compile(r"^\s*(mutable\s[^;]*);", re.MULTILINE)
CATCH = re.compile(r"\bcatch\s*\(\s*(?:const\s+)?StepFailure\b")
OTHER_WAY = re.compile(r"\bfailure_of\(\[")
PROCESSES = re.compile(r"(?<!bool )\bshared\(\)|(?:\bprocesses(?:_|\(\))?|(?<![.\w])all_?)(?:\.all\(\))?\.size\(\)\s*[>=!]=?\s*1\b")


@dataclass
class Class:
    name: str
    file: str
    members: int = 0
    lines: int = 0


def blank(text):
    """Comments, strings and directives as blanks; line numbers stay."""
    return DIRECTIVE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), NO_CODE.sub(lambda m: re.sub(r"[^\n]", " ", m[0]), text))


def closing(text, begin):
    """Behind the bracket that closes the one at `begin`."""
    depth = 0
    for i in range(begin, len(text)):
        if text[i] in "({[":
            depth += 1
        elif text[i] in ")}]":
            depth -= 1
            if depth == 0:
                return i + 1
    return len(text)


def declarators(statement):
    """The number of data members that a statement of a class declares."""
    words = statement.split()
    first = words[0] if words else ""
    if len(words) < 2 or first in ("using", "typedef", "friend", "static", "template", "enum", "static_assert", "explicit", "virtual"):
        return 0
    if first in ("class", "struct", "union") and len(words) == 2:
        return 0
    count, angle, i = 1, 0, 0
    while i < len(statement):
        c = statement[i]
        if c == "(" and angle == 0:
            return 0  # a function
        if c == "=" and angle == 0:  # an initial value, up to the next declarator
            while i < len(statement) and statement[i] != ",":
                i = closing(statement, i) if statement[i] in "({[" else i + 1
            continue
        if c in "({[":
            i = closing(statement, i)
            continue
        angle += (c == "<") - (c == ">")
        count += c == "," and angle == 0
        i += 1
    return count


class File:
    """The classes of a file, and the definitions of their members outside."""

    def __init__(self, name, text):
        self.name, self.code = name, blank(text)
        self.classes, self.definitions = [], []  # definitions: (name of the class, lines)
        self.scan(0, len(self.code), None)

    def lines(self, begin, end):
        return sum(bool(line.strip()) for line in self.code[begin:end].split("\n"))

    def scan(self, i, end, inside):
        """Statements from i to end, in a namespace or in the class `inside`."""
        start = i
        while i < end:
            c = self.code[i]
            head = self.code[start:i].strip() if c in "{;:" else ""
            if c in "([":
                i = closing(self.code, i)
            elif c == ";":
                self.statement(head, inside)
                start = i = i + 1
            elif c == ":" and head in ("public", "protected", "private"):
                start = i = i + 1
            elif c == "{":
                stop = closing(self.code, i)
                if SCOPE.search(head):
                    self.scan(i + 1, stop - 1, None)
                elif not head.startswith("enum") and (found := CLASS.search(head)):
                    self.add_class(found[1], start, i, stop)
                elif RECORD.match(head):
                    self.scan(i + 1, stop - 1, None)
                elif self.continues(head):
                    i = stop
                    continue
                else:
                    self.define(head, start, stop, inside)
                start = i = stop
            else:
                i += 1

    @staticmethod
    def continues(head):
        """Whether a brace is an initial value, of a member or in the list of a constructor, rather than a body."""
        if "(" not in head or re.search(r"(?<![=!<>])=(?!=)[^()]*$", head):
            return "operator" not in head
        return bool(re.search(r"\)\s*(?:noexcept\s*)?:(?!:)", head)) and bool(re.search(r"[\w>]$", head))

    def statement(self, head, inside):
        if inside is not None:
            inside.members += declarators(head)

    def add_class(self, name, start, begin, stop):
        one = Class(name, self.name, lines=self.lines(start, stop))
        self.classes.append(one)
        self.scan(begin + 1, stop - 1, one)

    def define(self, head, start, stop, inside):
        if inside is None and (found := DEFINED.search(head)):
            self.definitions.append((found[1], self.lines(start, stop)))


def measure(root):
    """The classes, largest first, and the counts."""
    library = root / "src" / "limber"
    files = [File(str(p.relative_to(library)), p.read_text(encoding="utf-8"))
             for p in sorted(library.rglob("*")) if p.suffix in SOURCES]
    by_name = {}
    for f in files:
        for c in f.classes:
            by_name.setdefault(c.name, []).append(c)
    for f in files:
        for name, lines in f.definitions:
            owners = by_name.get(name, [])
            near = [c for c in owners if c.file == f.name] or [c for c in owners if c.file.endswith(".hpp")]
            if near:
                near[0].lines += lines
    classes = [c for f in files for c in f.classes]
    if not classes:
        sys.exit(f"{root}: no classes under src/limber")
    classes.sort(key=lambda c: (-max(c.members / MEMBERS, c.lines / LINES), c.name))
    outside = [f for f in files if f.name.split("/")[0] not in ("core", "linalg")]
    counts = [max(c.members for c in classes), sum(c.members > MEMBERS for c in classes), max(c.lines for c in classes),
              sum(c.lines > LINES for c in classes),
              sum(declarators(member) for f in files for member in MUTABLE.findall(f.code)),
              sum(len(CATCH.findall(f.code)) for f in files),
              sum(len(OTHER_WAY.findall(f.code)) for f in files), sum(len(PROCESSES.findall(f.code)) for f in outside)]
    return classes, dict(zip(LIMITS, counts))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0])
    parser.add_argument("--check", action="store_true", help="exit status 1 where a count is above its limit")
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).resolve().parent.parent)
    options = parser.parse_args()
    classes, counts = measure(options.root)
    print(f"{'class':32} {'members':>8} {'lines':>6}   header")
    for c in classes[:10]:
        print(f"{c.name:32} {c.members:8} {c.lines:6}   {c.file}")
    print(f"\n{'':48} {'now':>5} {'limit':>6} {'goal':>5}")
    above = []
    for name, count in counts.items():
        limit, goal = LIMITS[name]
        print(f"{name:48} {count:5} {limit:6} {goal:5}")
        if count > limit:
            above.append(f"{name}: {count}, allowed are {limit}")
    if options.check:
        for line in above:
            print(line, file=sys.stderr)
        return 1 if above else 0
    return 0


if __name__ == "__main__":
    sys.exit(main())
