"""Tests of tools/validate.py with a made-up program. Run by ctest with build/venv's Python."""
import json
import math
import re
import sys
import tempfile
import unittest
from pathlib import Path

from tool_case import ROOT, run_tool
from validation_case import Case, angular_frequency, crossings, np, within
from validation_cases import CASES
from validation_page import lines_of, page, row

# Writes a run whose emitter has an error of the second order in the size that the title names; refuses other scenes.
PROGRAM = """#!{python}
import json, math, pathlib, sys
scene, folder = sys.argv[2], pathlib.Path(sys.argv[4])
with open({calls!r}, "a") as calls:
    calls.write(scene + chr(10))
name, size = json.load(open(scene))["title"].split(" ")[:2]
if name != "emitter_flow,":
    print("merganser: error: no water", file=sys.stderr)
    sys.exit(6)
folder.mkdir(exist_ok=True)
flow = 1000 * math.pi * 0.05**2 * 2 * (1 + 0.5 / int(size)**2)
rows = "".join(f"{{k}},{{0.1 * k}},{{0.1 * k * flow}}" + chr(10) for k in range(5))
(folder / "statistics.csv").write_text("step,time,emitted_mass" + chr(10) + rows)
(folder / "summary.json").write_text(json.dumps({{"version": "9", "commit": "abc", "device": "none"}}))
"""


def made_up(**changes):
    keys = {"name": "c", "what": "speed", "law": "v", "reference": 2.0, "band": (1.9, 2.1), "sizes": (4,), "finer": (8,), "scene": None,
            "measure": None, "axes": ("x", "y"), "unit": "m/s"}
    return Case(**{**keys, **changes})


def results(**numbers):
    return {int(size[1:]): (number, [0, 1], [0, 1]) for size, number in numbers.items()}


class Numbers(unittest.TestCase):
    def test_order_is_the_slope_of_the_errors(self):
        case = made_up()
        self.assertAlmostEqual(case.order({8: 1.9, 2: 3.6, 4: 2.4}), 2)
        self.assertAlmostEqual(case.order({10: 2.1, 20: 2.2}), -1)
        self.assertIsNone(case.order({4: 2.4}))
        self.assertIsNone(case.order({4: 2.4, 8: 2.0}), "no error")
        self.assertIsNone(made_up(converges=False).order({4: 2.4, 8: 1.9}))

    def test_bands_of_negative_numbers(self):
        self.assertTrue(made_up(band=within(-2, 0.05)).inside(-2.09))
        self.assertFalse(made_up(band=within(-2, 0.05)).inside(-2.11))
        self.assertFalse(made_up().inside(math.nan))

    def test_zeros_count_where_a_value_is_zero(self):
        self.assertEqual(list(crossings(np.array([0.0, 1, 2, 3]), np.array([2.0, 0, -2, 2]))), [1.0, 2.5])
        times = np.linspace(0, 4, 401)
        self.assertAlmostEqual(angular_frequency(times, np.cos(5 * times)), 5, 3)


class Text(unittest.TestCase):
    def test_the_finest_run_decides(self):
        self.assertIn("|2.5 (4), 2.05 (8) across|3.3|", row(made_up(), results(s4=2.5, s8=2.05)))
        self.assertIn("|2 (4), **2.5 (8)** across|", row(made_up(), results(s4=2, s8=2.5)))
        self.assertIn("|2 (4), **failed: 8: no | end** across|".replace("no | ", "no   "), row(made_up(), results(s4=2), "8: no | end"))

    def test_first_lines_count_what_is_outside(self):
        cases = [made_up(name=name) for name in ("in", "out", "broken", "empty")]
        found = {"in": results(s8=2), "out": results(s8=3), "broken": results(s4=2), "empty": {}}
        errors = {"broken": "8: no", "empty": "4: no"}
        lines = [row(case, found[case.name], errors.get(case.name), "abc") for case in cases]
        text = page(lines, {"version": "9", "device": "cpu"}, True)
        self.assertIn("4 cases: 1 inside their band, 1 outside (bold), 2 that did not run", text.splitlines()[2])
        self.assertIn("`tools/validate.py --quick` wrote this page: Merganser 9, cpu", text)
        self.assertEqual(lines_of(text), {case.name: line for case, line in zip(cases, lines)})


class Cases(unittest.TestCase):
    def test_are_thirty_at_least_with_names_of_their_own(self):
        self.assertGreater(len(CASES), 30)
        self.assertEqual(len({case.name for case in CASES}), len(CASES))
        for case in CASES:
            sizes = case.sizes + case.finer
            self.assertGreater(len(case.sizes), 1, case.name)
            self.assertEqual(list(sizes), sorted(set(sizes)), case.name)
            self.assertTrue(case.inside(case.reference), case.name)
            self.assertNotIn("|", case.what + case.law + case.per, case.name)

    def test_page_has_a_line_and_a_plot_for_each(self):
        text = (ROOT / "scenes/VALIDATION.md").read_text()
        named = re.findall(r"^\|\[`tools/validate\.py (\w+)`\]\((\S+)\)", text, re.MULTILINE)
        self.assertEqual([name for name, _ in named], [case.name for case in CASES])
        for _, plot in named:
            self.assertLess((ROOT / "scenes" / plot).stat().st_size, 40_000, plot)
        there = {path.stem for path in (ROOT / "scenes/pictures/validation").iterdir()}
        self.assertEqual(there, {case.name for case in CASES})


class Runs(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.program = self.folder / "program"
        self.program.write_text(PROGRAM.format(python=sys.executable, calls=str(self.folder / "calls")))
        self.program.chmod(0o755)

    def validate(self, *arguments):
        return run_tool("validate.py", "--merganser", self.program, *arguments)

    def test_a_case_that_fails_does_not_end_the_others(self):
        where = self.folder / "page" / "VALIDATION.md"
        done = self.validate("emitter_flow", "jet_force", "--page", where, "--jobs", "1")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertRegex(done.stderr, r"\[6 of 6, 0:00 left\] jet_force \d+: failed: \d+: merganser: error: no water \(exit code 6\)")
        text = where.read_text()
        self.assertIn("2 cases: 1 inside their band, 0 outside (bold), 1 that did not run to their end", text)
        self.assertRegex(text, r"emitter_flow`\].*\|0\.01658 \(3\), 0\.01602 \(5\), 0\.01583 \(8\) a radius\|2\.0\|")
        for name in ("emitter_flow", "jet_force"):
            self.assertIn("<svg", (where.parent / f"pictures/validation/{name}.svg").read_text())

    def test_update_makes_lines_of_a_page_anew(self):
        where = self.folder / "VALIDATION.md"
        self.validate("--quick", "emitter_flow", "sph_rest", "--page", where)
        old = lines_of(where.read_text())
        done = self.validate("emitter_flow", "--update", "--page", where)
        self.assertEqual(done.returncode, 0, done.stderr)
        new = lines_of(where.read_text())
        self.assertEqual(list(new), ["sph_rest", "emitter_flow"])
        self.assertEqual(new["sph_rest"], old["sph_rest"])
        self.assertIn("0.01583 (8)", new["emitter_flow"])
        self.assertNotIn("0.01583 (8)", old["emitter_flow"])

    def test_quick_runs_the_coarser_sizes_and_prints_the_lines_of_named_cases(self):
        done = self.validate("--quick", "emitter_flow")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("\n"), 1)
        self.assertIn("0.01658 (3), **0.01602 (5)** a radius", done.stdout)

    def test_too_many_cases_outside_are_a_failure(self):
        self.assertEqual(self.validate("--quick", "emitter_flow", "--at-most", "1").returncode, 0)
        done = self.validate("--quick", "emitter_flow", "--at-most", "0")
        self.assertEqual(done.returncode, 1)
        self.assertIn("validate: 1 cases are outside their bands, more than 0", done.stderr)

    def test_runs_of_another_scene_are_not_taken_for_ours(self):
        runs = self.folder / "runs"
        self.validate("--quick", "emitter_flow", "-o", runs)
        file = runs / "emitter_flow_3" / "case.json"
        (file.parent / "run" / "old").touch()
        self.validate("--quick", "emitter_flow", "-o", runs)
        self.assertTrue((file.parent / "run" / "old").exists())
        file.write_text(json.dumps({"title": "another"}))
        self.validate("--quick", "emitter_flow", "-o", runs)
        self.assertFalse((file.parent / "run" / "old").exists())

    def test_wrong_names(self):
        for arguments, said in ((["none"], "no case none; --list names them"), (["--merganser", self.folder / "gone"], "no program")):
            done = self.validate(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_list(self):
        self.assertEqual(len(self.validate("--list").stdout.splitlines()), len(CASES))


if __name__ == "__main__":
    unittest.main()
