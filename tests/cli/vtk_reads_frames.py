#!/usr/bin/env python3
"""Frames open in VTK, PyVista and h5py with the points, vertices, fields and time that were written.

    vtk_reads_frames.py MERGANSER      (the command line; with its fake scenes: 5 particles, 2 frames)
"""
import json
import subprocess
import sys
import tempfile
import zlib
from pathlib import Path

try:
    import h5py
    import numpy as np
    import pyvista
    from vtkmodules.vtkIOHDF import vtkHDFReader
except ImportError as missing:
    print(f"skipped: {missing}; tools/setup.sh installs it")
    sys.exit(77)

with tempfile.TemporaryDirectory() as folder:
    scene = Path(folder) / "scene.json"
    scene.write_text(json.dumps({"particles": 5, "endTime": 0.02}))
    subprocess.run([sys.argv[1], "run", scene, "-o", f"{folder}/run", "--quiet", "--device", "cpu"], check=True)
    series = json.loads(Path(folder, "run/frames/frames.vtkhdf.series").read_text())["files"]
    assert [entry["time"] for entry in series] == [0, 0.02], series
    for entry in series:
        path = f"{folder}/run/frames/{entry['name']}"
        content = Path(path).read_bytes()
        front = f"merganser frame 1\nlength {len(content) - 512}\ncrc32 {zlib.crc32(content[512:]):08x}\n"
        assert content[:512] == front.encode().ljust(512, b"\n"), content[:80]
        reader = vtkHDFReader()
        reader.SetFileName(path)
        assert reader.CanReadFile(path), "VTK does not take the file for its own"
        mesh = pyvista.read(path)
        assert isinstance(mesh, pyvista.PolyData), type(mesh)
        assert mesh.n_points == 5 and mesh.n_verts == 5 and mesh.n_cells == 5, mesh
        assert mesh.verts.tolist() == [1, 0, 1, 1, 1, 2, 1, 3, 1, 4], mesh.verts
        assert set(mesh.point_data.keys()) == {"velocity", "id", "body", "system", "density", "group"}, mesh.point_data
        assert mesh.point_data["velocity"].shape == (5, 3) and (mesh.point_data["density"] == 1000).all()
        assert mesh.field_data["time"][0] == entry["time"], mesh.field_data
        with h5py.File(path) as file:
            assert (file["VTKHDF/Points"][:] == np.asarray(mesh.points)).all()
            assert (file["VTKHDF/PointData/velocity"][:] == np.asarray(mesh.point_data["velocity"])).all()
    scene.write_text(json.dumps({"simulation": {"particleRadius": 0.05, "resolution": 1}, "systems": [
        {"name": "a", "type": "flip", "density0": 1000, "bodies": []}]}))
    (Path(folder) / "run/scene.json").write_text(scene.read_text())
    subprocess.run([sys.argv[1], "surface", f"{folder}/run", "--format", "vtkhdf", "--method", "sum", "-q"], check=True)
    surface = f"{folder}/run/surface/surface_000001.vtkhdf"
    assert Path(surface).read_bytes().startswith(b"merganser surface 1\n")
    mesh = pyvista.read(surface)
    assert isinstance(mesh, pyvista.PolyData) and mesh.n_points > 0 and mesh.n_cells == mesh.n_points, mesh
    with h5py.File(next(Path(folder, "run/checkpoint").glob("*.h5"))) as file:
        assert file.attrs["step"] > 0 and "simulation/particles/position" in file, list(file)
print("passed")
