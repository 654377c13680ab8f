"""tools/batch: a task is queued again, or its sessions repeated, while they make steps, and ends where they do not.

Slurm and merganser are made up: each session of merganser stops at the step and with the exit code that the test says.
"""
import os
import signal
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "tools" / "batch" / "run_scene.sbatch"
LOOP = SCRIPT.parent / "run_until_done.sh"
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

    def folders(self, *scenes, options=()):
        """The arguments of merganser of each task of an array."""
        environment = {"PATH": f"{self.folder}:{os.environ['PATH']}", "MERGANSER": "session", "SLURM_JOB_ID": "7"}
        (self.folder / "sessions").write_text("- 0\n" * len(scenes))
        (self.folder / "calls").write_text("")
        for task in range(len(scenes)):
            done = subprocess.run(["bash", str(SCRIPT), *scenes, *options], cwd=self.folder, env={**environment, "SLURM_ARRAY_TASK_ID": str(task)},
                                  capture_output=True, text=True, timeout=20)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
        return [line.split() for line in (self.folder / "calls").read_text().splitlines()]

    def test_scenes_of_one_name_have_folders_of_their_own(self):
        outputs = lambda *scenes: [call[call.index("-o") + 1] for call in self.folders(*scenes)]
        self.assertEqual(outputs("a/x.json", "b/x.json", "b/y.json"), ["runs/a/x", "runs/b/x", "runs/b/y"])
        self.assertEqual(outputs("scenes/a/x.json", str(self.folder / "scenes/b/x.json")), ["runs/a/x", "runs/b/x"])
        self.assertEqual(outputs("scenes/a/x.json", "scenes/a/y.json"), ["runs/x", "runs/y"])
        self.assertEqual(outputs("x.json", "a/x.json", "../x.json")[:2], [f"runs/{self.folder.name}/x", f"runs/{self.folder.name}/a/x"])
        self.assertEqual(outputs("/x.json", "/a/x.json"), ["runs/x", "runs/a/x"])

    def test_options_go_to_every_run(self):
        options = ["--resolution", "0.5", "--set", "simulation.endTime=2"]
        for call, scene in zip(self.folders("x.json", "y.json", options=options), "xy"):
            self.assertEqual((call[1], call[-4:]), (f"{scene}.json", options))

    def test_the_scripts_explain_themselves(self):
        for script in (SCRIPT, LOOP):
            for option in ("-h", "--help"):
                done = subprocess.run(["bash", str(script), option], cwd=self.folder, capture_output=True, text=True, timeout=20)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                for word in (script.name, "SCENE.json", "MERGANSER"):
                    self.assertIn(word, done.stdout)
                self.assertNotIn("SBATCH", done.stdout)

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

    def loop(self, sessions, arguments=("scenes/dam.json", "-o", "runs/dam")):
        """run_until_done.sh: its exit code, its standard error and how many sessions it made."""
        (self.folder / "sessions").write_text("".join(f"{step} {code}\n" for step, code in sessions))
        (self.folder / "calls").write_text("")
        environment = {"PATH": f"{self.folder}:{os.environ['PATH']}", "MERGANSER": "session"}
        done = subprocess.run([LOOP, *arguments], cwd=self.folder, env=environment, capture_output=True, text=True,
                              timeout=20)
        return done.returncode, done.stderr, len((self.folder / "calls").read_text().splitlines())

    def test_the_loop_resumes_until_the_run_is_done(self):
        self.assertEqual(self.loop([(10, 75), ("-", 75), (30, 75), (40, 0)]), (0, "", 4))
        self.assertEqual((self.folder / "calls").read_text(), "run scenes/dam.json -o runs/dam --resume\n" * 4)
        for code in (2, 3, 4, 5, 6):
            self.assertEqual(self.loop([(50 + code, code), ("-", 0)])[::2], (code, 1))

    def test_the_loop_ends_where_no_step_is_made(self):
        code, err, count = self.loop([(10, 75), ("-", 75), ("-", 75), ("-", 75)])
        self.assertEqual((code, count), (75, 3), err)
        for part in ("two sessions in a row made no step", "checkpoint_000000010.h5", "--max-wall-time"):
            self.assertIn(part, err)
        code, err, count = self.loop([], ("scenes/dam.json",))
        self.assertEqual((code != 0, count), (True, 0))
        self.assertIn("-o DIR", err)

    def test_the_loop_stops_on_a_signal(self):
        """Of the queue (to the script alone) or of a terminal (to its whole group): the session ends by itself."""
        (self.folder / "session").write_text("""#!/bin/bash
trap 'touch told' USR1 TERM INT
touch running
for k in $(seq 100); do [ -e told ] && break; sleep 0.1; done 2>/dev/null
mkdir -p runs/dam/checkpoint; touch runs/dam/checkpoint/checkpoint_$(date +%s%N).h5
echo run >> calls
exit 75
""")
        environment = {"PATH": f"{self.folder}:{os.environ['PATH']}", "MERGANSER": "session"}
        for number, to_group in ((signal.SIGTERM, False), (signal.SIGTERM, True), (signal.SIGINT, False), (signal.SIGINT, True)):
            for name in ("running", "told", "calls"):
                (self.folder / name).unlink(missing_ok=True)
            process = subprocess.Popen([LOOP, "scenes/dam.json", "-o", "runs/dam"], cwd=self.folder, env=environment,
                                       stderr=subprocess.PIPE, text=True, start_new_session=True)
            for _ in range(200):
                if (self.folder / "running").exists():
                    break
                time.sleep(0.05)
            (os.killpg if to_group else os.kill)(process.pid, number)
            _, err = process.communicate(timeout=20)
            self.assertEqual((process.returncode, err), (75, ""))
            self.assertEqual((self.folder / "calls").read_text(), "run\n")


if __name__ == "__main__":
    unittest.main()
