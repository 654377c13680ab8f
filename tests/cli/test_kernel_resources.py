"""Tests of tools/kernel_resources.py and tools/keep_kernel_listing.sh on recorded listings of nvcc 13.0. Run by ctest."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Recorded, but for figures made greater: two kernels of an unnamed namespace, one that calls a function and has a stack, one of CUB.
LISTING = """\
ptxas info    : 0 bytes gmem
ptxas info    : Compiling entry function '_ZN9merganser3gpu11run_functorINS0_8CellRunsINS0_46_GLOBAL__N__95ebeb1a_13_multigrid_cpp_56eba1b25SweepEEEEEviT_' for 'sm_90'
ptxas info    : Function properties for _ZN9merganser3gpu11run_functorINS0_8CellRunsINS0_46_GLOBAL__N__95ebeb1a_13_multigrid_cpp_56eba1b25SweepEEEEEviT_
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 56 registers, used 0 barriers
ptxas info    : Compile time = 6.711 ms
ptxas info    : Compiling entry function '_ZN9merganser3gpu15reduce_partialsINS0_46_GLOBAL__N__95ebeb1a_13_multigrid_cpp_56eba1b212SumDirichletEEEviPKNT_5ValueEPS5_' for 'sm_90'
ptxas info    : Function properties for _ZN9merganser3gpu15reduce_partialsINS0_46_GLOBAL__N__95ebeb1a_13_multigrid_cpp_56eba1b212SumDirichletEEEviPKNT_5ValueEPS5_
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 14 registers, used 1 barriers, 2048 bytes smem
ptxas info    : Compile time = 2.421 ms
ptxas info    : Compiling entry function '_ZN9merganser3gpu11run_functorINS0_10SphDensityEEEviT_' for 'sm_90'
ptxas info    : Function properties for _ZN9merganser3gpu11run_functorINS0_10SphDensityEEEviT_
    160 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 40 registers, used 0 barriers, 184 bytes cumulative stack size
ptxas info    : Function properties for __internal_trig_reduction_slowpath
    24 bytes stack frame, 8 bytes spill stores, 8 bytes spill loads
ptxas info    : Compile time = 2.421 ms
ptxas info    : Compiling entry function '_ZN3cub11EmptyKernelIvEEvv' for 'sm_90'
ptxas info    : Function properties for _ZN3cub11EmptyKernelIvEEvv
    0 bytes stack frame, 0 bytes spill stores, 0 bytes spill loads
ptxas info    : Used 4 registers, used 0 barriers
"""


class KernelResources(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.table = self.folder / "table.csv"

    def run_on(self, listing, *options, code=0):
        file = self.folder / "listing.txt"
        file.write_text(listing)
        done = subprocess.run([sys.executable, str(ROOT / "tools" / "kernel_resources.py"), "--table", str(self.table), *options, str(file)],
                              capture_output=True, text=True)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done.stdout + done.stderr

    def test_the_table_has_short_names_and_the_kernels_figures(self):
        self.run_on(LISTING, "--update")
        self.assertEqual(self.table.read_text().splitlines()[1:], [
            "kernel,registers,stack,spilled,shared",
            "CellRuns<multigrid.cpp:Sweep>,56,0,0,0",
            "SphDensity,40,184,0,0",
            "reduce_partials<multigrid.cpp:SumDirichlet>,14,0,0,2048"])
        self.assertTrue(self.table.read_text().startswith("# nvcc"))
        self.assertIn("sm_90", self.table.read_text())

    def test_the_same_build_passes_whatever_its_hashes_are(self):
        self.run_on(LISTING, "--update")
        self.assertIn("3 kernels, 0 faults", self.run_on(LISTING.replace("95ebeb1a", "00000001").replace("56eba1b2", "00000002")))

    def test_a_kernel_of_a_batch_has_the_folders_name_whatever_the_batch(self):
        batch = LISTING.replace("46_GLOBAL__N__95ebeb1a_13_multigrid_cpp_", "60_GLOBAL__N__95ebeb1a_27_solvers_linear_krylov_2_cpp_")
        self.run_on(batch, "--update")
        self.assertIn("CellRuns<solvers_linear_krylov:Sweep>,56,0,0,0", self.table.read_text())
        self.assertIn("3 kernels, 0 faults", self.run_on(batch.replace("krylov_2_cpp", "krylov_1_cpp")))

    def test_growth_within_the_room_and_gains_pass(self):
        self.run_on(LISTING, "--update")
        for old, new in (("Used 56 ", "Used 60 "), ("Used 56 ", "Used 30 "), ("184 bytes cumulative", "207 bytes cumulative")):
            self.run_on(LISTING.replace(old, new))

    def test_growth_names_the_kernel(self):
        self.run_on(LISTING, "--update")
        sweep, density, partials = "CellRuns<multigrid.cpp:Sweep>", "SphDensity", "reduce_partials<multigrid.cpp:SumDirichlet>"
        for old, new, kernel, column in (
                ("Used 56 ", "Used 61 ", sweep, "registers 61, at most 60"),
                ("    0 bytes stack frame, 0", "    8 bytes stack frame, 0", sweep, "stack 8, at most 0"),
                ("0 bytes spill stores, 0 bytes spill loads", "4 bytes spill stores, 0 bytes spill loads", sweep, "spilled 4"),
                ("184 bytes cumulative", "208 bytes cumulative", density, "stack 208, at most 207"),
                ("2048 bytes smem", "2052 bytes smem", partials, "shared 2052")):
            said = self.run_on(LISTING.replace(old, new, 1), code=1)
            self.assertIn(f"{kernel}: {column}", said)
            self.assertIn("1 faults", said)
            self.assertIn("--update", said)

    def test_new_and_lost_kernels_are_named(self):
        self.run_on(LISTING, "--update")
        said = self.run_on(LISTING.replace("10SphDensity", "12SphDensities"), code=1)
        self.assertIn("new kernel, not in the table: SphDensities (registers 40, stack 184, spilled 0, shared 0)", said)
        self.assertIn("in the table, but not in the build: SphDensity", said)

    def test_a_kernel_of_several_files_counts_with_its_greatest_figures(self):
        self.run_on(LISTING + LISTING.replace("Used 40 ", "Used 48 "), "--update")
        self.assertIn("SphDensity,48,184,0,0", self.table.read_text())

    def test_what_cannot_be_compared(self):
        self.assertIn("--update writes it", self.run_on(LISTING, code=2))
        self.assertIn("several architectures (sm_80, sm_90)", self.run_on(LISTING + LISTING.replace("sm_90", "sm_80"), code=2))
        self.assertIn("no kernel of ours", self.run_on("nothing", code=2))
        self.table.write_text("# nvcc 13.0 sm_90\nkernel,registers\nSphDensity,40\n")
        self.assertIn("is damaged", self.run_on(LISTING, code=2))
        done = subprocess.run([sys.executable, str(ROOT / "tools" / "kernel_resources.py"), "--build", str(self.folder)], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("compile_commands.json", done.stderr)


class KeepKernelListing(unittest.TestCase):
    """The compiler launcher, with a shell in the compiler's place."""
    def test_listing_goes_to_a_file_and_the_rest_to_the_screen(self):
        with tempfile.TemporaryDirectory() as scratch:
            compiler = Path(scratch) / "compiler"
            compiler.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{LISTING}a.cpp(3): warning: unused\nEND\nexit $EXIT\n")
            compiler.chmod(0o755)
            built = Path(scratch) / "a.o"
            for code in (7, 0):
                done = subprocess.run([str(ROOT / "tools" / "keep_kernel_listing.sh"), str(compiler), "-c", "a.cpp", "-o", str(built)],
                                      capture_output=True, text=True, env={"PATH": "/usr/bin:/bin", "EXIT": str(code)})
                self.assertEqual(done.returncode, code)
                self.assertEqual(done.stderr, "a.cpp(3): warning: unused\n")
                self.assertEqual(Path(f"{built}.kernels").exists(), code == 0)
            self.assertEqual(Path(f"{built}.kernels").read_text(), LISTING)


if __name__ == "__main__":
    unittest.main()
