#!/usr/bin/env python3
"""Writes the mesh of scenes/demos/funnel.json: a cone and a pipe, an open surface of revolution about z.

    tools/make_funnel.py [FILE] [--segments N]

FILE: an OBJ file (scenes/demos/funnel.obj). The surface runs in the middle of the funnel's wall; the scene gives it
a thickness.
"""
import argparse
import math
from pathlib import Path

PROFILE = [(0.260, 0.46), (0.050, 0.18), (0.050, 0.08)]  # radius and height [m], from the rim to the outlet


def rings(profile, segments):
    """Vertices, ring by ring."""
    for radius, height in profile:
        for k in range(segments):
            angle = 2 * math.pi * k / segments
            yield radius * math.cos(angle), radius * math.sin(angle), height


def triangles(ring_count, segments):
    """Two between each pair of neighbors of two rings, counter-clockwise seen from the axis."""
    for ring in range(ring_count - 1):
        for k in range(segments):
            a, b = ring * segments + k, ring * segments + (k + 1) % segments
            yield a, b, b + segments
            yield a, b + segments, a + segments


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", nargs="?", type=Path,
                        default=Path(__file__).resolve().parent.parent / "scenes/demos/funnel.obj")
    parser.add_argument("--segments", type=int, default=48)
    options = parser.parse_args()
    if options.segments < 3:
        parser.error(f"--segments {options.segments}: at least 3")
    lines = ["# made by tools/make_funnel.py"]
    lines += [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in rings(PROFILE, options.segments)]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles(len(PROFILE), options.segments)]
    options.file.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
