"""Wrong arguments and damaged files are named, in one line."""
import contextlib
import io
import json
import os
import random
import zlib

import h5py
import numpy as np

from run_files import RunError, read_probes, read_statistics
from run_folder import RunFolder
from surface_folder import SurfaceFolder
from tool_case import ToolCase, run_tool


class Damage(ToolCase):
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

    def test_probes_are_read_at_their_own_times(self):
        run = self.copy_of_the_run("probes")
        good = (run / "probes.csv").read_bytes()
        times, pressure = read_probes(run / "probes.csv")["P1_pressure"]
        self.assertEqual((len(times), int(np.isnan(pressure).sum())), (20, 2))
        times, position = read_probes(run / "probes.csv")["tip_position_x"]
        self.assertEqual((list(times[:2]), list(position[:2])), ([0.02, 0.04], [0.2, 0.4]))
        (run / "probes.csv").write_bytes(b"")  # before the first row
        self.assertEqual(read_probes(run / "probes.csv"), {})
        for bad in (good.replace(b"0.02,", b","), good.replace(b"step,", b"week,"), good.replace(b",105,", b",1o5,")):
            (run / "probes.csv").write_bytes(bad)
            self.assertIn("probes.csv", self.refused("plot.py", run))

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
            with contextlib.redirect_stderr(io.StringIO()) as said:
                self.assertEqual(RunFolder(run).numbers, [0, 1, 2])
            self.assertIn("frames.vtkhdf.series is damaged", said.getvalue())
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
