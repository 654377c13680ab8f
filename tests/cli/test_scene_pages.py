"""What the pages and comments of scenes/ say, tried with the executable: the blocks of the tutorial and of the recipes run, the reference of
keys is that of the schema, every scene that ships is valid by the schema, and the counts in comments are those of `merganser check`.

    test_scene_pages.py MERGANSER
"""
import copy
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

try:
    import jsonschema
except ImportError as missing:
    print(f"SKIPPED: {missing}; tools/setup.sh makes the Python environment of the tools")
    sys.exit(77)

MERGANSER = str(Path(sys.argv.pop(1)).resolve())
ROOT = Path(__file__).resolve().parents[2]
SCENES = sorted((ROOT / "scenes").glob("*/*.json"))
BLOCK = re.compile(r"^```(jsonc|sh)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FIRST_LINE = re.compile(r"// (\w+\.json)(?:, added to (\w+))?\n")
STATED = re.compile(r"Resolution 1: ([^.;]*?)(?: particles(?:; at most ([\d,]+) emitted)?)[.,;]")
EMITTED_ONLY = re.compile(r"Resolution 1: at most ([\d,]+) particles emitted\.")
FEW_STEPS = ["--steps", "5", "--device", "cpu", "--threads", "1", "--quiet"]


def call(*command, folder=None):
    return subprocess.run(command, capture_output=True, text=True, cwd=folder,
                          env={**os.environ, "MERGANSER": MERGANSER, "OMP_NUM_THREADS": "1"})


def without_comments(text):
    return re.sub(r'("(?:[^"\\]|\\.)*")|//[^\n]*', lambda found: found.group(1) or "", text)


def read_scene(path):
    return json.loads(without_comments(path.read_text()))


def few_steps(command):
    """A command of a page as it is tried; None for one that is not of this program."""
    words = shlex.split(command)
    if words[0] == "tools/batch/run_until_done.sh":
        return words + FEW_STEPS
    if words[0] != "merganser":
        return None
    if "--max-wall-time" in words:  # it stops after its first step
        words[words.index("--max-wall-time") + 1] = "0.001"
        return [MERGANSER, *words[1:], *FEW_STEPS[2:]]
    return [MERGANSER, *words[1:], *(FEW_STEPS if words[1] == "run" else [])]


class Pages(unittest.TestCase):
    def play(self, page):
        """Writes the page's scenes and runs its commands in their order; returns the commands."""
        played = []
        with tempfile.TemporaryDirectory() as scratch:
            folder = Path(scratch)
            for name in ("scenes", "tools"):
                (folder / name).symlink_to(ROOT / name)
            for kind, text in BLOCK.findall((ROOT / "scenes" / page).read_text()):
                if kind == "jsonc":
                    self.write(folder, text)
                    continue
                for line in text.splitlines():
                    command = few_steps(line)
                    if not command:
                        continue
                    done = call(*command, folder=folder)
                    expected = 75 if "--max-wall-time" in line and "merganser run" in line else 0
                    self.assertEqual(done.returncode, expected, f"{page}: {line}\n{done.stderr}")
                    played.append(line)
        return played

    def write(self, folder, text):
        first = FIRST_LINE.match(text)
        self.assertTrue(first, f"a block begins with '// NAME.json' or '// NAME.json, added to KEY': {text[:60]}")
        name, key = first.groups()
        if key:
            scene = json.loads((folder / name).read_text())
            scene.setdefault(key, []).append(json.loads(without_comments(text)))
        else:
            scene = json.loads(without_comments(text))
        (folder / name).write_text(json.dumps(scene))

    def test_steps_of_the_tutorial(self):
        self.assertEqual(len(self.play("TUTORIAL.md")), 8)

    def test_recipes(self):
        self.assertEqual(len(self.play("RECIPES.md")), 17)


class Gallery(unittest.TestCase):
    def test_names_every_scene_that_ships_and_no_other(self):
        named = set()
        for cell in re.findall(r"^\|[^|]*\| `([^`]+)` \|", (ROOT / "scenes/README.md").read_text(), re.MULTILINE):
            head, _, rest = cell.partition("{")
            words, _, tail = rest.partition("}")
            named.update(head + word + tail for word in words.split(","))
        self.assertEqual(named, {f"{path.parent.name}/{path.stem}" for path in SCENES})


class Reference(unittest.TestCase):
    def test_is_that_of_the_schema(self):
        done = call(sys.executable, str(ROOT / "tools/make_reference.py"), "--merganser", MERGANSER, "--check")
        self.assertEqual(done.returncode, 0, done.stderr)


class Schema(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        schema = json.loads(call(MERGANSER, "schema").stdout)
        jsonschema.Draft202012Validator.check_schema(schema)
        cls.validator = jsonschema.Draft202012Validator(schema)

    def test_takes_every_scene_that_ships(self):
        self.assertGreater(len(SCENES), 40)
        for path in SCENES:
            faults = [f"{fault.json_path}: {fault.message[:200]}" for fault in self.validator.iter_errors(read_scene(path))]
            self.assertEqual(faults, [], path.name)

    def test_refuses_misspelled_keys_wherever_they_stand(self):
        tried = set()
        for path in SCENES:
            scene = read_scene(path)
            for place in objects(scene):
                wrong = copy.deepcopy(scene)
                inner = wrong
                for step in place:
                    inner = inner[step]
                kind = ("base" in scene, *(step for step in place if isinstance(step, str)), inner.get("type", inner.get("shape")))
                if kind in tried or "render" in place:
                    continue
                tried.add(kind)
                inner["densty0"] = 1
                self.assertFalse(self.validator.is_valid(wrong), f"{path.name}: {place}")
        self.assertGreater(len(tried), 50)

    def test_of_files_with_a_base(self):
        valid = lambda **scene: self.validator.is_valid({"base": "tank.json", **scene})  # noqa: E731
        self.assertTrue(valid(systems={"water": {"viscosity": 0.1, "soundSpeed": None}}))
        self.assertTrue(valid(simulation={"endTime": 2}))
        self.assertTrue(valid(systems={"cloth": {"bodies": {"sheet": {"pinned": {"0": {"box": [[0, 0, 0], [1, 1, 1]]}}}}}}))
        self.assertFalse(valid(systems={"water": {"viscosity": -1}}))
        self.assertFalse(valid(systems={"water": {"type": "water"}}))
        self.assertFalse(valid(systems=[{"name": "water"}]), "a list replaces the base's: its elements are whole")
        self.assertFalse(self.validator.is_valid({"simulation": {"endTime": 2}, "systems": []}), "no base: a radius is required")


def objects(value, place=()):
    """Places of the objects in a scene whose keys are known; one with names of elements in place of a list is none of them."""
    if isinstance(value, dict):
        if not (place and place[-1] in ("systems", "bodies")):
            yield place
        for key, inner in value.items():
            yield from objects(inner, (*place, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from objects(inner, (*place, index))


def stated_counts(text):
    """(particles by system, emitted at most) that a comment states, or None."""
    if found := EMITTED_ONLY.search(text):
        return {}, int(found.group(1).replace(",", ""))
    if not (found := STATED.search(text)):
        return None
    counts = {}
    for part in found.group(1).split(", "):
        name, count = part.split(" ")
        counts[name] = int(count.replace(",", ""))
    return counts, int((found.group(2) or "0").replace(",", ""))


class Counts(unittest.TestCase):
    def test_of_comments_are_those_of_check(self):
        compared = 0
        for path in SCENES:
            text = path.read_text()
            stated = stated_counts(text)
            self.assertEqual(stated is None, "Resolution 1" not in text, f"{path.name}: 'Resolution 1: SYSTEM COUNT, SYSTEM COUNT particles.'")
            self.assertTrue(stated or '"base"' in text, f"{path.name} states no counts")
            if not stated:
                continue
            done = call(MERGANSER, "check", "--json", str(path))
            self.assertEqual(done.returncode, 0, done.stderr)
            report = json.loads(done.stdout)
            counts = {system["name"]: int(system["particles"]) for system in report["systems"] if system["particles"]}
            self.assertEqual(stated, (counts, int(report["particles_emitted_at_most"])), path.name)
            compared += 1
        self.assertGreater(compared, 30)

    def test_forms_of_comments(self):
        self.assertEqual(stated_counts("// Resolution 1: soft 2,944, water 59,000 particles.\n"), ({"soft": 2944, "water": 59000}, 0))
        self.assertEqual(stated_counts("Resolution 1: water 10 particles; at most 5 emitted."), ({"water": 10}, 5))
        self.assertEqual(stated_counts("Resolution 1: at most 14,837 particles emitted."), ({}, 14837))
        self.assertIsNone(stated_counts("no counts"))


if __name__ == "__main__":
    unittest.main()
