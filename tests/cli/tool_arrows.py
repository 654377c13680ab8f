"""The checks of the arrows between folders, of the names of types and of the length of pages and sentences, on made-up trees."""
import tempfile
import unittest
from pathlib import Path

from tool_case import run_tool


class MadeUpTrees(unittest.TestCase):
    def faults(self, files, tool="check_arrows.py"):
        with tempfile.TemporaryDirectory() as root:
            for name, text in files.items():
                path = Path(root) / name
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text)
            done = run_tool(tool, root)
        *faults, summary = done.stdout.splitlines()
        self.assertEqual(done.returncode, 1 if faults else 0, done.stdout)
        self.assertIn(f"{len(faults)} faults", summary)
        return faults


class Arrows(MadeUpTrees):
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


class Names(MadeUpTrees):
    ours = "MERGANSER_BEGIN\nstruct Sums { float sum; };\nMERGANSER_END\n"

    def clashes(self, other, path="solvers/observables/sums.h", first="solvers/core/sums.h"):
        return self.faults({first: self.ours, path: other}, "check_names.py")

    def test_a_name_of_two_types_is_found(self):
        found = self.clashes("#pragma once\n/* struct */\n\n" + self.ours)
        self.assertEqual(len(found), 1, found)
        self.assertIn("Sums is defined in solvers/core/sums.h:2 and in solvers/observables/sums.h:5", found[0])
        for other in ["class Sums final : public Base<int> { int n; };", "enum class Sums : char { one };",
                      "template <class T, int n>\nstruct alignas(n * sizeof(T)) Sums { T t[n]; };",
                      "const char* text = \"} namespace {\";\nstruct Sums { int n; };",
                      "inline int f() { if (1) { return 1; } return 2; }\nstruct Sums { int n; };"]:
            self.assertEqual(len(self.clashes(f"MERGANSER_BEGIN\n{other}\nMERGANSER_END\n")), 1, other)

    def test_what_nobody_else_can_name_is_no_clash(self):
        for other in ["namespace {\nstruct Sums { int n; };\n}", "struct Outer { struct Sums { int n; }; };", "struct Sums;",
                      "inline void f() { struct Sums { int n; }; }", "// struct Sums {};", "template <>\nstruct Sums<int> { int n; };",
                      "namespace test { struct Sums { int n; }; }", "inline Sums made(const Sums& s) { return {s}; }"]:
            self.assertEqual(self.clashes(f"MERGANSER_BEGIN\n{other}\nMERGANSER_END\n"), [], other)
        self.assertEqual(self.clashes("namespace merganser { struct Sums {}; }", "host/sums.h"), [])

    def test_backends_stand_for_one_another(self):
        self.assertEqual(self.clashes(self.ours, "device/cuda/sums.h", "device/emulated/sums.h"), [])
        self.assertEqual(self.clashes(self.ours, "solvers/core/sums_gpu.cpp", "solvers/core/sums_cpu.cpp"), [])
        self.assertEqual(len(self.clashes(self.ours, "device/cuda/sums.h", "device/sums.h")), 1)
        self.assertEqual(len(self.clashes(self.ours, "device/cuda/sums.h", "device/cuda/more.h")), 1)


class Pages(MadeUpTrees):
    def test_pages_longer_than_the_limit_are_found_but_for_the_generated_one(self):
        full = "Word. " * 1500
        self.assertEqual(self.faults({"host/README.md": full, "scenes/REFERENCE.md": full + "More.", "host/run.cpp": full + "More."},
                                     "check_pages.py"), [])
        found = self.faults({"host/README.md": full, "scenes/README.md": full + "More."}, "check_pages.py")
        self.assertEqual(len(found), 1, found)
        self.assertIn("scenes/README.md: 1501 words, more than 1500", found[0])

    def long_sentences(self, text):
        return self.faults({"host/README.md": text}, "check_pages.py")

    def test_a_sentence_of_more_than_twenty_words_is_a_fault(self):
        self.assertEqual(self.long_sentences("A" + " word" * 18 + " end.\n"), [])
        found = self.long_sentences("# Page\n\nShort. A" + " word" * 10 + "\nand" + " word" * 8 + " end. Short.\n")
        self.assertEqual(len(found), 1, found)
        self.assertIn("host/README.md: 21 words in a sentence, more than 20: A word word", found[0])

    def test_sentences_end_at_stops_paragraphs_and_items(self):
        half = "A" + " word" * 10
        for text in [f"{half}. {half}.", f"**{half}.** {half}.", f"({half}.) {half}.", f"{half}\n\n{half}", f"- {half}\n- {half}", f"{half}\n1. {half}"]:
            self.assertEqual(self.long_sentences(text), [], text)
        for text in [f"{half}: {half}.", f"{half}; {half}.", f"{half} by 0.5 {half}.", f"{half} (Eq. 5) {half}.", f"- {half}\n  {half}.",
                     f"- Item\n\n    {half} {half}."]:
            self.assertEqual(len(self.long_sentences(text)), 1, text)

    def test_code_tables_headings_and_targets_of_links_are_no_sentences(self):
        words = "Word" + " word" * 30
        for text in [f"```\n{words}\n```\n", f"- Item\n\n  ```\n  {words}\n  ```\n", f"Text\n\n    {words}\n    - {words}\n", f"- Item\n\n      {words}\n",
                     f"| {words} |\n", f"## {words}\n", "A [page](a/b.md)" + " word" * 18 + ".\n"]:
            self.assertEqual(self.long_sentences(text), [], text)

    def test_generated_pages_and_notebooks_may_have_long_sentences(self):
        words = "Word" + " word" * 30
        for page in ["scenes/REFERENCE.md", "tools/benchmark/results/notebook.md"]:
            self.assertEqual(self.faults({page: words, "host/README.md": "Text."}, "check_pages.py"), [], page)
