"""Plots of a run, and runs of several contact methods side by side."""
import csv
import sys
from pathlib import Path

from tool_case import ROOT, ToolCase, pixels, run_tool


class Comparisons(ToolCase):
    def test_plots(self):
        done = run_tool("plot.py", self.run_folder, "-o", self.run_folder / "plots")
        self.assertEqual(done.returncode, 0, done.stderr)
        names = {Path(line).name for line in done.stdout.split()}
        self.assertLessEqual({"plot_energy.png", "plot_energy_ledger.png", "plot_momentum.png", "plot_momentum_ledger.png",
                              "plot_contacts.png", "plot_step_size.png",
                              "plot_stages.png", "plot_probes_pressure.png", "plot_probes_position.png"}, names)
        for name in names:
            self.assertGreater(pixels(self.run_folder / "plots" / name).std(), 5, f"{name} is not blank")
        self.assertNotIn("plot_fracture.png", names, "no bond is broken")

    def test_broken_bonds_are_plotted(self):
        run = self.copy_of_the_run("broken")
        rows = [line.split(",") for line in (run / "statistics.csv").read_text().splitlines()]
        for number, row in enumerate(rows[1:]):
            row[rows[0].index("broken_bonds")] = str(10 * number)
        (run / "statistics.csv").write_text("".join(",".join(row) + "\n" for row in rows))
        done = run_tool("plot.py", run)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("plot_fracture.png", [Path(line).name for line in done.stdout.split()])
        self.assertGreater(pixels(run / "pictures/plot_fracture.png").std(), 5)

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
