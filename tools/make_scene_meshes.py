#!/usr/bin/env python3
"""Writes the meshes that scenes use beside closed forms.

    build/venv/bin/python tools/make_scene_meshes.py [NAME ...] [--folder DIR]

NAME: one or more of the names below; default: all. The files go to the folders of their scenes, or to DIR.

    demos/funnel                cone and pipe, an open surface of revolution; the scene gives it a thickness
    elastic_sph/walrus_funnel   the same, larger, below a cylinder
    elastic_sph/walrus_piston   a closed body that fits into it
    elastic_sph/bunny           a closed surface with a head, ears, feet and a tail, of the volume of a ball of 1 m, up is z
    elastic_sph/walrus          a closed surface with a head, tusks and flippers, 3.6 m long
    elastic_sph/park_slide      half a pipe that ends level, an open surface
    elastic_sph/park_bowl       a bowl with a flat floor, an open surface of revolution
"""
import argparse
import math
from pathlib import Path

import numpy as np

SCENES = Path(__file__).resolve().parent.parent / "scenes"


def strip(rows, columns, closed):
    """Triangles between neighboring rows of vertices, counter-clockwise seen from the left of the first column."""
    made = []
    for row in range(rows - 1):
        for k in range(columns if closed else columns - 1):
            a, b = row * columns + k, row * columns + (k + 1) % columns
            made += [(a, b, b + columns), (a, b + columns, a + columns)]
    return made


def revolution(profile, segments=48):
    """About z; `profile`: radius and height [m] of its rings. A first or last ring of radius 0 is one vertex."""
    tips = [profile[end][1] for end in (0, -1) if profile[end][0] == 0]
    rings = [ring for ring in profile if ring[0] > 0]
    points = [(radius * math.cos(a), radius * math.sin(a), height)
              for radius, height in rings for a in (2 * math.pi * k / segments for k in range(segments))]
    triangles = strip(len(rings), segments, True)
    last = len(points) - segments
    if profile[0][0] == 0:
        triangles += [(len(points), (k + 1) % segments, k) for k in range(segments)]
    if profile[-1][0] == 0:
        tip = len(points) + len(tips) - 1
        triangles += [(last + k, last + (k + 1) % segments, tip) for k in range(segments)]
    return points + [(0, 0, height) for height in tips], triangles


def half_pipe(path, radius, segments=16):
    """A channel along `path` in the plane of x and z [m], open above, its lowest line on the path."""
    points = []
    for x, z in path:
        for k in range(segments + 1):
            a = math.pi * k / segments
            points.append((x, -radius * math.cos(a), z + radius * (1 - math.sin(a))))
    return points, strip(len(path), segments + 1, False)


def slide():
    """Falls by 12 degrees, then bends to the level within 3 m."""
    slope, bend = math.radians(12), 3.0
    turn = bend / math.sin(slope)  # radius of the bend
    path = [(-22, turn * (1 - math.cos(slope)) + math.tan(slope) * (22 - bend))]
    path += [(-turn * math.sin(a), turn * (1 - math.cos(a))) for a in np.linspace(slope, 0, 9)]
    return half_pipe(path + [(0.6, 0)], 1.6)


def bowl():
    """A floor of radius 3.2 m, a quarter of a circle of 1.3 m, then straight up to 4.5 m."""
    arc = [(3.2 + 1.3 * math.cos(a), 1.3 - 1.3 * math.sin(a)) for a in np.linspace(0, math.pi / 2, 9)]
    return revolution([(4.5, 3.4), *arc, (0, 0)], 64)


def capsule(p, a, b, start, end):
    """Distance of points from a segment less a radius that goes from `start` at a to `end` at b."""
    a, b = np.array(a), np.array(b)
    t = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return np.linalg.norm(p - a - t[..., None] * (b - a), axis=-1) - (start + t * (end - start))


def blend(parts, low, high, cell, sharpness=14.0):
    """Zero of smoothly joined parts, which `parts` gives as distances of points mirrored to y >= 0; `sharpness` [1/m]."""
    def distance(p):
        p = np.stack([p[..., 0], np.abs(p[..., 1]), p[..., 2]], axis=-1)
        return -np.log(sum(np.exp(-sharpness * np.clip(d, -2, 6)) for d in parts(p))) / sharpness

    import pyvista
    low, high = np.array(low), np.array(high)
    cells = np.ceil((high - low) / cell).astype(int)
    grid = pyvista.ImageData(dimensions=cells + 1, spacing=(cell,) * 3, origin=low)
    surface = grid.contour([0.0], distance(np.asarray(grid.points)), method="marching_cubes").clean()
    return surface.compute_normals(auto_orient_normals=True, consistent_normals=True)


def walrus(cell=0.075):
    """Length along x, up is z."""
    surface = blend(lambda p: [capsule(p, (-1.15, 0, 0), (-0.2, 0, 0.08), 0.30, 0.66),  # tail, belly
                               capsule(p, (-0.2, 0, 0.08), (0.75, 0, 0.22), 0.66, 0.47),  # chest
                               capsule(p, (0.75, 0, 0.3), (1.05, 0, 0.48), 0.42, 0.36),  # neck, head
                               capsule(p, (1.3, 0.12, 0.36), (1.34, 0.14, 0.34), 0.2, 0.2),  # snout
                               capsule(p, (1.4, 0.17, 0.3), (1.46, 0.21, -0.22), 0.09, 0.07),  # tusk
                               capsule(p, (0.5, 0.45, -0.15), (0.2, 0.95, -0.45), 0.2, 0.13),  # flipper
                               capsule(p, (-1.2, 0.1, -0.02), (-1.55, 0.42, -0.05), 0.2, 0.14)],  # tail flipper
                    (-1.9, -1.35, -0.9), (1.8, 1.35, 1.1), cell)
    return 1.117 * surface.points, surface.regular_faces  # 30,000 particles 0.05 m apart


def bunny(cell=0.035):
    """Sits on z = 0 and looks along x."""
    surface = blend(lambda p: [capsule(p, (-0.22, 0, 0.36), (0.02, 0, 0.42), 0.36, 0.30),  # back, belly
                               capsule(p, (0.05, 0, 0.40), (0.20, 0, 0.60), 0.27, 0.18),  # chest, neck
                               capsule(p, (0.26, 0, 0.76), (0.44, 0, 0.71), 0.19, 0.13),  # head, muzzle
                               capsule(p, (0.22, 0.08, 0.90), (0.02, 0.17, 1.28), 0.065, 0.085),  # ear
                               capsule(p, (-0.28, 0.22, 0.25), (-0.06, 0.30, 0.13), 0.22, 0.12),  # thigh
                               capsule(p, (-0.16, 0.28, 0.08), (0.14, 0.28, 0.08), 0.085, 0.08),  # hind foot
                               capsule(p, (0.18, 0.13, 0.36), (0.30, 0.13, 0.08), 0.10, 0.08),  # foreleg
                               capsule(p, (0.30, 0.13, 0.08), (0.38, 0.13, 0.08), 0.08, 0.075),  # forefoot
                               capsule(p, (-0.60, 0, 0.30), (-0.63, 0, 0.32), 0.11, 0.11)],  # tail
                    (-1.0, -0.6, -0.2), (0.8, 0.6, 1.6), cell, sharpness=24.0)
    scale = (math.pi / 6 / surface.volume) ** (1 / 3)  # that of a ball of 1 m: 32,000 particles 0.0254 m apart
    points = scale * (surface.points - [0, 0, surface.points[:, 2].min()])
    return points, surface.regular_faces


MESHES = {
    "demos/funnel": lambda: revolution([(0.260, 0.46), (0.050, 0.18), (0.050, 0.08)]),
    "elastic_sph/walrus_funnel": lambda: revolution([(2.1, 20.5), (2.1, 7), (0.95, 4.6), (0.95, 3.7)]),
    "elastic_sph/walrus_piston": lambda: revolution(
        [(0, 0.9), (1.8, 0.9), (1.8, 0), (0.45, -2.7), (0, -2.9)]),
    "elastic_sph/bunny": bunny,
    "elastic_sph/walrus": walrus,
    "elastic_sph/park_slide": slide,
    "elastic_sph/park_bowl": bowl,
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="default: all")
    parser.add_argument("--folder", type=Path)
    options = parser.parse_args()
    for name in options.names:
        if name not in MESHES:
            parser.error(f"{name}: there are {', '.join(MESHES)}")
    for name in options.names or MESHES:
        points, triangles = MESHES[name]()
        lines = ["# made by tools/make_scene_meshes.py"]
        lines += [f"v {x:.6f} {y:.6f} {z:.6f}" for x, y, z in points]
        lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in triangles]
        file = (options.folder / Path(name).name if options.folder else SCENES / name).with_suffix(".obj")
        file.write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
