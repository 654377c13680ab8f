#!/usr/bin/env python3
"""Draws .github/architecture.svg, the folders and who may include whom, from the code.

usage: make_architecture.py [--check]

The floors are those of check_arrows.py, the methods those of solvers/methods/all_methods.def, the backends the folders of device/.
--check writes nothing; exit code 1 where the picture that is there differs, or a method has no floor.
"""
import re
import subprocess
import sys
from pathlib import Path

from check_arrows import FLOORS

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / ".github" / "architecture.svg"
WIDTH, MARGIN, ROW, GAP, HEAD = 960, 12, 22, 5, 28  # [px]
# Folder: its purpose, fill of its band, fill of its boxes.
BANDS = {
    "host": ("files and sequences; no formulas", "#dbe7f3", "#ffffff"),
    "solvers": ("physics and geometry; no files", "#dff0df", "#ffffff"),
    "device": ("kernels, arrays, primitives; no physics", "#f3e2df", "#ffffff"),
}
METHOD = "#ffe9b0"


def methods():
    return re.findall(r"MERGANSER_ENTRY\((\w+)\)", (ROOT / "solvers/methods/all_methods.def").read_text())


def backends():
    files = subprocess.run(["git", "ls-files", "device"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split()
    return sorted({file.split("/")[1] for file in files if file.count("/") > 1})


def rows_of(band):
    """Boxes from the top row down: labels, each with its fill."""
    _, _, plain = BANDS[band]
    if band == "device":
        return [[(f"device/{name}", plain) for name in backends()]]
    found, missing = [], set(methods()) if band == "solvers" else set()
    for floor in reversed(FLOORS[band]):
        row = []
        for folder in floor:
            method = folder.removeprefix("methods/")
            is_method = band == "solvers" and method in missing and folder != method
            missing.discard(method)
            row.append((folder or "files of host/ itself", METHOD if is_method else plain))
        found.append(row)
    if missing:
        sys.exit(f"make_architecture: no floor in check_arrows.py for {', '.join(sorted(missing))}")
    return found


def text(x, y, content, size, anchor="middle", weight="normal"):
    return (f'<text x="{x:g}" y="{y:g}" font-family="Helvetica,Arial,sans-serif" font-size="{size}" font-weight="{weight}" '
            f'text-anchor="{anchor}" fill="#22303c">{content}</text>')


def box(x, y, width, height, fill, stroke="#5a6b7b"):
    return f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="4" fill="{fill}" stroke="{stroke}"/>'


def drawing():
    parts, y, inside = [], MARGIN, WIDTH - 4 * MARGIN
    for band, (purpose, fill, _) in BANDS.items():
        rows = rows_of(band)
        height = HEAD + len(rows) * (ROW + GAP) + GAP
        parts += [box(MARGIN, y, WIDTH - 2 * MARGIN, height, fill, fill), text(2 * MARGIN, y + 19, f"{band}/", 15, "start", "bold"),
                  text(2 * MARGIN + 80, y + 19, purpose, 13, "start")]
        for k, row in enumerate(rows):
            width = (inside - GAP * (len(row) - 1)) / len(row)
            top = y + HEAD + k * (ROW + GAP)
            for j, (label, color) in enumerate(row):
                left = 2 * MARGIN + j * (width + GAP)
                short = label if len(label) * 7 < width else label.split("/")[-1]
                parts += [box(left, top, width, ROW, color), text(left + width / 2, top + 15.5, short, 12)]
        y += height + MARGIN
    parts.append(text(WIDTH / 2, y + 4, "A folder includes from lower rows only. Yellow: the methods.", 13))
    height = y + 20
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}">\n'
            f'<rect width="{WIDTH}" height="{height}" fill="#ffffff"/>\n' + "\n".join(parts) + "\n</svg>\n")


def main():
    if sys.argv[1:] not in ([], ["--check"]):
        print(__doc__.strip())
        return 0 if sys.argv[1:] in (["-h"], ["--help"]) else 2
    if sys.argv[1:]:
        if PICTURE.read_text() != drawing():
            print("make_architecture: .github/architecture.svg is not that of the code; run tools/make_architecture.py", file=sys.stderr)
            return 1
        return 0
    PICTURE.write_text(drawing())
    return 0


if __name__ == "__main__":
    sys.exit(main())
