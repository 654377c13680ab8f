"""Tests of the Python tools on a made-up run. Run by ctest with build/venv's Python."""
import csv
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "tests" / "support")]

try:
    import h5py
    import numpy as np
    import pyvista  # noqa: F401  (only whether it is there)
    from PIL import Image

    from run_files import RunError, read_statistics
    from run_folder import RunFolder
    from surface_folder import SurfaceFolder
    from synthetic_run import write_run
except ImportError as missing:
    print(f"SKIPPED: {missing}; tools/setup.sh makes the Python environment of the tools")
    sys.exit(77)


def run_tool(name, *arguments):
    return subprocess.run([sys.executable, str(ROOT / "tools" / name), *map(str, arguments)], capture_output=True, text=True)


def pixels(path):
    return np.asarray(Image.open(path).convert("RGB")).astype(int)


class Tools(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.run_folder = Path(cls.scratch.name) / "run"
        write_run(cls.run_folder, fluid=600, frames=3)

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def render(self, *arguments):
        done = run_tool("render.py", self.run_folder, "--size", "320x180", *arguments)
        self.assertEqual(done.returncode, 0, done.stderr)
        return [Path(line) for line in done.stdout.split()]

    def write_surfaces(self, name):
        """Two frames of a ball as `merganser surface` writes them: one PLY, one VTKHDF."""
        folder = Path(self.scratch.name) / name
        folder.mkdir()
        (folder / "surface.json").write_text(json.dumps({"method": "sum", "run": str(self.run_folder)}))
        ball = pyvista.Icosphere(radius=0.2, nsub=3)
        points, corners = ball.points.astype("<f4"), ball.regular_faces.astype("<i4")
        names = ["x", "y", "z", "nx", "ny", "nz", "vx", "vy", "vz"]
        vertices = np.zeros(len(points), [(n, "<f4") for n in names] + [("system", "<i4")])
        for k in range(3):
            vertices[names[k]], vertices[names[3 + k]] = points[:, k], points[:, k] / 0.2
        faces = np.zeros(len(corners), [("count", "u1"), ("corner", "<i4", 3)])
        faces["count"], faces["corner"] = 3, corners
        header = (f"ply\nformat binary_little_endian 1.0\ncomment time 0.5 s\nelement vertex {len(points)}\n"
                  + "".join(f"property float {n}\n" for n in names) + "property int system\n"
                  + f"element face {len(corners)}\nproperty list uchar int vertex_indices\nend_header\n")
        (folder / "surface_000000.ply").write_bytes(header.encode() + vertices.tobytes() + faces.tobytes())
        with h5py.File(folder / "surface_000001.vtkhdf", "w") as file:
            group = file.create_group("VTKHDF")
            group["Points"], group["Polygons/Connectivity"] = points, corners.ravel()
            group["PointData/Normals"], group["PointData/velocity"] = points / 0.2, np.zeros_like(points)
            group["FieldData/time"] = np.array([0.52])
        return folder

    def test_surfaces_are_drawn_alone_and_beside_particles(self):
        surfaces = self.write_surfaces("surfaces")
        for number in ("0", "1"):
            done = run_tool("render.py", surfaces, "--frame", number, "--size", "320x180", "--color", "body", "--camera", "iso")
            self.assertEqual(done.returncode, 0, done.stderr)
            image = pixels(done.stdout.strip())
            blue = (image[..., 2] > image[..., 0] + 40).mean()
            self.assertGreater(blue, 0.1)  # the ball
            self.assertLess(blue, 0.6)
        done = run_tool("render.py", surfaces, "--beside", self.run_folder, "--frame", "0", "--size", "320x180", "-o", surfaces / "pair")
        self.assertEqual(done.returncode, 0, done.stderr)
        pair = pixels(done.stdout.strip())
        self.assertEqual(pair.shape, (180, 640, 3))
        for half in (pair[:, :320], pair[:, 320:]):
            self.assertGreater((half.min(axis=2) < 200).mean(), 0.01)

    def test_picture_shows_blue_fluid_and_warm_cloth_on_white(self):
        picture, = self.render("--frame", "0", "--color", "body")
        image = pixels(picture)
        self.assertEqual(image.shape, (180, 320, 3))
        red, green, blue = image[..., 0], image[..., 1], image[..., 2]
        self.assertGreater((image.min(axis=2) > 250).mean(), 0.2, "the background is white")
        self.assertGreater((blue > red + 60).sum(), 200, "the fluid is blue")
        self.assertGreater((red > blue + 60).sum(), 1000, "the cloth is warm")

    def test_default_makes_last_picture_and_a_movie_that_plays(self):
        picture, movie = self.render()
        self.assertEqual(picture.name, "frame_000002.png")
        import imageio_ffmpeg
        frames = imageio_ffmpeg.read_frames(str(movie))
        self.assertEqual(next(frames)["size"], (320, 180))
        self.assertEqual(sum(1 for _ in frames), 3)
        frames.close()

    def test_section_cuts_the_near_half_away(self):
        whole, = self.render("--frame", "0", "--camera", "top", "--section", "none", "-o", self.run_folder / "whole")
        cut, = self.render("--frame", "0", "--camera", "0,-3,1,0,0,0.2", "--section", "y=0", "-o", self.run_folder / "cut")
        uncut, = self.render("--frame", "0", "--camera", "0,-3,1,0,0,0.2", "-o", self.run_folder / "uncut")
        covered = lambda path: (pixels(path).min(axis=2) < 245).sum()
        self.assertGreater(covered(whole), 1000)
        # From the front the near half of the sheet covers more of the picture than the far half.
        self.assertLess(covered(cut), 0.65 * covered(uncut))

    def test_montage_puts_frames_side_by_side_and_colours_groups(self):
        sheet, = self.render("--montage", "0,2", "--color", "group")
        image = pixels(sheet)
        self.assertEqual(image.shape, (180, 640, 3))
        spread = lambda half: (half.max(axis=2) - half.min(axis=2) > 120).sum()
        self.assertGreater(spread(image[:, 320:]), spread(image[:, :320]) + 50, "merged particles have strong colours")

    def test_scene_gives_defaults_and_the_command_line_wins(self):
        scene = self.run_folder / "scene.json"
        kept = scene.read_text()
        try:
            content = json.loads(kept)
            content["render"] = {"camera": {"position": [0, 0, 500], "focus": [0, 0, 0], "up": [0, 1, 0]}, "color": "body"}
            scene.write_text(json.dumps(content))
            far, = self.render("--frame", "0", "-o", self.run_folder / "far")
            near, = self.render("--frame", "0", "--camera", "iso", "-o", self.run_folder / "near")
        finally:
            scene.write_text(kept)
        self.assertGreater((pixels(near).min(axis=2) < 245).sum(), 5 * (pixels(far).min(axis=2) < 245).sum())

    def test_radius_is_the_scenes_at_its_resolution(self):
        run = RunFolder(self.run_folder)
        frame = run.read(0)
        radius = run.scene["simulation"]["particleRadius"]
        self.assertAlmostEqual(run.particle_radius(frame), radius)
        run.scene = {"simulation": {"particleRadius": radius, "resolution": 0.5}}
        self.assertAlmostEqual(run.particle_radius(frame), 2 * radius)
        run.scene = {}  # half the spacing; the fluid's positions were disturbed by 8 %
        self.assertAlmostEqual(run.particle_radius(frame), radius, delta=0.2 * radius)

    def test_frames_without_a_series_file_are_found(self):
        run = RunFolder(self.run_folder)
        series = self.run_folder / "frames" / "frames.vtkhdf.series"
        kept = series.read_text()
        series.unlink()
        try:
            self.assertEqual(RunFolder(self.run_folder).numbers, run.numbers)
        finally:
            series.write_text(kept)

    def test_vtk_opens_what_the_synthetic_run_wrote(self):
        from vtkmodules.vtkIOHDF import vtkHDFReader
        reader = vtkHDFReader()
        reader.SetFileName(str(self.run_folder / "frames" / "frame_000000.vtkhdf"))
        reader.Update()
        with h5py.File(self.run_folder / "frames" / "frame_000000.vtkhdf") as file:
            self.assertEqual(reader.GetOutput().GetNumberOfPoints(), len(file["VTKHDF/Points"]))

    def test_plots(self):
        done = run_tool("plot.py", self.run_folder, "-o", self.run_folder / "plots")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {Path(line).name for line in done.stdout.split()}
        self.assertLessEqual({"plot_energy.png", "plot_energy_ledger.png", "plot_momentum.png", "plot_momentum_ledger.png",
                              "plot_contacts.png", "plot_step_size.png",
                              "plot_stages.png"}, names)
        for name in names:
            self.assertGreater(pixels(self.run_folder / "plots" / name).std(), 5, f"{name} is not blank")

    def fake_merganser(self, folder):
        """An executable that writes a made-up run; it diverges with a stiffness above 1 MPa and is stopped with seed 7."""
        path = folder / "merganser"
        path.write_text(f"#!{sys.executable}\nimport sys\nsys.path.insert(0, {str(ROOT / 'tests' / 'support')!r})\n" + """
import json
from pathlib import Path
from synthetic_run import write_run
arguments = sys.argv[1:]
assert arguments[0] == "run", arguments
folder = Path(arguments[arguments.index("-o") + 1])
with open(Path(__file__).with_name("calls"), "a") as calls:
    calls.write(folder.name + "\\n")
changes = dict(a.split("=", 1) for option, a in zip(arguments, arguments[1:]) if option == "--set")
coupling = {"method": changes["coupling.method"], "stiffness": float(changes.get("coupling.stiffness", 2e5))}
write_run(folder, fluid=60, frames=5)
scene = json.loads((folder / "scene.json").read_text()) | {"coupling": coupling, "checks": [{"type": "noCrossing", "sheet": "s"}]}
(folder / "scene.json").write_text(json.dumps(scene))
diverged = coupling["method"] == "penalty" and coupling["stiffness"] > 1e6
(folder / "summary.json").write_text(json.dumps({"exit_reason": "diverged" if diverged else "finished"}))
if diverged:  # broken bonds and crossings that grow, in what is there of the run
    rows = (folder / "statistics.csv").read_text().splitlines()
    names = rows[0].split(",")
    for k in range(1, len(rows)):
        values = rows[k].split(",")
        values[names.index("broken_bonds")] = values[names.index("crossings")] = str(10 * k)
        rows[k] = ",".join(values)
    (folder / "statistics.csv").write_text("\\n".join(rows[:5]) + "\\n")
failed = coupling["method"] == "none"  # everything crosses: the check of the scene fails
sys.exit(75 if changes.get("simulation.seed") == "7" else 4 if diverged else 6 if failed else 0)
""")
        path.chmod(0o755)
        return path

    def test_contact_methods_are_compared(self):
        scratch = Path(self.scratch.name) / "contacts"
        scratch.mkdir()
        merganser, out = self.fake_merganser(scratch), scratch / "out"
        scene = scratch / "scene.json"
        scene.write_text("{}")
        done = run_tool("compare_contacts.py", scene, "-o", out, "--merganser", merganser)
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(out / "comparison.csv", newline="") as file:
            rows = {row["method"]: row for row in csv.DictReader(file)}
        self.assertEqual(list(rows), ["mergingAndSplitting", "penalty_weak", "penalty_medium", "penalty_strong", "sphForce_weak",
                                      "sphForce_medium", "sphForce_strong", "impulses", "none"])
        self.assertEqual([float(rows[f"penalty_{k}"]["stiffness_Pa"]) for k in ("weak", "medium", "strong")], [2e4, 2e5, 2e6])
        self.assertEqual(rows["none"]["stiffness_Pa"], "")
        strong, none = rows["penalty_strong"], rows["none"]
        self.assertEqual((strong["exit_reason"], none["exit_reason"]), ("diverged", "finished"))
        self.assertEqual((strong["crossings"], none["crossings"]), ("40", "0"))
        # The overlap is 0, 0.1, 0.2, 0.3, 0.4 in the five rows: the fourth is deeper than half a radius.
        self.assertEqual((float(strong["deepest_overlap"]), float(none["deepest_overlap"])), (0.30000000000000004, 0.4))
        self.assertEqual(strong["bonds_broken_before_half_radius"], "40")
        self.assertEqual(float(none["ms_per_step"]), 10)  # 1 + 5 + the median of 2 to 6
        self.assertGreater(float(none["largest_energy_rise"]), 0)
        self.assertIn("| penalty_strong | 2e+06 | 40 |", (out / "comparison.md").read_text())
        self.assertGreater(pixels(out / "comparison.png").std(), 5)

        # A second time: refused, and with --reuse nothing runs again but what is missing.
        calls = scratch / "calls"
        self.assertEqual(len(calls.read_text().split()), 9)
        again = run_tool("compare_contacts.py", scene, "-o", out, "--merganser", merganser)
        self.assertEqual(again.returncode, 1)
        self.assertIn("--reuse", again.stderr)
        note = out / "impulses.json"
        note.write_text(note.read_text().replace("true", "false"))
        again = run_tool("compare_contacts.py", scene, "-o", out, "--merganser", merganser, "--reuse")
        self.assertEqual(again.returncode, 0, again.stderr)
        self.assertEqual(calls.read_text().split()[9:], ["impulses"])
        other = run_tool("compare_contacts.py", scene, "-o", out, "--merganser", merganser, "--reuse", "--resolution", "0.5")
        self.assertEqual(other.returncode, 1)
        self.assertIn("another command", other.stderr)
        foreign = scratch / "foreign" / "mergingAndSplitting"
        foreign.mkdir(parents=True)
        refused = run_tool("compare_contacts.py", scene, "-o", foreign.parent, "--merganser", merganser, "--reuse")
        self.assertEqual(refused.returncode, 1)
        self.assertTrue(foreign.exists(), "a folder of somebody else is not removed")

    def test_a_stopped_run_stops_the_comparison(self):
        scratch = Path(self.scratch.name) / "stopped"
        scratch.mkdir()
        merganser = self.fake_merganser(scratch)
        done = run_tool("compare_contacts.py", scratch / "scene.json", "-o", scratch / "out", "--merganser", merganser, "--set",
                        "simulation.seed=7")
        self.assertEqual(done.returncode, 1)
        self.assertIn("was stopped", done.stderr)
        self.assertEqual((scratch / "calls").read_text().split(), ["mergingAndSplitting"])
        done = run_tool("compare_contacts.py", scratch / "scene.json", "-o", scratch / "none", "--merganser", merganser,
                        "--stiffness", "1,hard")
        self.assertIn("'hard' is not allowed", done.stderr)

    def test_errors_name_the_remedy(self):
        for arguments, words in ((["/nowhere"], "merganser run -o DIR"), ([self.run_folder, "--frame", "9"], "0 to 2"),
                                 ([self.run_folder, "--section", "q"], "x, y or z"),
                                 ([self.run_folder, "--camera", "1,2"], "6 or 9 numbers")):
            done = run_tool("render.py", *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(words, done.stderr)
        done = run_tool("plot.py", "/nowhere")
        self.assertEqual(done.returncode, 2)
        self.assertIn("merganser run -o DIR", done.stderr)

    def copy_of_the_run(self, name):
        folder = Path(self.scratch.name) / name
        shutil.copytree(self.run_folder, folder, ignore=shutil.ignore_patterns("pictures", "plots"))
        return folder

    def refused(self, tool, *arguments):
        """The one line that a tool ends with."""
        done = run_tool(tool, *arguments)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertNotIn("Traceback", done.stderr)
        self.assertEqual(done.stderr.count("\n"), 1, done.stderr)
        return done.stderr

    def test_text_that_is_not_utf8_or_is_cut_is_named(self):
        run = self.copy_of_the_run("texts")
        readers = {"statistics.csv": lambda: read_statistics(run / "statistics.csv"), "scene.json": lambda: RunFolder(run)}
        for name, tool in (("statistics.csv", "plot.py"), ("statistics.csv", "compare_runs.py"), ("scene.json", "render.py")):
            good = (run / name).read_bytes()
            (run / name).write_bytes(good[:40] + b"\xff" + good[40:])
            self.assertIn(name, self.refused(tool, run))
            header_cut = good[:40]
            for bad in (good.replace(b"0", b"\0"), header_cut, b"[" * 100000, b""):
                (run / name).write_bytes(bad)
                with self.assertRaisesRegex(RunError, name):
                    readers[name]()
            (run / name).unlink()
            os.mkfifo(run / name)
            with self.assertRaisesRegex(RunError, f"{name} is not a regular file"):
                readers[name]()
            (run / name).unlink()
            (run / name).write_bytes(good)

    def test_a_scene_of_other_types_is_named(self):
        run = self.copy_of_the_run("types")
        for scene in ([], {"simulation": []}, {"simulation": {"particleRadius": "a"}}, {"simulation": {"particleRadius": 0}},
                      {"systems": {}}, {"systems": [1]}, {"render": []}, {"render": {"title": 3}}):
            (run / "scene.json").write_text(json.dumps(scene))
            with self.assertRaisesRegex(RunError, "scene.json"):
                RunFolder(run)
        (run / "scene.json").write_text(json.dumps({"render": {"camera": {"position": "far", "focus": [0, 0, 0]}}}))
        self.assertIn("render.camera", self.refused("render.py", run, "--frame", "0", "--size", "64x36"))

    def test_the_half_row_of_a_run_that_goes_on_is_left_out(self):
        run = self.copy_of_the_run("half")
        good = (run / "statistics.csv").read_bytes()
        (run / "statistics.csv").write_bytes(good[:-5])  # the last number would be another one
        done = run_tool("plot.py", run)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("last row is cut off", done.stderr)
        rows = good.splitlines(keepends=True)
        (run / "statistics.csv").write_bytes(rows[0] + rows[1][:20] + b"\n" + b"".join(rows[2:]))
        self.assertIn("line 2", self.refused("plot.py", run))

    def test_frames_are_found_without_a_whole_series(self):
        run = self.copy_of_the_run("series")
        series = run / "frames" / "frames.vtkhdf.series"
        good = series.read_bytes()
        for bad in (b"\xff\xfe", b"{}", b'{"files": [3]}', b'{"files": [{"name": 3, "time": 0}]}'):
            series.write_bytes(bad)
            self.assertEqual(RunFolder(run).numbers, [0, 1, 2])
        series.write_bytes(good[: len(good) // 2])
        done = run_tool("render.py", run, "--frame", "last", "--size", "64x36")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("frames.vtkhdf.series is damaged", done.stderr)
        self.assertTrue(done.stdout.strip().endswith("frame_000002.png"), done.stdout)

    def test_damaged_frames_are_named(self):
        run = self.copy_of_the_run("frames")
        frame = run / "frames" / "frame_000001.vtkhdf"
        image = frame.read_bytes()
        front = f"merganser frame 1\nlength {len(image)}\ncrc32 {zlib.crc32(image):08x}\n".encode().ljust(512, b"\n")
        frame.write_bytes(front + image)
        read = RunFolder(run).read(1)
        self.assertGreater(len(read.points), 100)
        draw = random.Random(5)
        for k in range(60):
            bad = bytearray(front + image)
            place = draw.randrange(len(bad))
            if k % 3 == 0:
                del bad[place:]
            else:
                bad[place] ^= 1 << draw.randrange(8)
            frame.write_bytes(bad)
            with self.assertRaisesRegex(RunError, "frame_000001.vtkhdf"):
                RunFolder(run).read(1)
        self.assertIn("checksum", self.refused("render.py", run, "--frame", "1", "--size", "64x36"))
        frame.unlink()
        frame.mkdir()
        with self.assertRaisesRegex(RunError, "frame_000001.vtkhdf is not a regular file"):
            RunFolder(run).read(1)

    def test_frames_of_other_shapes_are_named(self):
        run = self.copy_of_the_run("shapes")
        frame = run / "frames" / "frame_000001.vtkhdf"
        good = frame.read_bytes()

        def change(damage):
            frame.write_bytes(good)
            with h5py.File(frame, "r+") as file:
                damage(file["VTKHDF"])
            with self.assertRaisesRegex(RunError, "frame_000001.vtkhdf"):
                RunFolder(run).read(1)

        def replace(name, **values):
            def damage(group):
                del group[name]
                if values:
                    group.create_dataset(name, **values)
            return damage

        def link(name, target):
            def damage(group):
                del group[name]
                group[name] = target
            return damage

        change(replace("Points"))
        change(replace("Points", data=[1.0, 2.0]))
        change(replace("Points", data=["a", "b"]))
        change(replace("Points", shape=(10**12, 3), dtype="f4", chunks=(1000, 3)))
        change(replace("Points", shape=(10, 3), dtype="f4", external=[("/dev/zero", 0, 120)]))
        change(link("Points", h5py.ExternalLink("frame_000000.vtkhdf", "VTKHDF/Points")))
        change(link("Points", h5py.SoftLink("/VTKHDF/Points")))
        change(replace("PointData/velocity", data=[1.0]))
        change(replace("PointData", data=[1.0]))

    def test_damaged_surfaces_are_named(self):
        folder = self.write_surfaces("damaged_surfaces")
        for name, number in (("surface_000000.ply", 0), ("surface_000001.vtkhdf", 1)):
            file = folder / name
            good = file.read_bytes()
            for bad in (good[:100], good[:-1], b"", b"\xff" * 50, good.replace(b"element vertex ", b"element vertex 9"),
                        good[:-4] + b"\xff\xff\xff\x7f"):
                if bad == good or (name.endswith("vtkhdf") and bad[:-4] == good[:-4]):
                    continue
                file.write_bytes(bad)
                with self.assertRaisesRegex(RunError, name):
                    SurfaceFolder(folder).read(number)
            file.write_bytes(good)
        (folder / "surface.json").write_bytes(b'{"method"')
        self.assertIn("surface.json", self.refused("render.py", folder))


class Arrows(unittest.TestCase):
    """tools/check_arrows.py on made-up trees."""
    def faults(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = run_tool("check_arrows.py", root)
        *faults, summary = done.stdout.splitlines()
        self.assertEqual(done.returncode, 1 if faults else 0, done.stdout)
        self.assertIn(f"{len(faults)} faults", summary)
        return faults

    def test_folders_include_from_their_own_and_lower_floors(self):
        lower = {"solvers/core/system.h": "", "solvers/methods/sph/sph.h": "", "solvers/methods/flip/flip.h": "",
                 "host/services.h": "", "host/version.h": ""}
        def includes(path, header):
            return self.faults({**lower, path: f'#include "{header}"\n'})
        self.assertEqual(includes("solvers/methods/sph/density.h", "solvers/core/system.h"), [])
        self.assertEqual(includes("solvers/methods/sph/density.h", "solvers/methods/sph/sph.h"), [])
        self.assertEqual(includes("host/run/run.h", "host/services.h"), [])
        self.assertEqual(includes("host/scene/scene.h", "host/version.h"), [])
        for path, header in [("solvers/core/emitter.h", "solvers/methods/sph/sph.h"),
                             ("solvers/methods/sph/density.h", "solvers/methods/flip/flip.h"),
                             ("host/scene/scene.h", "host/services.h"),
                             ("device/array.h", "solvers/core/system.h")]:
            found = includes(path, header)
            self.assertEqual(len(found), 1, found)
            self.assertIn(f"{path}:1: ", found[0])
            self.assertIn(header, found[0])

    def test_a_new_folder_needs_a_floor(self):
        found = self.faults({"solvers/core/system.h": "",
                             "solvers/magic/wand.h": '#include "solvers/core/system.h"\n'})
        self.assertEqual(len(found), 1, found)
        self.assertIn("has no floor", found[0])


if __name__ == "__main__":
    unittest.main()
