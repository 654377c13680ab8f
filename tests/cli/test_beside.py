"""The half of the comparison with SPlisHSPlasH that runs without it: Merganser's cases and their table.

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


def compare(folder, *arguments):
    return subprocess.run([sys.executable, str(ROOT / "tools/benchmark/elastic_beside_splishsplash.py"), "--python", sys.executable,
                           "--merganser", MERGANSER, "-o", str(folder), "--theirs", "none", *arguments], capture_output=True, text=True)


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
                self.assertGreater(row["step_ms"], row["elastic_ms"])
            self.assertIn("| beam_4 | 135 | Merganser | preconditioned |", (Path(scratch) / "elastic.md").read_text())

    def test_names_what_is_no_case(self):
        with tempfile.TemporaryDirectory() as scratch:
            done = compare(scratch, "--cases", "plank_4")
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("'plank_4' is no case; write beam_W, cube_W, rod_W or shell_W", done.stderr)


if __name__ == "__main__":
    unittest.main()
