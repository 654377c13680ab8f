"""Tests of tools/gpu_round.sh: with made-up programs, and (--build DIR) from end to end on a build whose GPU is emulated.

usage: test_gpu_round.py [--build DIR]

nvidia-smi, compute-sanitizer and ncu are small stand-ins on PATH. Run by ctest.
"""
import json
import os
import re
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
# As ncu does, it makes no report where the program launches fewer kernels than are skipped.
NCU = """#!/usr/bin/env python3
import json, subprocess, sys
words = sys.argv[1:]
if words[0] == "--import":
    sys.exit(print("details of", words[1]))
at = next(k for k, word in enumerate(words) if word.endswith("merganser"))
ended = subprocess.run(words[at:]).returncode
folder = words[words.index("-o") + 1]
kernels = json.load(open(folder + "/summary.json"))["kernels_this_session"]
launches = sum(kernel["launches"] for kernel in kernels.values())
skipped = int(words[words.index("--launch-skip") + 1])
print(f"{launches} launches, {skipped} skipped")
if launches > skipped:
    open(words[words.index("--export") + 1] + ".ncu-rep", "w").write("report")
sys.exit(ended)
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
    for ((k = 1; k <= $#; ++k)); do [[ ${!k} != --steps ]] || { n=$((k + 1)); steps=${!n}; }; done
    while [[ $1 != -o ]]; do shift; done
    mkdir -p "$2/frames"
    printf 'step,time,ms_grid\\n0,0,%s\\n1,%s,2\\n' "$RANDOM" "0.1" > "$2/statistics.csv"
    echo "{\\"kernels_this_session\\": {\\"A\\": {\\"launches\\": $((26 * ${steps:-0}))}}}" > "$2/summary.json"; echo frame > "$2/frames/frame_000000.vtkhdf"
    [[ -z $FAKE_FRAMES ]] || echo $RANDOM > "$2/frames/frame_000000.vtkhdf" ;;
esac
"""
# Stands for a binary of GoogleTest with four tests, the second of which fares as $FAKE_TESTS says. `trap`: a kernel ended in an illegal
# access, and the binary ends with the code for that. `stubborn`: it ignores signals and leaves a child that keeps its output open.
TESTS = """#!/bin/bash
for word in "$@"; do
  case $word in
    --gtest_list_tests) printf 'Suite.\\n  First\\n  Second\\n  Third  # GetParam() = 3\\n  Fourth\\n'; exit ;;
    --gtest_flagfile=*) filter=$(sed 's/--gtest_filter=//' "${word#*=}") ;;
  esac
done
code=0
IFS=:
for name in $filter; do
  echo "[ RUN      ] $name"
  if [[ $name == Suite.Second ]]; then
    case $FAKE_TESTS in
      fail) echo "[  FAILED  ] $name (1 ms)"; code=1; continue ;;
      trap) echo "[  FAILED  ] $name (1 ms)"; exit 86 ;;
      die) kill -SEGV $$ ;;
      hang) exec sleep 1000 ;;
      stubborn) trap '' TERM INT HUP; setsid sleep 15 & while :; do sleep 1; done ;;
    esac
  fi
  echo "[       OK ] $name (1 ms)"
done
((code == 0)) || echo "[  FAILED  ] Suite.Second"
exit $code
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
        for name in ("first_look.log", "tests/tests_physics_0.log", "benchmark_triad.json", "table1_fig08_bowl/summary.json",
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
        stages = self.run_round(self.fake_build(), "--seconds", "10", "--call", "2", "--from", "benchmark_scan", code=1, FAKE_HANGS="sort")
        self.assertEqual(stages["benchmark_scan"]["result"], "passed")
        self.assertEqual(stages["benchmark_sort"]["result"], "out of time")
        self.assertEqual(stages["benchmark_grid"]["result"], "left out")
        self.assertRegex(stages["benchmark_grid"]["reason"], "it needs 5 s and .* are left")
        self.assertNotIn("tests_kernels", stages)
        self.assertIn("go on with: tools/gpu_round.sh --from benchmark_grid --call 2", self.said)
        self.assertLess(self.document["seconds"], 25)

    def test_too_little_time_alone_is_exit_code_4(self):
        stages = self.run_round(self.fake_build(), "--seconds", "7", "--stages", "first_look,table1_*", code=4)
        self.assertEqual(stages.pop("first_look")["result"], "passed")
        self.assertEqual(self.results_of(stages), {"left out"})

    def test_a_kill_in_the_middle_loses_nothing_that_was_done(self):
        for number, result in ((signal.SIGKILL, "running"), (signal.SIGTERM, "stopped")):
            self.out = self.folder / result
            process = self.start(self.fake_build(), "--stages", "benchmark_*", FAKE_HANGS="cholesky")
            until = time.monotonic() + 60
            while "benchmark_cholesky (" not in (self.out / "round.log").read_text() if (self.out / "round.log").exists() else True:
                self.assertLess(time.monotonic(), until)
                time.sleep(0.05)
            time.sleep(0.3)
            process.send_signal(number)
            process.wait(timeout=20)
            subprocess.run(["pkill", "-KILL", "--session", str(process.pid)])  # what a killed shell leaves behind
            process.stdout.close()
            stages = self.results()
            self.assertEqual([stages[f"benchmark_{name}"]["result"] for name in ("fig04", "dfsph_1m", "cholesky")], ["passed", "passed", result])
            self.assertEqual(len(stages), 5)
            self.assertIn("round/benchmark_dfsph_1m.json", self.packed)

    def test_a_fault_costs_one_test(self):
        build = self.fake_build()
        self.tools["nproc"] = "#!/bin/sh\necho 2\n"  # one process for the first and the third, one for the others
        for how, seconds, result, reason in (("fail", 60, "failed", "1 failed, 0 not run"), ("die", 60, "failed", "1 failed, 0 not run"), ("trap", 60, "failed", "1 failed, 0 not run"),
                                             ("hang", 9, "out of time", "not done"), ("stubborn", 9, "out of time", "not done")):
            with self.subTest(how=how):
                stage = self.run_round(build, "--seconds", str(seconds), "--stages", "tests_determinism", code=1, FAKE_TESTS=how)["tests_determinism"]
                self.assertEqual((stage["result"], stage["failed"]), (result, ["Suite.Second"]))
                self.assertIn(reason, stage["reason"] if result == "out of time" else self.said)
                with tarfile.open(self.out / "round.tar.gz") as archive:
                    logs = b"".join(archive.extractfile(name).read() for name in sorted(self.packed) if "/tests/tests_determinism_" in name)
                for test in ("First", "Third", *(("Fourth",) if result == "failed" else ())):
                    self.assertEqual(logs.count(f"[       OK ] Suite.{test}".encode()), 1, how)

    def test_what_hangs_is_known_by_its_silence(self):
        binary = self.fake_build() / "bin" / "kernel_tests_gpu"
        for how, named in (("hang", "OUT OF TIME in: Suite.Second"), ("die", "DIED in: Suite.Second")):
            began = time.monotonic()
            done = subprocess.run([ROOT / "tools/gpu_round_tests.py", binary, "--logs", self.folder / "log", "--silence", "1", "--seconds", "60"],
                                  capture_output=True, text=True, env={**os.environ, "FAKE_TESTS": how})
            self.assertEqual((done.returncode, done.stdout), (1, f"{named}\n4 tests: 3 passed, 1 failed, 0 not run for want of time\n"), done.stderr)
            self.assertLess(time.monotonic() - began, 30)

    def test_faults_are_in_the_order_of_events(self):
        tests = TESTS.replace("First", "Zeta").replace("$name == Suite.Second", "$name != Suite.Fourth")
        build = self.fake_build()
        (build / "bin" / "determinism_tests_gpu").write_text(tests)
        self.tools["nproc"] = "#!/bin/sh\necho 1\n"  # one process: the order is that of the list
        stage = self.run_round(build, "--stages", "tests_determinism", code=1, FAKE_TESTS="die")["tests_determinism"]
        self.assertEqual(stage["failed"], ["Suite.Zeta", "Suite.Second", "Suite.Third"])

    def test_only_what_failed_is_repeated(self):
        build = self.fake_build()
        self.run_round(build, "--stages", "tests_*,benchmark_*", "--seconds", "60", code=1, FAKE_TESTS="die", FAKE_FAILS="cholesky")
        earlier = self.folder / "earlier.json"
        shutil.copy(self.out / "round.json", earlier)
        failed = [stage["name"] for stage in json.loads(earlier.read_text())["stages"] if stage["result"] == "failed"]
        self.assertEqual(failed, ["tests_kernels", "tests_determinism", "benchmark_cholesky", "tests_backends", "tests_scenes", "tests_physics"])
        stages = self.run_round(build, "--only-failed", str(earlier))
        self.assertEqual(list(stages), ["first_look", *failed])
        with tarfile.open(self.out / "round.tar.gz") as archive:
            log = archive.extractfile("round/tests/tests_scenes_0.log").read()
        self.assertEqual(log.count(b" RUN "), 1)
        self.assertIn(b"OK ] Suite.Second", log)

    def test_two_calls_are_the_round_and_fit_a_quarter_of_an_hour(self):
        def listed(*options):
            return subprocess.run([str(ROUND), "--list", *options], capture_output=True, text=True, check=True).stdout.split()
        first, second = listed("--call", "1"), listed("--call", "2")
        self.assertEqual(first[:1] + first[1:] + second[1:], listed())
        self.assertEqual(second[0], "first_look")
        build = self.fake_build()
        said = ""
        for call, stages in (("1", first), ("2", second)):
            self.assertEqual(list(self.run_round(build, "--call", call)), stages)
            said += self.said
            self.assertEqual(self.document["budget"], {"1": 330, "2": 510}[call])
            if call == "1":  # no fault of a stage takes the time of the next
                limits = [int(limit) for limit in re.findall(r"\(at most (\d+) s\)", self.said)]
                self.assertEqual(len(limits), len(first))
                self.assertLessEqual(sum(limits), 330)

    def test_a_full_results_folder_keeps_what_was_there(self):
        build = self.fake_build()
        self.out.mkdir()
        script = f"""mount -t tmpfs -o size=256k tmpfs {self.out} || exit 99
          {ROUND} --stages 'first_look,benchmark_scan' {build} || exit 98
          fallocate -l "$(($(df --output=avail -B1 {self.out} | tail -n 1)))" {self.out}/ballast
          {ROUND} --stages 'first_look,benchmark_sort' {build}
          tar -tzf {self.out}/round.tar.gz; python3 -m json.tool {self.out}/round.json > /dev/null && echo whole"""
        done = subprocess.run(["unshare", "--mount", "--map-root-user", "bash", "-c", script], capture_output=True, text=True,
                              env={**os.environ, "OUT": str(self.out), "PATH": f"{self.programs(self.folder / 'path', self.tools)}:/usr/bin:/bin", "FAKE_FAILS": "",
                                   "FAKE_HANGS": "", "FAKE_TESTS": "", "FAKE_FRAMES": ""})
        if done.returncode in (1, 99) and "round/" not in done.stdout:
            self.skipTest(f"no file system of its own here: {done.stderr.strip()}")
        self.assertIn("is as of an earlier stage", done.stdout)
        self.assertIn("round/benchmark_scan.json", done.stdout)
        self.assertIn("whole", done.stdout)

    def test_few_of_many_cores(self):
        self.tools["nproc"] = "#!/bin/sh\necho 4\n"  # what a container of 4 on a machine of 16 tells
        stages = self.run_round(self.fake_build(), "--stages", "tests_kernels")
        self.assertEqual(stages["tests_kernels"]["result"], "passed")
        self.assertEqual(self.document["cores"], 4)
        self.assertEqual(len([name for name in self.packed if "/tests/tests_kernels_" in name]), 4)

    def test_a_package_for_a_newer_c_library_is_refused(self):
        build = self.fake_build()
        self.programs(build / "libexec", {"merganser": MERGANSER})
        (build / "bin" / "merganser").write_text("#!/bin/sh\necho 'merganser: this package needs glibc 2.99' >&2; exit 126\n")
        process = self.start(build)
        said = process.communicate()[0]
        self.assertEqual((process.returncode, "needs glibc 2.99" in said), (3, True), said)

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
        for options in (["--stages", "benchmark_nothing"], ["--from", "nowhere"], ["--seconds", "x"], ["--from", "racecheck", "--stages", "racecheck"], ["--call", "3"],
                        ["--call", "1", "--from", "racecheck"], ["--only-failed", "/dev/null"], ["--call", "1", "--only-failed", "x.json"], ["--what"]):
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
