#!/usr/bin/env python3
"""Checks the layout: arrows point one way (device <- solvers <- host; tools and tests use the rest), and nothing but
the agreed entries stands at the top level.

    tools/check_arrows.py [ROOT]

A file in device/ includes from device/ only, one in solvers/ from device/ and solvers/, one in host/ from these three.
Includes of ours are written from the root ("device/array.h"); `#include <...>` is for everybody else's headers.
Exit code 1 and one line a fault where the rules are broken.
"""
import re
import subprocess
import sys
from pathlib import Path

MAY_INCLUDE = {
    "device": {"device"},
    "solvers": {"device", "solvers"},
    "host": {"device", "solvers", "host"},
    "tools": {"device", "solvers", "host", "tools"},
    "tests": {"device", "solvers", "host", "tools", "tests"},
}
# What a folder's business is not, whoever provides it.
FORBIDDEN_HEADERS = {
    "device": ("nlohmann/", "CLI/", "hdf5", "H5"),
    "solvers": ("nlohmann/", "CLI/", "hdf5", "H5"),
}
TOP_LEVEL = {"CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "device", "solvers", "host", "scenes", "tools", "tests"}
SOURCE = {".h", ".cpp", ".cu", ".cuh", ".def", ".hpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def tracked_files(root):
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        return [Path(name) for name in listed.stdout.split("\0") if name and (root / name).exists()]
    return [p.relative_to(root) for top in MAY_INCLUDE for p in (root / top).rglob("*") if p.is_file()]


def faults_of(path, lines, root):
    folder = path.parts[0]
    for number, line in enumerate(lines, 1):
        found = INCLUDE.match(line)
        if not found:
            continue
        quote, header = found.groups()
        first = header.split("/")[0]
        where = f"{path}:{number}: "
        if first in MAY_INCLUDE and (root / header).exists():
            if first not in MAY_INCLUDE[folder]:
                yield f"{where}{folder}/ must not include '{header}'; it may use {', '.join(sorted(MAY_INCLUDE[folder]))}"
            if quote == "<":
                yield f"{where}our own '{header}' is included with <>; write quotes"
        elif quote == '"':
            if (root / path.parent / header).exists():
                yield f"{where}'{header}' is given relative to the file; write it from the root"
            else:
                yield f"{where}no '{header}' below the root; headers of others are included with <>"
        elif any(header.startswith(other) for other in FORBIDDEN_HEADERS.get(folder, ())):
            yield f"{where}{folder}/ does not know <{header}>: files, JSON and the command line are the host's"


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    faults, checked = [], 0
    for path in tracked_files(root):
        top = path.parts[0]
        if top not in TOP_LEVEL and not top.startswith("."):
            faults.append(f"{path}: nothing but {', '.join(sorted(TOP_LEVEL))} and dotfiles stands at the top level")
        if top == "scenes" and path.suffix in SOURCE:
            faults.append(f"{path}: scenes/ holds data, no code")
        if top in MAY_INCLUDE and path.suffix in SOURCE:
            checked += 1
            faults += faults_of(path, (root / path).read_text(errors="replace").splitlines(), root)
    for fault in sorted(set(faults)):
        print(fault)
    print(f"arrows: {checked} source files, {len(set(faults))} faults")
    return 1 if faults or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
