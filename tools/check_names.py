#!/usr/bin/env python3
"""Checks that no two files define a type of the same name in the same namespace.

    tools/check_names.py [ROOT]

The linker takes one of two inline functions of the same name for both, without a word: a kernel of one type then
computes with the other. Types in anonymous namespaces, in classes and in functions are nobody else's, and
specialisations of templates have arguments in their names. Files of different backends (folders cuda/, openmp/,
emulated/ of device/, names that end in _cpu, _gpu, _emulated) stand for one another and may define the same. MERGANSER_BEGIN opens the namespace of the half that is compiled.
Exit code 1 and one line a name where there are any.
"""
import re
import sys
from collections import defaultdict
from pathlib import Path

from check_arrows import tracked_files

FOLDERS = {"device", "solvers", "host", "tools", "tests"}
BACKENDS = {"cuda", "openmp", "emulated", "cpu", "gpu"}
# What stands before a brace.
NAMESPACE = re.compile(r"^(?:inline\s+)?namespace\b\s*([\w:]*)$")
TYPE = re.compile(r"^(?:template\s*<.*>\s*)?(?:struct|class|union|enum(?:\s+(?:class|struct))?)\s+"
                  r"(?:alignas\s*\((?:[^()]|\([^()]*\))*\)\s*|\[\[[^\]]*\]\]\s*)*(\w+)\s*(?:final\b\s*)?(?::(?!:).*)?$", re.S)
NOT_CODE = re.compile(r'//[^\n]*|/\*.*?\*/|R"(\w*)\(.*?\)\1"|"(?:\\.|[^"\\\n])*"|(?<![0-9a-fA-F])\'(?:\\.|[^\'\\\n])+\'', re.S)
DIRECTIVE = re.compile(r"^[ \t]*#(?:.*\\\n)*.*$", re.M)


def code_of(text):
    """Without comments, texts and directives; lines stay where they are."""
    def blank(found):
        return "\n" * found.group().count("\n") or " "
    return DIRECTIVE.sub(blank, NOT_CODE.sub(blank, text))


def types_of(text):
    """(name with its namespaces, line) of each type that a file defines and others can name."""
    code = code_of(text)
    code = re.sub(r"\bMERGANSER_BEGIN\b", "namespace merganser::backend {", code)
    code = re.sub(r"\bMERGANSER_END\b", "}", code)
    open_scopes, start, line, counted = [], 0, 1, 0
    for found in re.finditer(r"[{};]", code):
        before = code[start:found.start()].strip()
        start = found.end()
        if found.group() == "}":
            if open_scopes:
                open_scopes.pop()
        elif found.group() == "{":
            namespace, named = NAMESPACE.match(before), TYPE.match(before)
            if named and None not in open_scopes:
                line, counted = line + code.count("\n", counted, found.start()), found.start()
                yield "::".join([*open_scopes, named.group(1)]), line
            # None: nothing within can be named from another file
            open_scopes.append(namespace.group(1) or None if namespace else None)


def stand_for_one_another(paths):
    """Whether each of the files is of another backend."""
    backends = [BACKENDS & {path.parts[1], path.stem.split("_")[-1]} for path in paths]
    return all(backends) and len(set(map(frozenset, backends))) == len(backends)


def main():
    root = Path(sys.argv[1] if len(sys.argv) > 1 else Path(__file__).resolve().parent.parent)
    places, checked = defaultdict(dict), 0
    for path in tracked_files(root):
        if path.parts[0] in FOLDERS and path.suffix in {".h", ".cpp", ".cu", ".cuh"}:
            checked += 1
            for name, line in types_of((root / path).read_text(errors="replace")):
                places[name].setdefault(path, line)
    faults = [f"{name} is defined in " + " and in ".join(f"{path}:{line}" for path, line in sorted(where.items()))
              for name, where in sorted(places.items()) if len(where) > 1 and not stand_for_one_another(list(where))]
    for fault in faults:
        print(fault)
    print(f"names: {len(places)} types in {checked} files, {len(faults)} faults")
    return 1 if faults or not checked else 0


if __name__ == "__main__":
    sys.exit(main())
