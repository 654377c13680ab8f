"""Surfaces of fluids and skins of solids for pictures of a run: those in DIR/surface and DIR/skin where they hold every frame that is drawn,
else made by `merganser`, some frames at a time, in a folder that is removed afterwards."""
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from run_files import RunError
from run_folder import FLUID_TYPES, RunFolder
from surface_folder import SurfaceFolder

SOLID_TYPES = ("massSpring", "elasticSph", "peridynamics", "rigid")
AT_ONCE = 4  # frames whose meshes are on the disk together


def find_program(given=None):
    """The executable; None where there is none. The newest of the builds beside these tools comes before PATH."""
    if given:
        if not Path(given).is_file():
            raise RunError(f"--merganser '{given}': there is no such file")
        return Path(given).resolve()
    root = Path(__file__).resolve().parents[1]
    built = sorted((f for f in root.glob("build/*/bin/merganser") if f.is_file()), key=lambda f: f.stat().st_mtime)
    packed = root / "bin" / "merganser"  # as tools/package.sh packs it
    return built[-1] if built else packed if packed.is_file() else shutil.which("merganser")


def systems_of(scene, types):
    return [s for s in scene.get("systems", []) if s.get("type") in types]


def has_meshes(scene, kind):
    if kind == "surface":
        return bool(systems_of(scene, FLUID_TYPES))
    return any(b.get("shape") != "rope" for s in systems_of(scene, SOLID_TYPES) for b in s.get("bodies", []))


def options_of(run, kind):
    """What a picture wants of the meshes: coarse and smooth surfaces, cloth as thick as 0.75 particles."""
    if kind == "surface":
        kept = [s.get("neighborhood") == "topological" for s in systems_of(run.scene, FLUID_TYPES)]
        return ["--method", "topological" if all(kept) else "sum", "--cell-size", "0.5", "--smooth", "8"]
    cloth = any(b.get("shape") != "rope" for s in systems_of(run.scene, ("massSpring",)) for b in s.get("bodies", []))
    return ["--thickness", f"{1.5 * run.particle_radius(run.read(run.numbers[0])):.6g}"] if cloth else []


class MeshSource:
    """The meshes of a kind, "surface" or "skin", of the frames `wanted` of a run."""

    def __init__(self, run, kind, wanted, given=None):
        self.run, self.kind, self.wanted, self.given = run, kind, wanted, given
        self.scratch, self.options, self.told = None, [], False
        self.folder = self._folder_of_the_user()

    def _folder_of_the_user(self):
        path = self.run.path / self.kind
        try:
            there = SurfaceFolder(path) if SurfaceFolder.is_one(path) else None
        except RunError:  # it holds none, or other formats than those that are drawn
            return None
        return there if there and set(self.wanted) <= set(there.numbers) else None

    def read(self, number):
        """The frame's mesh; None where it has none and none can be made, which is told once."""
        if self.folder is None or number not in self.folder.numbers:
            if not has_meshes(self.run.scene, self.kind) or self.told or not self._make(number):
                return None
        return self.folder.read(number)

    def _next_frames(self, number):
        """The frame and those after it, as far as no frame between them is left out."""
        following = [number]
        for n in self.run.numbers[self.run.numbers.index(number) + 1:]:
            if n not in self.wanted or len(following) == AT_ONCE:
                break
            following.append(n)
        return following

    def _make(self, number):
        program = find_program(self.given)
        if program is None:
            return self._tell("there is no program to make them with: build it (tools/test.sh), or name it by --merganser FILE")
        if self.scratch is None:
            self.scratch = tempfile.TemporaryDirectory(prefix="meshes.partial-", dir=self.run.path)
            self.options = options_of(self.run, self.kind)
        numbers = self._next_frames(number)
        folder = Path(self.scratch.name) / self.kind
        shutil.rmtree(folder, ignore_errors=True)
        frames = f"{numbers[0]}:{numbers[-1]}" if len(numbers) > 1 else str(number)
        done = subprocess.run([str(program), self.kind, str(self.run.path), "-q", "--frames", frames, "-o", str(folder), "--device", "cpu",
                               *self.options], capture_output=True, text=True)
        if done.returncode:
            return self._tell((done.stderr.strip().splitlines() or [f"{program} ended with code {done.returncode}"])[-1])
        self.folder = SurfaceFolder(folder)
        return True

    def _tell(self, reason):
        print(f"render: no {self.kind}s of {self.run.path}, particles are drawn instead ({reason}); --particles asks for particles",
              file=sys.stderr)
        self.told = True
        return False

    def close(self):
        if self.scratch:
            self.scratch.cleanup()


class DressedRun(RunFolder):
    """A run with meshes that are drawn instead of the particles that they were made from."""

    def __init__(self, path, kinds, wanted, given=None):
        super().__init__(path)
        self.sources = [MeshSource(self, kind, wanted, given) for kind in kinds]

    def read_drawn(self, number):
        frame = self.read(number)
        frame.meshes = [mesh for mesh in (source.read(number) for source in self.sources) if mesh is not None]
        return frame

    def close(self):
        for source in self.sources:
            source.close()
