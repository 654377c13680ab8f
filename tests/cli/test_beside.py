"""The comparisons with SPlisHSPlasH as far as they run without it: Merganser's cases, what is read of theirs, the tables.

    test_beside.py MERGANSER
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tool_case import ROOT  # skips where the tools' environment is missing

MERGANSER = sys.argv.pop(1)


sys.path.insert(0, str(ROOT / "tools/benchmark"))
from run_files import read_statistics  # noqa: E402
from splishsplash import call  # noqa: E402

# What 2.19 prints; the elastic part has another name in each method.
THEIRS = """#!/bin/sh
case "$2" in peer) name=Elasticity_Peer2018;; *) name=Elasticity;; esac
echo "[12:00:00] Average time: SimStep: 7.5 ms
Average time: Elasticity_Kugelstadt2021: 1.5 ms
Average time: $name: 2.5 ms
Average time: initSystem: 47 ms
Average number: Elasticity - CG iterations: 6.25"
echo '{"particles": 135, "wall_seconds": 1, "time": 0.01, "tip": -0.125, "held": 0}'
"""


def compare(folder, *arguments, theirs="none", python=sys.executable, script="elastic_beside_splishsplash.py"):
    return subprocess.run([sys.executable, str(ROOT / "tools/benchmark" / script), "--python", str(python), "--merganser", MERGANSER,
                           "-o", str(folder), "--theirs", theirs, *arguments], capture_output=True, text=True)


class ElasticComparison(unittest.TestCase):
    def test_tabulates_a_bar(self):
        with tempfile.TemporaryDirectory() as scratch:
            done = compare(scratch, "--cases", "beam_4", "--ours", "preconditioned,conjugateGradient", "--steps", "5")
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = json.loads((Path(scratch) / "elastic.json").read_text())["rows"]
            self.assertEqual([row["solve"] for row in rows], ["preconditioned", "conjugateGradient"])
            for row in rows:
                self.assertEqual(row["particles"], 15 * 3 * 3)
                # Five steps of 2 ms from rest, backward Euler: g dt^2 (1 + 2 + 3 + 4 + 5) at the free end.
                self.assertAlmostEqual(row["tip_m"], -9.81 * 0.002**2 * 15, delta=2e-5)
                self.assertGreater(row["elastic_ms"], 0)
                self.assertGreater(row["step_ms"], 0)
                # The elastic part and the iterations are means over every step, of the run that has a row for each.
                run = Path(scratch) / "beam_4/Merganser" / row["solve"] / "rows"
                stages = ["ms_prepare", "ms_integrate_1", "ms_integrate_2"]
                table = read_statistics(run / "statistics.csv", ["iterations_1", *stages])
                self.assertEqual(len(table["time"]), 5)
                self.assertAlmostEqual(row["iterations"], sum(table["iterations_1"]) / 5, places=9)
                mean = sum(sum(table[stage]) for stage in stages) / 5
                self.assertAlmostEqual(row["elastic_ms"], mean, delta=1e-3 * mean)  # digits of the table
            self.assertIn("| beam_4 | 135 | Merganser | preconditioned |", (Path(scratch) / "elastic.md").read_text())

    def test_rods_and_shells(self):
        with tempfile.TemporaryDirectory() as scratch:
            done = compare(scratch, "--cases", "rod_3,shell_3", "--ours", "auto", "--steps", "2")
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = json.loads((Path(scratch) / "elastic.json").read_text())["rows"]
            self.assertEqual([row["particles"] for row in rows], [89 * 2 * 2, 29 * 2 * 29])

    def test_reads_what_theirs_prints(self):
        with tempfile.TemporaryDirectory() as scratch:
            python = Path(scratch) / "python"
            python.write_text(THEIRS)
            python.chmod(0o755)
            done = compare(scratch, "--cases", "beam_4", "--ours", "auto", "--steps", "1", theirs="peer,kugelstadt", python=python)
            self.assertEqual(done.returncode, 0, done.stderr)
            rows = json.loads((Path(scratch) / "elastic.json").read_text())["rows"]
            for row in rows[:2]:
                self.assertEqual([row[key] for key in ("particles", "elastic_ms", "step_ms", "iterations", "setup_s", "tip_m")],
                                 [135, 2.5, 7.5, 6.25, 0.047, -0.125])

    def test_memory_is_of_the_program_alone(self):
        """A process that a large one forks has the large one's peak."""
        ours = bytearray(300 << 20)
        ours[::4096] = b"x" * len(ours[::4096])
        with tempfile.TemporaryDirectory() as scratch:
            out, megabytes = call(["echo", "done"], Path(scratch))
        self.assertEqual(out, "done\n")
        self.assertLess(megabytes, 100)

    def test_tabulates_a_dam_break(self):
        with tempfile.TemporaryDirectory() as scratch:
            done = compare(scratch, "--spacing", "0.05", "--end", "0.01", "--methods", "dfsph", script="beside_splishsplash.py")
            self.assertEqual(done.returncode, 0, done.stderr)
            row, = json.loads((Path(scratch) / "beside.json").read_text())["rows"]
            self.assertEqual(row["particles"], 9 * 7 * 8)
            self.assertGreater(row["ms_per_step"], 0)
            self.assertAlmostEqual(row["particle_steps_per_second"] * row["ms_per_step"] / 1000 / 504, 1, places=9)
            self.assertIn("| Merganser | dfsph | 504 |", (Path(scratch) / "beside.md").read_text())

    def test_names_what_is_no_case(self):
        with tempfile.TemporaryDirectory() as scratch:
            done = compare(scratch, "--cases", "plank_4")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("'plank_4' is no case; write beam_W, cube_W, rod_W or shell_W", done.stderr)


if __name__ == "__main__":
    unittest.main()
