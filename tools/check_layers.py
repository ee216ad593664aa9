#!/usr/bin/python3
"""Checks the layers of the library: which room may include which, what no room may do, and what decides for one process.

usage: check_layers.py [ROOT]     ROOT holds src/limber (default: the repository of this file)

Prints file:line for each violation; exit status 1 if there is one.
"""

import re
import sys
from pathlib import Path

# A room, and the rooms it is built on. A room may include itself and everything below, at any depth.
LAYERS = {
    "core": [],
    "render": ["core"],
    "linalg": ["core"],
    "mesh": ["core"],
    "material": ["core"],
    "model": ["core", "linalg"],
    "force": ["model", "mesh", "material", "linalg"],
    "contact": ["model", "mesh", "linalg"],
    "solve": ["model", "linalg"],
    "time": ["solve", "model", "linalg"],
    "analysis": ["time"],
    "sim": ["time", "model"],
    "gradient": ["sim"],
    "record": ["sim", "analysis", "force", "contact"],
    "verify": ["record"],
    "exchange": ["record", "render"],
    "scene": ["record", "gradient"],
    "movie": ["scene", "exchange", "render"],
    "study": ["movie"],
    "view": ["movie"],
}

# Headers beside the rooms: the version, for scene and what is built on it, and the umbrella, which no room may include.
VERSION, UMBRELLA = "version.hpp", "limber.hpp"

# Folders within a room, and the folders of the room that each is built on. Rooms that are not here have no such order.
FOLDERS = {
    "linalg": {"": [], "solvers": [""], "modes": ["solvers"], "exponential": [""]},
    "mesh": {"": [], "io": [""], "fill": [""], "shapes": ["fill"]},
    "contact": {"geometry": [], "forces": ["geometry"], "smooth": ["forces"], "": ["smooth"]},
    "scene": {"": [], "construction": [""], "run": ["construction"], "gradient": ["run"],
              "coarsen": ["run"], "advice": ["run"]},
    "study": {"": [], "sweep": [""], "validation": [""]},
}

# The library reports by exceptions and return values: it neither prints nor ends the program.
FORBIDDEN = [
    (re.compile(r"#\s*include\s*<iostream>"), "the library does not print: no <iostream>"),
    (re.compile(r"(?<![\w.>])(?:std\s*::\s*)?(exit|_Exit|quick_exit|abort|terminate)\s*\("),
     "the library does not end the program: throw InputError, StepFailure or OutputError"),
]

# Where vectors are shared by several processes, members of Eigen see one process's part: what decides comes from Space.
# A vector that is small, or whole on each process, says so: "// local: why", on the line or the one above.
SHARED_ROOMS = {"time", "sim", "solve"}
OF_ONE_PROCESS = re.compile(r"\.\s*(?:(?:norm|stableNorm|squaredNorm|maxCoeff|minCoeff|allFinite)\s*\(\s*\)|isZero\s*\(|lpNorm\s*<)"
                            r"|(?<!space)(?<!space_)(?<!space\(\))\.\s*dot\s*\(")
LOCAL = re.compile(r"//.*\blocal: \S")

INCLUDE = re.compile(r'#\s*include\s*[<"]limber/([\w.]+)(/)?(?:(\w+)/)?')
SOURCES = {".hpp", ".cpp", ".h", ".inl"}
COMMENT_OR_STRING = re.compile(r'//[^\n]*|/\*.*?\*/|"(?:\\.|[^"\\\n])*"', re.DOTALL)


def below(name, table):
    """What `name`, a room or a folder of the table, may include: itself, and all that it is built on."""
    seen = {name}
    waiting = [name]
    while waiting:
        for other in table[waiting.pop()]:
            if other not in seen:
                seen.add(other)
                waiting.append(other)
    return seen


def blank(text):
    """Comments and string literals (not the names of includes) as blanks, line numbers kept."""
    def one(match):
        if match[0][0] == '"' and re.search(r"#\s*include\s*$", text[: match.start()].rsplit("\n", 1)[-1]):
            return match[0]
        return re.sub(r"[^\n]", " ", match[0])

    return COMMENT_OR_STRING.sub(one, text)


def check_file(path, room, folder):
    """Yields (line, message) for each violation in a file of `room`, in its `folder` ("": beside the folders)."""
    allowed = below(room, LAYERS)
    folders = FOLDERS.get(room)
    if folders is not None and folder not in folders:
        yield 1, f"{room}/ has no folder {folder}/; add it to tools/check_layers.py"
        folders = None
    text = path.read_text(encoding="utf-8")
    given = ["", *text.splitlines()]
    for number, line in enumerate(blank(text).splitlines(), 1):
        marked = LOCAL.search(given[number]) or LOCAL.match(given[number - 1].strip())
        if room in SHARED_ROOMS and not marked and (found := OF_ONE_PROCESS.search(line)):
            yield number, (f"'{found[0].strip()}' sees this process only: take Space, or say why that is right with "
                           "'// local: …'")
        for match in INCLUDE.finditer(line):
            other, slash, inner = match.groups()
            if not slash and other == VERSION and "scene" in allowed:
                continue
            if slash and other not in LAYERS:
                yield number, f"no room is called {other}; add it to tools/check_layers.py"
            elif not slash or other not in allowed:
                yield number, f"{room}/ may not include {other}{slash or ''}; it may include {', '.join(sorted(allowed))}"
            elif other == room and folders is not None and (inner or "") not in below(folder, folders):
                yield number, f"{room}/{folder} may not include {room}/{inner or ''}, which is built on it"
        for pattern, message in FORBIDDEN:
            if pattern.search(line):
                yield number, message


def check(root):
    """(number of files, messages) of the library under root/src/limber."""
    library = root / "src" / "limber"
    files = sorted(p for p in library.rglob("*") if p.suffix in SOURCES)
    messages = []
    for path in files:
        name = path.relative_to(root)
        if path == library / UMBRELLA:
            continue
        room, *folders = path.relative_to(library).parts
        if room not in LAYERS:
            messages.append(f"{name}:1: {room} is not a room; add it to tools/check_layers.py")
            continue
        messages += [f"{name}:{line}: {text}" for line, text in check_file(path, room, folders[0] if len(folders) > 1 else "")]
    return len(files), messages


def main():
    root = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent
    count, messages = check(root)
    for message in messages:
        print(message)
    if not count:
        print(f"{root}: no sources under src/limber")
        return 1
    if messages:
        print(f"{len(messages)} violations in {count} files")
        return 1
    print(f"{count} files keep to their layers")
    return 0


if __name__ == "__main__":
    sys.exit(main())
