"""Tests of the Python tools on a made-up run. Run by ctest with build/venv's Python."""
import unittest

from tool_case import ROOT  # noqa: F401  (first: it ends the tests where the Python environment is missing)
from tool_arrows import Arrows, Names, Pages  # noqa: F401
from tool_comparisons import Comparisons  # noqa: F401
from tool_damage import Damage  # noqa: F401
from tool_pictures import Pictures  # noqa: F401
from tool_scenes import Light, Packages, Scenes  # noqa: F401
from tool_skins import CutPictures, Skins  # noqa: F401

if __name__ == "__main__":
    unittest.main()
