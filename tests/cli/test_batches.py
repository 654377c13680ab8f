"""The bits of results do not depend on how files are compiled in batches: frames of two builds of one commit are equal.

usage: test_batches.py MERGANSER [OTHER]   OTHER: a build of the preset `separate` (default build/separate/bin/merganser)

Skips (exit code 77) where the other build is missing or was made from another commit.
"""
import glob
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import h5py

ROOT = Path(__file__).resolve().parents[2]
# One scene of each solver, small: scene and resolution.
SCENES = {
    "merging_and_splitting/fig04_fluid_beam_on_cloth": 0.2, "merging_and_splitting/fig09_flip_brittle": 0.15,
    "merging_and_splitting/fig08_cloth_and_tori": 0.2, "elastic_sph/fig04_twisted_beam": 0.3, "dfsph/dam_break_100k": 0.2,
    "rigid/pile": 0.3, "topology/fig10_splash": 0.3,
}


def commit_of(program):
    text = subprocess.run([program, "--version"], capture_output=True, text=True).stdout
    return text[text.find("(commit"):].split(")")[0]


def numbers_of_frames(program, scene, resolution):
    """The bytes of all numeric data sets of two frames."""
    found = {}
    with tempfile.TemporaryDirectory() as folder:
        run = subprocess.run([program, "run", ROOT / "scenes" / f"{scene}.json", "-o", f"{folder}/run", "--resolution", str(resolution),
                              "--frames", "2", "--device", "cpu"], capture_output=True, text=True)
        assert run.returncode in (0, 6), run.stderr
        for name in sorted(glob.glob(f"{folder}/run/frames/*.vtkhdf")):
            with h5py.File(name) as file:
                file.visititems(lambda path, item: found.update({f"{os.path.basename(name)}:{path}": item[()].tobytes()})
                                if isinstance(item, h5py.Dataset) and item.dtype.kind in "fiu" else None)
    assert found
    return found


def main():
    program = Path(sys.argv[1])
    other = Path(sys.argv[2]) if len(sys.argv) > 2 else ROOT / "build" / "separate" / "bin" / "merganser"
    if not other.is_file() or commit_of(program) != commit_of(other):
        print(f"skipped: '{other}' is not there, or of another commit (cmake --build --preset separate --target merganser)")
        return 77
    unequal = []
    for scene, resolution in SCENES.items():
        ours, theirs = (numbers_of_frames(build, scene, resolution) for build in (program, other))
        unequal += [f"{scene}: {name}" for name in sorted(ours.keys() | theirs.keys()) if ours.get(name) != theirs.get(name)]
    print("\n".join(unequal[:20] or [f"{len(SCENES)} scenes have the same bits"]))
    return 1 if unequal else 0


if __name__ == "__main__":
    sys.exit(main())
