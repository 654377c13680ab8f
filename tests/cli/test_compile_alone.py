"""Tests of tools/compile_alone.py on a made-up tree: it finds the file that leans on another one of its batch."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = """cmake_minimum_required(VERSION 3.25)
project(made_up LANGUAGES CXX)
add_library(made_up OBJECT device/one.cpp device/two.cpp)
target_compile_options(made_up PRIVATE -Wall)
add_custom_target(merganser_commit)
"""
PRESETS = """{"version": 6, "configurePresets": [{"name": "separate", "generator": "Ninja", "binaryDir": "${sourceDir}/build/separate",
"cacheVariables": {"CMAKE_EXPORT_COMPILE_COMMANDS": "ON"}}], "buildPresets": [{"name": "separate", "configurePreset": "separate"}]}
"""


class CompileAlone(unittest.TestCase):
    def run_on(self, second, code):
        with tempfile.TemporaryDirectory() as folder:
            root = Path(folder).resolve()
            (root / "tools").mkdir()
            (root / "device").mkdir()
            for name in ("compile_alone.py", "tidy.py"):
                shutil.copy(ROOT / "tools" / name, root / "tools")
            (root / "CMakeLists.txt").write_text(BUILD)
            (root / "CMakePresets.json").write_text(PRESETS)
            (root / "device/one.cpp").write_text("#include <vector>\nstd::vector<int> one() { return {1}; }\n")
            (root / "device/two.cpp").write_text(second)
            subprocess.run(["git", "init", "-q"], cwd=root, check=True)
            done = subprocess.run([sys.executable, "tools/compile_alone.py", "device/one.cpp", "device/two.cpp"], cwd=root,
                                  capture_output=True, text=True, env={**os.environ, "PYTHONDONTWRITEBYTECODE": "1"})
            self.assertEqual(done.returncode, code, done.stdout + done.stderr)
            return done.stdout

    def test_files_that_stand_alone_pass(self):
        self.assertIn("2 files, errors in 0", self.run_on("#include <vector>\nint two(std::vector<int> x) { return x[0]; }\n", 0))

    def test_a_file_that_leans_on_another_one_is_named(self):
        said = self.run_on("int two(std::vector<int> x) { return x[0]; }\n", 1)
        self.assertIn("device/two.cpp", said)
        self.assertIn("2 files, errors in 1", said)

    def test_a_warning_is_an_error(self):
        self.assertIn("unused", self.run_on("int two() { int x = 1; return 2; }\n", 1))


if __name__ == "__main__":
    unittest.main()
