"""Tests of tools/gpu_round.sh: with made-up programs, and (--build DIR) from end to end on a build whose GPU is emulated.

usage: test_gpu_round.py [--build DIR]

nvidia-smi, compute-sanitizer and ncu are small stand-ins on PATH. Run by ctest.
"""
import json
import os
import shutil
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
ROUND = ROOT / "tools" / "gpu_round.sh"
BUILD = None

NVIDIA_SMI = """#!/bin/sh
case "$1" in
  --query-gpu=name) echo 'NVIDIA "Made-up" GPU' ;;
  --query-gpu=driver_version) echo 580.00 ;;
  --query-gpu=memory.total) echo '81559 MiB' ;;
esac
"""
SANITIZER = """#!/bin/sh
while [ "${1#--}" != "$1" ]; do shift 2; done
exec "$@"
"""
NCU = """#!/bin/sh
[ "$1" != --import ] || { echo "details of $2"; exit 0; }
while [ "$1" != --export ]; do case $1 in --force-overwrite) shift ;; *) shift 2 ;; esac; done
: > "$2.ncu-rep"; shift 2
exec "$@"
"""
# Stands for the program: $FAKE_FAILS and $FAKE_HANGS name a word of the command line at which it fails or hangs.
MERGANSER = """#!/bin/bash
for word in "$@"; do
  [[ $word != "$FAKE_FAILS" ]] || { echo "made to fail at $word" >&2; exit 1; }
  [[ $word != "$FAKE_HANGS" ]] || exec sleep 1000
done
case $1 in
  --version) echo 'merganser 9.9.9 (commit abcdef), backends: "fake"' ;;
  devices) echo 'cuda:0  made up' ;;
  benchmark) while [[ $1 != --json ]]; do shift; done; echo '{"results": [{"ms_per_step": 1.5}]}' > "$2" ;;
  run)
    while [[ $1 != -o ]]; do shift; done
    mkdir -p "$2/frames"
    printf 'step,time,ms_grid\\n0,0,%s\\n1,%s,2\\n' "$RANDOM" "0.1" > "$2/statistics.csv"
    echo '{}' > "$2/summary.json"; echo frame > "$2/frames/frame_000000.vtkhdf"
    [[ -z $FAKE_FRAMES ]] || echo $RANDOM > "$2/frames/frame_000000.vtkhdf" ;;
esac
"""
# Stands for a binary of GoogleTest.
TESTS = """#!/bin/bash
echo "[ RUN      ] Suite.Good"
echo "[       OK ] Suite.Good (1 ms)"
[[ $GTEST_SHARD_INDEX == 0 ]] || exit 0
case $FAKE_TESTS in
  fail) echo "[ RUN      ] Suite.Bad"; echo "[  FAILED  ] Suite.Bad (1 ms)"; echo "[  FAILED  ] 1 test, listed below:"; echo "[  FAILED  ] Suite.Bad"; exit 1 ;;
  die) echo "[ RUN      ] Suite.Deadly"; kill -SEGV $$ ;;
  hang) echo "[ RUN      ] Suite.Endless"; exec sleep 1000 ;;
esac
exit 0
"""


class Round(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.out = self.folder / "out"
        self.tools = {"nvidia-smi": NVIDIA_SMI, "compute-sanitizer": SANITIZER, "ncu": NCU}

    def programs(self, folder, programs):
        folder.mkdir(parents=True, exist_ok=True)
        for name, text in programs.items():
            (folder / name).write_text(text)
            (folder / name).chmod(0o755)
        return folder

    def fake_build(self):
        tests = {f"{name}_tests_gpu": TESTS for name in ("kernel", "determinism", "backends", "scene", "physics")}
        return self.programs(self.folder / "build" / "bin", {"merganser": MERGANSER, **tests}).parent

    def start(self, build, *options, **variables):
        self.programs(self.folder / "path", self.tools)
        environment = {**os.environ, "OUT": str(self.out), "PATH": f"{self.folder / 'path'}:/usr/bin:/bin", "FAKE_FAILS": "", "FAKE_HANGS": "",
                       "CUDA_HOME": str(self.folder / "no_toolkit"), "FAKE_TESTS": "", "FAKE_FRAMES": "", **variables}
        return subprocess.Popen([str(ROUND), *options, str(build)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, env=environment,
                                start_new_session=True)

    def run_round(self, build, *options, code=0, **variables):
        process = self.start(build, *options, **variables)
        self.said = process.communicate()[0]
        self.assertEqual(process.returncode, code, self.said)
        return self.results()

    def results(self):
        """{name: stage} of round.json, which the archive holds as of the last stage that ended."""
        self.document = json.loads((self.out / "round.json").read_text())
        ended = [stage for stage in self.document["stages"] if stage["result"] != "running"]
        with tarfile.open(self.out / "round.tar.gz") as archive:
            self.packed = set(archive.getnames())
            self.assertEqual(json.load(archive.extractfile("round/round.json"))["stages"], ended)
        self.assertEqual(sorted(p.name for p in self.out.iterdir() if not p.name.endswith(".new")), ["round.json", "round.log", "round.tar.gz"])
        return {stage["name"]: stage for stage in self.document["stages"]}

    def results_of(self, stages):
        return {stage["result"] for stage in stages.values()}


class MadeUp(Round):
    def test_everything_passes_and_is_packed(self):
        stages = self.run_round(self.fake_build())
        listed = subprocess.run([str(ROUND), "--list"], capture_output=True, text=True).stdout.split()
        self.assertEqual(list(stages), listed)
        self.assertEqual(self.results_of(stages), {"passed"}, self.said)
        self.assertEqual(self.document["device"], 'NVIDIA "Made-up" GPU')
        self.assertEqual((self.document["driver"], self.document["memory"]), ("580.00", "81559 MiB"))
        self.assertIn("commit abcdef", self.document["version"])
        self.assertIn("date", self.document)
        self.assertEqual(self.document["benchmarks"]["benchmark_dam_break_16m"]["results"][0]["ms_per_step"], 1.5)
        for name in ("first_look.log", "tests/tests_physics_7.log", "benchmark_triad.json", "table1_fig08_bowl/summary.json",
                     "long_fig08_cloth_and_tori/statistics.csv", "profile_sph.txt", "nvidia-smi.txt", "round.log"):
            self.assertIn(f"round/{name}", self.packed)

    def test_a_failed_first_look_ends_the_round(self):
        stages = self.run_round(self.fake_build(), code=1, FAKE_FAILS="triad")
        self.assertEqual(stages.pop("first_look")["result"], "failed")
        self.assertEqual(self.results_of(stages), {"left out"})
        self.assertEqual({stage["reason"] for stage in stages.values()}, {"the first look failed"})

    def test_a_stage_that_fails_does_not_stop_the_next(self):
        stages = self.run_round(self.fake_build(), "--stages", "benchmark_*", code=1, FAKE_FAILS="sort")
        self.assertEqual(stages["benchmark_sort"]["result"], "failed")
        self.assertEqual(stages["benchmark_sort"]["exit_code"], 1)
        self.assertIn("made to fail at sort", stages["benchmark_sort"]["reason"])
        del stages["benchmark_sort"]
        self.assertEqual(self.results_of(stages), {"passed"})
        self.assertIn("failed: benchmark_sort", self.said)

    def test_a_stage_that_hangs_is_ended_and_what_no_longer_fits_is_named(self):
        stages = self.run_round(self.fake_build(), "--seconds", "10", "--from", "benchmark_scan", code=1, FAKE_HANGS="sort")
        self.assertEqual(stages["benchmark_scan"]["result"], "passed")
        self.assertEqual(stages["benchmark_sort"]["result"], "out of time")
        self.assertEqual(stages["benchmark_grid"]["result"], "left out")
        self.assertRegex(stages["benchmark_grid"]["reason"], "it needs 8 s and .* are left")
        self.assertNotIn("tests_kernels", stages)
        self.assertIn("go on with: tools/gpu_round.sh --from benchmark_grid", self.said)
        self.assertLess(self.document["seconds"], 25)

    def test_too_little_time_alone_is_exit_code_4(self):
        stages = self.run_round(self.fake_build(), "--seconds", "7", "--stages", "first_look,table1_*", code=4)
        self.assertEqual(stages.pop("first_look")["result"], "passed")
        self.assertEqual(self.results_of(stages), {"left out"})

    def test_a_kill_in_the_middle_loses_nothing_that_was_done(self):
        for number, result in ((signal.SIGKILL, "running"), (signal.SIGTERM, "stopped")):
            self.out = self.folder / result
            process = self.start(self.fake_build(), "--stages", "benchmark_*", FAKE_HANGS="grid")
            until = time.monotonic() + 60
            while "benchmark_grid (" not in (self.out / "round.log").read_text() if (self.out / "round.log").exists() else True:
                self.assertLess(time.monotonic(), until)
                time.sleep(0.05)
            time.sleep(0.3)
            process.send_signal(number)
            process.wait(timeout=20)
            subprocess.run(["pkill", "-KILL", "--session", str(process.pid)])  # what a killed shell leaves behind
            process.stdout.close()
            stages = self.results()
            self.assertEqual([stages[f"benchmark_{name}"]["result"] for name in ("scan", "sort", "grid")], ["passed", "passed", result])
            self.assertEqual(len(stages), 3)
            self.assertIn("round/benchmark_sort.json", self.packed)

    def test_tests_that_fail_die_or_hang_are_named(self):
        build = self.fake_build()
        for how, seconds, result, test in (("fail", 60, "failed", "Suite.Bad"), ("die", 60, "failed", "Suite.Deadly"), ("hang", 7, "failed", "Suite.Endless")):
            stage = self.run_round(build, "--seconds", str(seconds), "--stages", "tests_determinism", code=1, FAKE_TESTS=how)["tests_determinism"]
            self.assertEqual((stage["result"], stage["failed"]), (result, [test]))
            self.assertIn("shard 1: exit code 0, 1 tests passed", self.said)

    def test_other_bits_are_a_failure(self):
        build = self.fake_build()
        stage = self.run_round(build, "--stages", "same_bits_flip", code=1, FAKE_FRAMES="differ")["same_bits_flip"]
        self.assertEqual(stage["failed"], ["frames of merging_and_splitting/fig09_flip_brittle differ"])
        # The stand-in draws the times, which may differ; other columns may not.
        (build / "bin" / "merganser").write_text(MERGANSER.replace("step,time,ms_grid", "step,ms_grid,time"))
        stage = self.run_round(build, "--stages", "same_bits_flip", code=1)["same_bits_flip"]
        self.assertEqual(stage["failed"], ["statistics of merging_and_splitting/fig09_flip_brittle differ"])

    def test_what_is_not_there_is_left_out(self):
        for tool in ("ncu", "compute-sanitizer"):
            if shutil.which(tool, path="/usr/bin:/bin"):
                self.skipTest(f"{tool} is there")
        self.tools = {"nvidia-smi": NVIDIA_SMI}
        build = self.fake_build()
        (build / "bin" / "scene_tests_gpu").unlink()
        stages = self.run_round(build, "--stages", "memcheck_flip,profile_sph,tests_scenes,benchmark_scan", code=4)
        self.assertEqual(stages["benchmark_scan"]["result"], "passed")
        for name, reason in (("memcheck_flip", "no compute-sanitizer"), ("profile_sph", "no ncu"), ("tests_scenes", "no scene_tests_gpu")):
            self.assertEqual(stages[name]["result"], "left out")
            self.assertIn(reason, stages[name]["reason"])

    def test_wrong_options_and_no_gpu(self):
        build = self.fake_build()
        for options in (["--stages", "benchmark_nothing"], ["--from", "nowhere"], ["--seconds", "x"], ["--from", "racecheck", "--stages", "racecheck"], ["--what"]):
            process = self.start(build, *options)
            said = process.communicate()[0]
            self.assertEqual(process.returncode, 2, said)
            self.assertIn("gpu_round:", said)
        self.tools = {"nvidia-smi": "#!/bin/sh\necho no devices were found; exit 6\n"}
        process = self.start(build)
        said = process.communicate()[0]
        self.assertEqual(process.returncode, 3)
        self.assertIn("no devices were found", said)


class Emulated(Round):
    def test_rehearsal(self):
        """The same stages with tiny sizes; binaries of tests that are not built are left out."""
        stages = self.run_round(BUILD, "--rehearsal", *(["--seconds", os.environ["REHEARSAL_SECONDS"]] if "REHEARSAL_SECONDS" in os.environ else []),
                                code=0 if self.built("scene") and self.built("physics") else 4)
        expected = {name: "passed" for name in stages}
        for name, binary in (("tests_scenes", "scene"), ("tests_physics", "physics")):
            if not self.built(binary):
                expected[name] = "left out"
        self.assertEqual({name: stage["result"] for name, stage in stages.items()}, expected, self.said)
        self.assertTrue(self.document["rehearsal"])
        benchmarks = self.document["benchmarks"]
        for benchmark in benchmarks.values():
            self.assertIn("emulated on the CPU", benchmark["device"])
        self.assertTrue(all(b["quick"] and b["results"][0]["ms_per_step"] > 0 for b in benchmarks.values()))
        self.assertEqual(set(benchmarks), {name for name in stages if name.startswith("benchmark_")} | {"benchmark_triad"})

    @staticmethod
    def built(folder):
        return (BUILD / "bin" / f"{folder}_tests_gpu").exists()


if __name__ == "__main__":
    if "--build" in sys.argv:
        at = sys.argv.index("--build")
        BUILD = Path(sys.argv[at + 1]).resolve()
        del sys.argv[at:at + 2]
        del MadeUp
    else:
        del Emulated
    unittest.main()
