"""Lets `merganser skin` make the skins of a run that a picture is to show."""
import shutil
import subprocess
import sys
from pathlib import Path

from run_files import RunError
from surface_folder import SurfaceFolder

SOLIDS = ("elasticSph", "peridynamics", "rigid")


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


def has_solids(scene):
    systems = scene.get("systems", [])
    systems = systems.values() if isinstance(systems, dict) else systems
    return any(s.get("type") in SOLIDS and s.get("bodies") for s in systems if isinstance(s, dict))


def missing_of(run, wanted):
    """Those of the wanted frames that have no skin."""
    folder = run.path / "skin"
    try:
        there = SurfaceFolder(folder).numbers if SurfaceFolder.is_one(folder) else []
    except RunError:  # it holds none, or other formats than those that are drawn
        there = []
    return [number for number in wanted if number in run.numbers and number not in there]


def make_skins(run, wanted, given=None):
    """In DIR/skin, of the wanted frames that have none; what is there stays. Where none can be made, one line says why,
    and particles are drawn."""
    missing = missing_of(run, wanted) if has_solids(run.scene) else []
    if not missing:
        return
    program = find_program(given)
    if program is None:
        return _tell(run, "there is no program to make them with: build it (tools/test.sh), or name it by --merganser FILE")
    few = len(missing) <= 8
    for frames in map(str, missing) if few else [f"{missing[0]}:{missing[-1]}"]:
        done = subprocess.run([str(program), "skin", str(run.path), "-q", "--frames", frames], capture_output=True, text=True)
        if done.returncode:
            return _tell(run, (done.stderr.strip().splitlines() or [f"{program} ended with code {done.returncode}"])[-1])


def _tell(run, reason):
    print(f"render: no skins of {run.path}, particles are drawn instead ({reason}); --no-skins asks for particles", file=sys.stderr)
