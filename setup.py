"""Lays data/ and notebooks/ into the package of a wheel; all else stands in pyproject.toml.

In a checkout, and for `pip install -e .`, they stay where they are: sdanalysis/paths.py finds them.
"""

import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

LAID_IN = {"data": ["**/*"], "notebooks": ["*.ipynb", "sets/*.toml"]}


class WithData(build_py):
    """Copies the package, and what it reads."""

    def run(self) -> None:
        """Copy all of it afresh, so that nothing stays from an earlier build."""
        super().run()
        if self.editable_mode:
            return
        for folder, patterns in LAID_IN.items():
            place = Path(self.build_lib, "sdanalysis", folder)
            shutil.rmtree(place, ignore_errors=True)
            for path in (path for pattern in patterns for path in Path(folder).glob(pattern)):
                if path.is_file():
                    copy = place / path.relative_to(folder)
                    copy.parent.mkdir(parents=True, exist_ok=True)
                    shutil.copyfile(path, copy)


setup(cmdclass={"build_py": WithData})
