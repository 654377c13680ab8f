"""The check of the arrows between folders, on made-up trees."""
import tempfile
import unittest
from pathlib import Path

from tool_case import run_tool


class Arrows(unittest.TestCase):
    def faults(self, files):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = run_tool("check_arrows.py", root)
        *faults, summary = done.stdout.splitlines()
        self.assertEqual(done.returncode, 1 if faults else 0, done.stdout)
        self.assertIn(f"{len(faults)} faults", summary)
        return faults

    def test_folders_include_from_their_own_and_lower_floors(self):
        lower = {"solvers/core/system.h": "", "solvers/methods/sph/sph.h": "", "solvers/methods/flip/flip.h": "",
                 "host/services.h": "", "host/version.h": ""}
        def includes(path, header):
            return self.faults({**lower, path: f'#include "{header}"\n'})
        self.assertEqual(includes("solvers/methods/sph/density.h", "solvers/core/system.h"), [])
        self.assertEqual(includes("solvers/methods/sph/density.h", "solvers/methods/sph/sph.h"), [])
        self.assertEqual(includes("host/run/run.h", "host/services.h"), [])
        self.assertEqual(includes("host/scene/scene.h", "host/version.h"), [])
        for path, header in [("solvers/core/emitter.h", "solvers/methods/sph/sph.h"),
                             ("solvers/methods/sph/density.h", "solvers/methods/flip/flip.h"),
                             ("host/scene/scene.h", "host/services.h"),
                             ("device/array.h", "solvers/core/system.h")]:
            found = includes(path, header)
            self.assertEqual(len(found), 1, found)
            self.assertIn(f"{path}:1: ", found[0])
            self.assertIn(header, found[0])

    def test_a_new_folder_needs_a_floor(self):
        found = self.faults({"solvers/core/system.h": "",
                             "solvers/magic/wand.h": '#include "solvers/core/system.h"\n'})
        self.assertEqual(len(found), 1, found)
        self.assertIn("has no floor", found[0])
