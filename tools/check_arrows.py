#!/usr/bin/env python3
"""Checks the layout: arrows point one way (device <- solvers <- host; tools and tests use the rest), folders of
solvers/ and host/ include from lower floors only, and nothing but the agreed entries stands at the top level.

    tools/check_arrows.py [ROOT]

A file in device/ includes from device/ only, one in solvers/ from device/ and solvers/, one in host/ from these three.
Within solvers/ and host/ it includes from its own folder and from those on lower floors, see FLOORS.
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
# From the lowest up. Folders of one floor do not include each other. A file that stands in host/ itself has a floor of
# its own where it is named here, else it is on that of "".
FLOORS = {
    "solvers": [
        ["base"],
        ["linear/multigrid", "linear/cholesky", "geometry/sampling", "geometry/topology"],
        ["linear/krylov", "linear/two_level", "geometry/surface", "geometry/signed_distance"],
        ["geometry/walls"],
        ["geometry/level_set"],
        ["core"],
        ["geometry/skinning"],
        ["coupling/boundary", "coupling/merge_split", "coupling/implicit"],
        ["coupling/pairwise_contact", "geometry/relaxation"],
        ["methods/fluid"],
        ["methods/fluid/forces"],
        ["methods/sph", "methods/dfsph", "methods/flip", "methods/mass_spring", "methods/peridynamics", "methods/elastic_sph",
         "methods/rigid"],
        ["methods"],
        ["observables/ledger", "observables/probes"],
        ["observables"],
        ["benchmarks"],
    ],
    "host": [
        ["", "files"],
        ["simulation"],
        ["checks"],
        ["scene"],
        ["output", "benchmark"],
        ["services.h"],
        ["run"],
        ["surface"],
        ["cli"],
        ["main.cpp"],
    ],
}
TOP_LEVEL = {"CITATION.cff", "CMakeLists.txt", "CMakePresets.json", "LICENSE", "README.md", "device", "solvers", "host", "scenes", "tools", "tests"}
SOURCE = {".h", ".cpp", ".cu", ".cuh", ".def", ".hpp"}
INCLUDE = re.compile(r'^\s*#\s*include\s*([<"])([^>"]+)[>"]')


def tracked_files(root, pattern="*"):
    """Files of a clone, or of a tree that git does not know, whose names match."""
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True)
    if listed.returncode == 0 and listed.stdout:
        files = [Path(name) for name in listed.stdout.split("\0") if name and (root / name).exists()]
    else:
        files = [p.relative_to(root) for top in [*MAY_INCLUDE, "scenes"] for p in (root / top).rglob("*") if p.is_file()]
    return [file for file in files if file.match(pattern)]


def floor_of(path):
    """Folder within the top one, and the number of its floor; None where the tables do not know it."""
    within, folder = "/".join(path.parts[1:]), "/".join(path.parts[1:-1])
    for number, folders in enumerate(FLOORS[path.parts[0]]):
        if within in folders:
            return within, number
    for number, folders in enumerate(FLOORS[path.parts[0]]):
        if folder in folders:
            return folder, number
    return folder, None


def floor_fault(path, header):
    """What is wrong with an include within solvers/ or host/; "" where nothing is."""
    (folder, floor), (other, its_floor) = floor_of(path), floor_of(Path(header))
    if floor is None or its_floor is None:
        unknown = folder if floor is None else other
        return f"{path.parts[0]}/{unknown}/ has no floor; give it one in FLOORS of tools/check_arrows.py"
    if folder == other or its_floor < floor:
        return ""
    return f"'{header}' is on the floor of {folder or path.parts[0]}/ or above it"


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
            elif first == folder and folder in FLOORS:
                fault = floor_fault(path, header)
                if fault:
                    yield where + fault
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
