"""Every relative link of every page leads to a file of the repository, every #anchor to a heading; every `path/from/the/root` exists, and so does
every page that a comment in the code cites. Run by ctest."""
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
COMMENT = re.compile(r"//(.*)")
PAGE = re.compile(r"[\w./-]+\.md\b")
HEADING = re.compile(r"^#+\s+(.*?)\s*$", re.MULTILINE)
PATH = re.compile(r"`((?:\.\./)+[\w./-]+|(?:device|solvers|host|scenes|tools|tests)/[\w./-]+)`")
FENCE = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)


def files(root, *patterns):
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z", "--cached", "--others", "--exclude-standard", *patterns],
                            capture_output=True, text=True, check=True).stdout
    return [root / name for name in listed.split("\0") if name and (root / name).is_file()]


def anchors(text):
    """The anchors that GitHub gives to the headings."""
    plain = (re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", r"\1", heading) for heading in HEADING.findall(FENCE.sub("", text)))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in plain}


def faults(page, root):
    text = FENCE.sub("", page.read_text())
    for target in LINK.findall(text):
        path, _, anchor = target.partition("#")
        if re.match(r"[a-z]+:", target):
            continue
        file = (page.parent / path).resolve() if path else page
        where = f"{page.relative_to(root)}: ({target})"
        if not file.exists() or not file.is_relative_to(root):
            yield f"{where} leads nowhere"
        elif anchor and anchor not in anchors(file.read_text()):
            yield f"{where}: there is no such heading"
    for path in PATH.findall(text):
        base = (page.parent if path.startswith("../") else root) / path
        if not base.exists() and not list(base.parent.glob(base.name + ".*")):
            yield f"{page.relative_to(root)}: `{path}` does not exist"


def wrong_citations(source, root):
    comments = " ".join(COMMENT.findall(source.read_text(errors="replace")))
    for cited in PAGE.findall(comments):
        if not (root / cited).is_file() and not (source.parent / cited).is_file():
            yield f"{source.relative_to(root)} cites {cited}, which is not in the repository"


class Links(unittest.TestCase):
    def test_of_all_pages(self):
        found = files(ROOT, "*.md")
        self.assertGreater(len(found), 20)
        self.assertEqual([fault for page in found for fault in faults(page, ROOT)], [])

    def test_pages_that_comments_cite(self):
        found = files(ROOT, "*.h", "*.cpp", "*.cu", "*.def")
        self.assertGreater(len(found), 500)
        self.assertEqual([fault for source in found for fault in wrong_citations(source, ROOT)], [])

    def test_faults_are_found(self):
        with tempfile.TemporaryDirectory() as scratch:
            root = Path(scratch).resolve()
            (root / "host").mkdir()
            (root / "host" / "run.cpp").touch()
            page = root / "README.md"
            page.write_text("# A\n[a](#a) [b](#b) [c](host/run.cpp) [d](host/none.cpp) `host/run` `host/gone.h` [e](https://example.org/x)\n```\n[f](none)\n```\n")
            self.assertEqual([fault.split(": ", 1)[1] for fault in faults(page, root)],
                             ["(#b): there is no such heading", "(host/none.cpp) leads nowhere", "`host/gone.h` does not exist"])
            source = root / "host" / "run.cpp"
            source.write_text("/// See README.md, host/README.md.\nint a;  // and ../DESIGN.md\n")
            self.assertEqual([fault.split(" cites ")[1].split(",")[0] for fault in wrong_citations(source, root)], ["host/README.md", "../DESIGN.md"])

    def test_anchors_are_those_of_github(self):
        self.assertEqual(anchors("# Two commands\n## `a_b/`: what, why (1-2)\n```\n# no heading\n```\n### [TN] see [page](x.md)\n"),
                         {"two-commands", "a_b-what-why-1-2", "tn-see-page"})


if __name__ == "__main__":
    try:
        files(ROOT, "*.md")
    except (subprocess.CalledProcessError, FileNotFoundError):
        print("skipped: not a clone with git")
        sys.exit(77)
    unittest.main()
