#!/usr/bin/env python3
"""Fills a mesh with particles by each method of `merganser sample` and says how well and how fast.

    tools/benchmark/sampling_quality.py MESH --particles N [--merganser PATH] [--methods lattice,relaxed,blueNoise] [--keep DIR]

One row a method: particles; their volume, relative to that of the mesh; seconds, and those of all processors together; distance
to the nearest other particle, mean and least, in spacings d, and its spread, standard deviation over mean (0 in a lattice, 36 %
of points strewn at random); density of particles whose kernel does not reach the surface: spread; how far spheres of radius d/2
stick out of the surface, root mean square over particles less than d deep, in d; gap between the surface and the nearest
particle less d/2, root mean square and greatest over points half a spacing apart, in d; particles with a degenerate
neighborhood: the smallest eigenvalue of the sum of V |F| x x^T, which [ES] eq. 8 inverts, is below 0.02 (1 inside a lattice).
Kernel: cubic spline of support 2 d.
"""
import argparse
import resource
import subprocess
import tempfile
import time
from pathlib import Path

import numpy as np


def read_obj(path):
    corners, faces = [], []
    for line in Path(path).read_text().splitlines():
        word = line.split()
        if word and word[0] == "v":
            corners.append([float(x) for x in word[1:4]])
        elif word and word[0] == "f":
            face = [int(x.split("/")[0]) - 1 for x in word[1:]]
            faces += [[face[0], face[k], face[k + 1]] for k in range(1, len(face) - 1)]
    return np.array(corners), np.array(faces)


def volume_of(corners, faces):
    a, b, c = (corners[faces[:, k]] for k in range(3))
    return abs(np.einsum("ij,ij->i", a, np.cross(b, c)).sum()) / 6


def surface_points(corners, faces, width):
    """Middles of the pieces of all faces, each cut into n^2 so that edges of pieces are no longer than the width."""
    a, b, c = (corners[faces[:, k]] for k in range(3))
    longest = np.sqrt(np.max([((q - p) ** 2).sum(axis=1) for p, q in ((a, b), (b, c), (c, a))], axis=0))
    parts = np.ceil(longest / width).astype(int)
    points = []
    for n in np.unique(parts):
        of = parts == n
        for i in range(n):
            for j in range(2 * (n - i) - 1):
                u, v = (i + (1 + j % 2) / 3) / n, (j // 2 + (1 + j % 2) / 3) / n
                points.append(a[of] + u * (b[of] - a[of]) + v * (c[of] - a[of]))
    return np.concatenate(points)


def processor_seconds():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Pairs:
    """Calls visit(i, j, x_i - y_j, r) with arrays of all pairs of queries x and points y nearer than the radius, in batches."""

    def __init__(self, points, radius):
        self.radius, self.low = radius, points.min(axis=0) - 2 * radius
        self.side = ((points.max(axis=0) - self.low) / radius).astype(np.int64) + 3
        key = self.key(self.cell(points))
        self.order = np.argsort(key, kind="stable")
        self.points, self.keys = points[self.order], key[self.order]

    def cell(self, x):
        return np.clip(((x - self.low) / self.radius).astype(np.int64), 1, self.side - 2)

    def key(self, cell):
        return (cell[..., 2] * self.side[1] + cell[..., 1]) * self.side[0] + cell[..., 0]

    def visit(self, query, visit):
        cell = self.cell(query)
        for offset in np.ndindex(3, 3, 3):
            key = self.key(cell + np.array(offset) - 1)
            begin, end = np.searchsorted(self.keys, key), np.searchsorted(self.keys, key, side="right")
            for k in range(int((end - begin).max(initial=0))):
                i = np.flatnonzero(begin + k < end)
                j = begin[i] + k
                d = query[i] - self.points[j]
                r = np.sqrt((d * d).sum(axis=1))
                near = r < self.radius
                visit(i[near], self.order[j[near]], d[near], r[near])


def quality(points, surface, volume, spacing):
    """Figures of the docstring."""
    count = len(points)
    nearest, density, moment = np.full(count, 2 * spacing), np.zeros(count), np.zeros((count, 3, 3))
    scale = 1 / (4 * np.pi)

    def add(i, j, d, r):
        q = r / spacing
        np.add.at(density, i, scale * ((2 - q) ** 3 - 4 * np.maximum(1 - q, 0) ** 3))
        other = i != j
        i, d, q, r = i[other], d[other], q[other], r[other]
        np.minimum.at(nearest, i, r)
        factor = 3 * scale * ((2 - q) ** 2 - 4 * np.maximum(1 - q, 0) ** 2) / np.maximum(q, 1e-9)
        np.add.at(moment, i, (factor / spacing**2)[:, None, None] * d[:, :, None] * d[:, None, :])

    Pairs(points, 2 * spacing).visit(points, add)
    gap = np.full(len(surface), 2 * spacing)
    Pairs(points, 2 * spacing).visit(surface, lambda i, j, d, r: np.minimum.at(gap, i, r))
    depth = np.full(count, 3 * spacing)
    Pairs(surface, 2.2 * spacing).visit(points, lambda i, j, d, r: np.minimum.at(depth, i, r))
    deep = density[depth > 2.2 * spacing]
    gap = gap / spacing - 0.5
    return {
        "particles": count,
        "volume": count * spacing**3 / volume,
        "nearest": nearest.mean() / spacing,
        "least": nearest.min() / spacing,
        "uneven": nearest.std() / nearest.mean(),
        "spread": deep.std() if len(deep) else np.nan,
        "out": np.sqrt((np.maximum(0.5 - depth[depth < spacing] / spacing, 0) ** 2).mean()),
        "gap": np.sqrt((gap**2).mean()),
        "widest": gap.max(),
        "degenerate": int((np.linalg.eigvalsh(moment)[:, 0] < 0.02).sum()),
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("mesh", metavar="MESH", help="a closed mesh, OBJ")
    parser.add_argument("--particles", type=float, required=True, metavar="N", help="how many the volume is to hold")
    parser.add_argument("--merganser", default="build/cpu/bin/merganser", metavar="PATH")
    parser.add_argument("--methods", default="lattice,relaxed,blueNoise")
    parser.add_argument("--keep", type=Path, metavar="DIR", help="where the particles stay as .csv")
    options = parser.parse_args()
    corners, faces = read_obj(options.mesh)
    volume = volume_of(corners, faces)
    spacing = float(volume / options.particles) ** (1 / 3)
    surface = surface_points(corners, faces, 0.5 * spacing)
    print("| mesh | method | particles | volume | s | processor s | nearest | least | spread | density spread | out | gap | widest | degenerate |")
    with tempfile.TemporaryDirectory() as scratch:
        for method in options.methods.split(","):
            file = (options.keep or Path(scratch)) / f"{Path(options.mesh).stem}_{method}.csv"
            began = time.monotonic(), processor_seconds()
            subprocess.run([options.merganser, "sample", options.mesh, "--spacing", repr(spacing), "--method", method,
                            "-o", str(file)], check=True, capture_output=True)
            seconds, of_processors = time.monotonic() - began[0], processor_seconds() - began[1]
            q = quality(np.loadtxt(file, delimiter=",", skiprows=1)[:, :3], surface, volume, spacing)
            print(f"| {Path(options.mesh).stem} | {method} | {q['particles']} | {q['volume']:.4f} | {seconds:.1f} | {of_processors:.1f} | "
                  f"{q['nearest']:.3f} | {q['least']:.3f} | {100 * q['uneven']:.1f} % | {100 * q['spread']:.2f} % | {q['out']:.3f} | {q['gap']:.3f} | {q['widest']:.2f} | "
                  f"{q['degenerate']} |", flush=True)


if __name__ == "__main__":
    main()
