"""Tests of tools/tidy.py in a repository of its own: which files it chooses, and that the checks of .clang-tidy find a fault."""
import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CLEAN = "int one() { return 1; }\n"
FAULT = "#include <string>\n#include <utility>\nstd::string twice(std::string a) {\n  std::string b = std::move(a);\n  return b + a;\n}\n"
# Says its name and the file it was given; finds something in files of that name.
FAKE = """#!/bin/sh
if [ "$1" = --version ]; then echo "LLVM version ${FAKE_VERSION:-14}.0.6"; exit; fi
for file; do :; done
case $file in
  */faulty.cpp) echo "$file:1:1: error: a fault"; exit 1 ;;
  */slow.cpp) exec sleep 20 ;;
  */gcc_only.cpp) echo "$file:1:1: error: use of undeclared identifier 'f' [clang-diagnostic-error]"; exit 1 ;;
esac
"""


class Tidy(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.root = Path(scratch.name).resolve() / "repository"
        (self.root / "tools").mkdir(parents=True)
        shutil.copy(ROOT / "tools" / "tidy.py", self.root / "tools")
        shutil.copy(ROOT / ".clang-tidy", self.root)
        programs = self.root.parent / "bin"
        programs.mkdir()
        (programs / "clang-tidy-14").write_text(FAKE)
        (programs / "clang-tidy-14").chmod(0o755)
        self.environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        self.write(".gitignore", "/build/\n")
        self.git("init", "-q", "-b", "main")
        self.git("config", "user.name", "A Tester")
        self.git("config", "user.email", "tester@example.org")
        for name in ("a", "b", "c"):
            self.write(f"device/{name}.cpp", CLEAN)
        self.write("device/c.cpp", '#include "device/c.h"\n' + CLEAN)
        self.write("device/c.h", "#pragma once\n")
        self.compiled("device/a.cpp", "device/b.cpp", "device/c.cpp")
        self.commit("first")

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def compiled(self, *names):
        self.write("build/separate/compile_commands.json", json.dumps(
            [{"directory": str(self.root), "file": str(self.root / name), "command": f"g++ -std=c++20 -c {name}"} for name in names]))

    def git(self, *arguments):
        subprocess.run(["git", *arguments], cwd=self.root, check=True, capture_output=True)

    def commit(self, message):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", message)

    def change(self, name, message="change"):
        with open(self.root / name, "a") as file:
            file.write("// changed\n")
        self.commit(message)

    def tidy(self, *options, code=0, **environment):
        done = subprocess.run([sys.executable, str(self.root / "tools" / "tidy.py"), *options], cwd=self.root, capture_output=True,
                              text=True, env={**self.environment, **environment})
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return (done.stdout + done.stderr).splitlines()

    def test_without_a_remote_the_last_commit_is_what_changed(self):
        self.change("device/a.cpp")
        self.change("device/b.cpp")
        self.assertEqual(self.tidy("--list"), ["device/b.cpp"])

    def test_on_a_branch_everything_since_origin_main_is_what_changed(self):
        self.git("update-ref", "refs/remotes/origin/main", "HEAD")
        self.change("device/a.cpp")
        self.change("device/b.cpp")
        self.assertEqual(self.tidy("--list"), ["device/b.cpp", "device/a.cpp"])

    def test_a_merge_counts_as_what_it_brought_to_its_first_parent(self):
        self.git("switch", "-q", "-c", "side")
        self.change("device/a.cpp")
        self.change("device/b.cpp")
        self.git("switch", "-q", "main")
        self.change("device/c.cpp")
        self.git("merge", "-q", "--no-ff", "side", "-m", "merge")
        self.assertEqual(sorted(self.tidy("--list")), ["device/a.cpp", "device/b.cpp"])
        self.assertEqual(sorted(self.tidy("--list", "--commits", "2")), ["device/a.cpp", "device/b.cpp", "device/c.cpp"])

    def test_a_history_of_one_commit_is_all_changed(self):
        self.assertEqual(sorted(self.tidy("--list")), ["device/a.cpp", "device/b.cpp", "device/c.cpp"])

    def test_what_is_not_committed_comes_first(self):
        self.change("device/a.cpp")
        self.write("device/b.cpp", CLEAN + "\n")
        self.write("device/new.cpp", CLEAN)
        self.compiled("device/a.cpp", "device/b.cpp", "device/new.cpp")
        self.assertEqual(self.tidy("--list"), ["device/b.cpp", "device/new.cpp", "device/a.cpp"])

    def test_a_header_is_checked_through_a_source_file_that_includes_it(self):
        self.change("device/c.h")
        self.assertEqual(self.tidy("--list"), ["device/c.cpp"])
        self.write("device/c.h", '#include "device/inner.h"\n')
        self.write("device/inner.h", "#pragma once\n")
        self.commit("a header that only a header includes")
        self.change("device/inner.h")
        self.assertEqual(self.tidy("--list"), ["device/c.cpp"])

    def test_files_beyond_the_limit_or_the_build_are_named(self):
        for name in ("device/a.cpp", "device/b.cpp", "device/c.cpp"):
            self.change(name)
        self.write("device/cuda/memory.cpp", CLEAN)
        self.write("device/lonely.h", "#pragma once\n")
        said = self.tidy("--list", "--commits", "3", "--limit", "2")
        self.assertEqual(said[-2:], ["device/c.cpp", "device/b.cpp"])
        for fault in ("device/cuda/memory.cpp (not compiled", "device/lonely.h (no source file", "more than 2 files changed: device/a.cpp"):
            self.assertEqual(sum(fault in line for line in said), 1, said)

    def test_a_finding_is_printed_and_fails(self):
        self.write("device/faulty.cpp", CLEAN)
        self.compiled("device/a.cpp", "device/faulty.cpp")
        said = self.tidy("device/a.cpp", "device/faulty.cpp", code=1)
        self.assertIn(f"{self.root}/device/faulty.cpp:1:1: error: a fault", said)
        self.assertEqual(said[-1], "tidy: 2 files, findings in 1")

    def test_a_file_that_clang_cannot_compile_is_named(self):
        self.write("device/gcc_only.cpp", CLEAN)
        self.compiled("device/a.cpp", "device/gcc_only.cpp")
        self.assertEqual(self.tidy("device/a.cpp", "device/gcc_only.cpp"),
                         ["tidy: left out: device/gcc_only.cpp (clang cannot compile it)", "tidy: 1 files, findings in 0"])

    def test_a_file_that_takes_too_long_is_named(self):
        self.write("device/slow.cpp", CLEAN)
        self.compiled("device/a.cpp", "device/slow.cpp")
        self.assertEqual(self.tidy("--seconds", "1", "device/a.cpp", "device/slow.cpp"),
                         ["tidy: left out: device/slow.cpp (more than 1 s)", "tidy: 1 files, findings in 0"])

    def test_another_version_is_refused(self):
        self.assertIn("need clang-tidy 14", self.tidy("device/a.cpp", code=2, FAKE_VERSION="19")[0])

    def test_a_build_that_is_missing_is_said(self):
        self.assertIn("configure the build first", self.tidy("--build", "build/other", code=2)[0])

    @unittest.skipUnless(shutil.which("clang-tidy-14"), "no clang-tidy 14; tools/setup.sh installs it")
    def test_the_checks_find_a_use_after_move(self):
        self.write("device/moved.cpp", FAULT)
        self.compiled("device/a.cpp", "device/moved.cpp")
        said = "\n".join(self.tidy("device/a.cpp", "device/moved.cpp", code=1, PATH=os.environ["PATH"]))
        self.assertIn("bugprone-use-after-move", said)


if __name__ == "__main__":
    unittest.main()
