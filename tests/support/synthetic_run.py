#!/usr/bin/env python3
"""Writes a made-up run folder for the tests of the Python tools: a ball of fluid falls onto a sheet and spreads.

    synthetic_run.py DIR [--fluid N] [--frames N]

The motion is a sketch, not physics; the files are laid out as `merganser run` lays them out.
"""
import argparse
import csv
import json
from pathlib import Path

import h5py
import numpy as np


def write_frame(path, points, data):
    """VTKHDF 2.0 PolyData whose vertices are the points, in one piece."""
    count = len(points)
    with h5py.File(path, "w") as file:
        group = file.create_group("VTKHDF")
        group.attrs["Version"] = np.array([2, 0])
        group.attrs.create("Type", b"PolyData", dtype=h5py.string_dtype("ascii", 8))
        group["NumberOfPoints"] = np.array([count])
        group["Points"] = points.astype(np.float32)
        for kind in ("Vertices", "Lines", "Polygons", "Strips"):
            used = count if kind == "Vertices" else 0
            cells = group.create_group(kind)
            cells["NumberOfCells"] = np.array([used])
            cells["NumberOfConnectivityIds"] = np.array([used])
            cells["Connectivity"] = np.arange(used)
            cells["Offsets"] = np.arange(used + 1)
        for name, values in data.items():
            group.create_group("PointData") if "PointData" not in group else None
            group["PointData"][name] = values


def ball_on_sheet(fluid, frames, duration=0.8):
    """Yields (time, points, data), and the particle radius in data['radius_of_all']."""
    radius_of_ball, start_height, gravitation = 0.16, 0.3, 9.81
    spacing = (4 / 3 * np.pi * radius_of_ball**3 / fluid) ** (1 / 3)
    axis = np.arange(-radius_of_ball, radius_of_ball + spacing, spacing)
    ball = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1).reshape(-1, 3)
    ball = ball[np.linalg.norm(ball, axis=1) <= radius_of_ball]
    ball += np.random.default_rng(7).normal(0, 0.08 * spacing, ball.shape)
    side = np.arange(-0.5, 0.5 + spacing / 2, spacing)
    sheet = np.stack(np.meshgrid(side, side, indexing="ij"), -1).reshape(-1, 2)
    lowest = -radius_of_ball

    def positions(time):
        depth = 0.22 * np.clip((time - 0.2) / 0.35, 0, 1) ** 1.3
        sag = lambda xy: -depth * np.prod(np.cos(np.pi * np.clip(xy, -0.5, 0.5)), axis=-1)
        front = start_height - gravitation * time**2 / 2
        arrived = np.clip((front * -1 + 0.02) / 0.35, 0, 1)
        spread = 1 + 1.1 * arrived
        xy = ball[:, :2] * spread
        above = np.maximum(ball[:, 2] - lowest, 0) / spread**2 + spacing
        falling = front + ball[:, 2] - lowest
        z = np.maximum(falling if arrived == 0 else -1e9 + 0 * falling, sag(xy) + above)
        return np.concatenate([np.c_[xy, z], np.c_[sheet, sag(sheet)]])

    fluid_count, count = len(ball), len(ball) + len(sheet)
    kind = np.r_[np.zeros(fluid_count, np.int32), np.ones(len(sheet), np.int32)]
    for k in range(frames):
        time = duration * k / max(frames - 1, 1)
        points = positions(time)
        velocity = (positions(time + 1e-3) - points) / 1e-3
        group = np.full(count, -1, np.int32)
        touching = np.flatnonzero(points[:fluid_count, 2] < 0.0)
        group[touching] = touching // 6
        yield time, points, {
            "velocity": velocity.astype(np.float32), "id": np.arange(count, dtype=np.int32), "body": kind, "system": kind,
            "density": np.where(kind == 0, 1000 + 5 * velocity[:, 2], 0).astype(np.float32), "group": group}, spacing / 2


def write_run(folder, fluid=2000, frames=5):
    folder = Path(folder)
    (folder / "frames").mkdir(parents=True, exist_ok=True)
    series, rows = [], []
    for number, (time, points, data, radius) in enumerate(ball_on_sheet(fluid, frames)):
        name = f"frame_{number:06d}.vtkhdf"
        write_frame(folder / "frames" / name, points, data)
        series.append({"name": name, "time": time})
        kinetic = 0.5 * float(np.square(data["velocity"]).sum()) * 1e-3
        rows.append({
            "step": number, "time": time, "dt": 1e-3, "contacts": 10 * number, "groups": 3 * number, "largest_group": 8,
            "ignored_contacts": number // 2, "second_stage": number % 2, "momentum_x": 0, "momentum_y": 0,
            "momentum_z": float(data["velocity"][:, 2].sum()) * 1e-3, "angular_momentum_x": 0, "angular_momentum_y": 0,
            "angular_momentum_z": 0, "kinetic_energy": kinetic, "potential_energy": 9.81e-3 * float(points[:, 2].sum()),
            "elastic_energy": 0.1 * number, "dissipated_energy": 0.2 * number,
            "max_speed": float(np.linalg.norm(data["velocity"], axis=1).max()), "broken_bonds": 0, "density_error": 0.01,
            "crossings": 0, "iterations_1": 20, "iterations_2": 10, "deepest_overlap": 0.1 * number,
            "virtual_bond_energy": 0.3 * number, "dissipated_merging": 0.15 * number, "dissipated_synchronization": 0.05 * number,
            "dissipated_damping": 0.1 * number, "dissipated_integration": 0.3 * number, "dissipated_fracture": 0, "dissipated_walls": 0.02 * number,
            "external_work": 0.01 * number, "energy_residual": 0.001 * number,
            **{f"{kind}_{axis}": 0.1 * number for kind in ("wall_impulse", "external_impulse", "momentum_residual") for axis in "xyz"},
            "ms_grid": 1.0, "ms_contacts": 2.0 + number,
            "ms_integrate": 5.0})
    (folder / "frames" / "frames.vtkhdf.series").write_text(json.dumps({"file-series-version": "1.0", "files": series}))
    (folder / "scene.json").write_text(json.dumps({
        "title": "ball on sheet", "simulation": {"particleRadius": radius},
        "systems": [{"name": "fluid", "type": "sph"}, {"name": "cloth", "type": "massSpring"}]}))
    with open(folder / "statistics.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys())
        writer.writeheader()
        writer.writerows(rows)
    (folder / "probes.csv").write_text("step,time,P1_pressure,tip_position_x,tip_position_z\n" + "".join(
        f"{k},{0.01 * k},{'nan' if k < 3 else 100 + k},{'' if k % 2 else 0.1 * k},{'' if k % 2 else -0.1 * k}\n" for k in range(1, 21)))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--fluid", type=int, default=2000)
    parser.add_argument("--frames", type=int, default=5)
    arguments = parser.parse_args()
    write_run(arguments.folder, arguments.fluid, arguments.frames)
