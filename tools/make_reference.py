#!/usr/bin/env python3
"""Writes scenes/REFERENCE.md, the table of all keys of scene files, from `merganser schema`.

    tools/make_reference.py [--merganser FILE] [--check]

With --check nothing is written; exit code 1 where the page differs or a sentence of a key is too long. The texts stand in the tables of
parameters: host/scene/scene_tables.cpp, solvers/core, solvers/geometry, solvers/methods/*/*_parameters.cpp."""
import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "scenes/REFERENCE.md"
MOST_WORDS = 20  # of a sentence
UNBOUNDED = 1e30  # beyond it no number is allowed (largest_number in solvers/base/parameter_table.h)
LARGEST_COORDINATE = 1e6
INTRODUCTION = """# Reference of keys

`tools/make_reference.py` makes this page from `merganser schema`; edit the tables of parameters, not the page. The [tutorial](TUTORIAL.md) and
the [recipes](RECIPES.md) show keys in use.

- Units are SI, angles are in radians.
- A key without a default and not marked *optional* is required. `2*key` is a multiple of another key.
- Numbers without a range take any value up to 1e30, coordinates up to 1e6.
- `base` names another scene file. This one is merged over it: objects merge, `null` deletes a key, lists replace lists.
- An object in place of a list changes the elements that it names: `{"systems": {"water": {"viscosity": 0.1}}}`.
"""
OF_METHODS = {"fluidBody": "`sph`, `dfsph` and `flip`", "elasticBody": "`elasticSph`", "solidBody": "`massSpring`",
              "brittleBody": "`peridynamics`", "rigidBody": "`rigid`"}


def number(value):
    return str(int(value)) if value == int(value) and abs(value) < 1e15 else f"{value:g}"


def interval(schema, largest):
    """Text of the bounds that are no general limits."""
    above, least, most = schema.get("exclusiveMinimum"), schema.get("minimum"), schema.get("maximum")
    parts = [f"> {number(above)}"] if above is not None else [f">= {number(least)}"] if least is not None and least > -largest else []
    return ", ".join(parts + ([f"<= {number(most)}"] if most is not None and most < largest else []))


def words(values):
    return ", ".join(f"`{value}`" for value in values)


def link(reference):
    name = reference.rsplit("/", 1)[1]
    return f"[{name}](#{name.lower()})"


def type_and_range(schema):
    if "$ref" in schema:
        return link(schema["$ref"]), ""
    if "enum" in schema:
        return "word", words(schema["enum"])
    if "anyOf" in schema:
        kinds = [type_and_range(part) for part in schema["anyOf"]]
        return " or ".join(kind for kind, _ in kinds), "; ".join(dict.fromkeys(extent for _, extent in kinds if extent))
    kind = schema["type"]
    if kind in ("number", "integer"):
        return kind, interval(schema, UNBOUNDED)
    if kind == "array":
        items, count = schema["items"], schema.get("minItems")
        inner, extent = type_and_range(items) if items.get("type") != "number" else ("number", interval(items, LARGEST_COORDINATE))
        return (f"{count} x {inner}" if count else f"list of {inner}"), extent
    if kind == "string" and "pattern" in schema:
        return "name", ""
    return {"string": "text", "boolean": "true, false"}.get(kind, kind), ""


def row(key, schema, required):
    kind, extent = type_and_range(schema)
    unit, text, default = schema.get("unit", ""), schema.get("description", ""), ""
    text, _, rule = text.partition("; default ")
    text = text.removesuffix(f" [{unit}]")
    if "Default: " in text:  # the text says how the rest of the scene sets it
        default = "by scene"
    elif rule and rule != "?":
        default = f"`{rule}`"
    elif "default" in schema:
        value = schema["default"]
        default = "none" if value == UNBOUNDED else f"`{json.dumps(value)}`"
    elif not required:
        default = "*optional*"
    return [f"`{key}`", kind, unit, default, extent, text]


def table(rows):
    lines = ["| key | type | unit | default | range | meaning |", "| --- | --- | --- | --- | --- | --- |"]
    return "\n".join(lines + ["| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |" for cells in rows]) + "\n"


class Reference:
    def __init__(self, schema):
        self.kinds = schema["$defs"]
        self.kinds["scene"]["properties"]["base"] = self.kinds["partial.scene"]["properties"]["base"]
        self.long = []
        self.printed = {}  # table -> the section that has it

    def rows(self, name):
        kind = self.kinds[name]
        made = {}
        for key, schema in kind["properties"].items():
            if "const" not in schema:
                made[key] = row(key, schema, key in kind.get("required", ()))
                for sentence in made[key][-1].split(". "):
                    if len(sentence.split()) > MOST_WORDS:
                        self.long.append(f"{name}.{key}: {len(sentence.split())} words: {sentence}")
        return made

    def family(self, name):
        """What all its kinds share, then what each has of its own."""
        members = [part["$ref"].rsplit("/", 1)[1] for part in self.kinds[name]["oneOf"]]
        tables = {member: self.rows(member) for member in members}
        first = tables[members[0]]
        common = [key for key in first if all(tables[member].get(key) == first[key] for member in members)]
        tag = next(key for key, schema in self.kinds[members[0]]["properties"].items() if "const" in schema)
        kinds = ", ".join(f"[`{m.split('.', 1)[1]}`](#{m.replace('.', '').lower()})" for m in members)
        yield f"`{tag}` is one of {kinds}." + (" Keys of all:\n\n" + table(first[key] for key in common) if common else "\n")
        for member in members:
            text = table(rows) if (rows := [cells for key, cells in tables[member].items() if key not in common]) else "No keys of its own.\n"
            other = self.printed.setdefault(text, member)
            if other != member and rows:
                text = f"The keys of [{other}](#{other.replace('.', '').lower()}).\n"
            yield f"### {member}\n\n{text}"

    def section(self, name):
        head = f"## {name}\n\n" + (f"Bodies of systems of type {OF_METHODS[name]}. " if name in OF_METHODS else "")
        return head + ("\n".join(self.family(name)) if "oneOf" in self.kinds[name] else table(self.rows(name).values()))

    def page(self):
        names = [name for name in self.kinds if not name.startswith("partial.") and "." not in name]
        return INTRODUCTION + "\n" + "\n".join(self.section(name) for name in names)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--merganser", type=Path, default=ROOT / "build/cpu/bin/merganser", help="the executable whose schema is taken")
    parser.add_argument("--check", action="store_true", help="compare with the page that is there")
    options = parser.parse_args()
    try:
        made = subprocess.run([options.merganser, "schema"], capture_output=True, text=True, check=True)
    except OSError as error:
        sys.exit(f"make_reference.py: {options.merganser}: {error.strerror}; build the target merganser or give --merganser FILE")
    reference = Reference(json.loads(made.stdout))
    page = reference.page()
    for text in reference.long:
        print(f"more than {MOST_WORDS} words in a sentence: {text}", file=sys.stderr)
    if not options.check:
        PAGE.write_text(page)
    elif not PAGE.exists() or PAGE.read_text() != page:
        print(f"{PAGE.relative_to(ROOT)} differs from the schema; run tools/make_reference.py", file=sys.stderr)
        return 1
    return 1 if reference.long else 0


if __name__ == "__main__":
    sys.exit(main())
