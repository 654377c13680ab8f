"""tools/batch/run_scene.sbatch: a task is queued again while its sessions make steps, and ends where they do not.

Slurm and merganser are made up: each session of merganser stops at the step and with the exit code that the test says.
"""
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "batch" / "run_scene.sbatch"
SESSION = """#!/bin/bash
read -r step code < sessions; sed -i 1d sessions
echo "$@" >> calls
if [ "$step" != - ]; then mkdir -p runs/dam/checkpoint; touch "runs/dam/checkpoint/checkpoint_$(printf %09d "$step").h5"; fi
exit "$code"
"""
PROGRAMS = {"srun": '#!/bin/bash\nexec "$@"\n', "scontrol": '#!/bin/bash\necho "$@" >> requeued\n', "session": SESSION}


class Batch(unittest.TestCase):
    def setUp(self):
        self.scratch = tempfile.TemporaryDirectory()
        self.folder = Path(self.scratch.name)
        for name, text in PROGRAMS.items():
            (self.folder / name).write_text(text)
            (self.folder / name).chmod(0o755)

    def tearDown(self):
        self.scratch.cleanup()

    def job(self, sessions):
        """Runs the script as often as it queues itself again. `sessions`: step (- = no checkpoint) and exit code of
        each. Returns the exit code and the standard error of the last one, and the number of sessions."""
        (self.folder / "sessions").write_text("".join(f"{step} {code}\n" for step, code in sessions))
        environment = {"PATH": f"{self.folder}:{os.environ['PATH']}", "MERGANSER": "session", "SLURM_JOB_ID": "7"}
        for count in range(1, len(sessions) + 1):
            (self.folder / "requeued").write_text("")
            done = subprocess.run(["bash", str(SCRIPT), "scenes/dam.json"], cwd=self.folder, env=environment,
                                  capture_output=True, text=True, timeout=20)
            if (self.folder / "requeued").read_text() != "requeue 7\n":
                return done.returncode, done.stderr, count
        return done.returncode, done.stderr, count

    def test_it_resumes_until_the_run_is_done(self):
        self.assertEqual(self.job([(10, 75), (20, 75), (100, 75), (1000000000, 75), (1000000001, 0)]), (0, "", 5))
        self.assertIn("run scenes/dam.json -o runs/dam", (self.folder / "calls").read_text())
        self.assertIn("--resume", (self.folder / "calls").read_text())

    def test_other_codes_are_final(self):
        for code in (2, 3, 4, 5, 6):
            self.assertEqual(self.job([("-", code), ("-", 0)])[::2], (code, 1))

    def test_two_sessions_in_a_row_without_a_step_end_it(self):
        for step in ("-", 40):
            code, err, count = self.job([(step, 75), ("-", 75), ("-", 75), ("-", 75), ("-", 75)])
            self.assertEqual((code, count), (75, 2 if step == "-" else 3), err)
            for part in ("error: scenes/dam.json", "--time", "--max-wall-time", "relaxed"):
                self.assertIn(part, err)
        self.assertIn("checkpoint_000000040.h5", err)
        code, _, count = self.job([("-", 75), (50, 75), (60, 0)])  # submitted again, it begins to count anew
        self.assertEqual((code, count), (0, 3))

    def test_single_sessions_without_a_step_are_repeated(self):
        """A job that is preempted now and then before its first step goes on."""
        self.assertEqual(self.job([("-", 75), (5, 75), ("-", 75), (9, 75), ("-", 75), ("-", 0)]), (0, "", 6))
        self.assertEqual(list(self.folder.glob("runs/*.stalled")), [])


if __name__ == "__main__":
    unittest.main()
