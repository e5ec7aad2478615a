"""Write the texts of `figures.EVERY`: `python tests/write_figures.py [--again] NAME...`.

What is there stays: without --again a figure that has another text is refused. With --again each
change is shown, and the named texts are written; there is no "all". Look at the figure first.
"""

import difflib
import sys
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from drawn import drawn
from figures import EVERY

TEXTS = Path(__file__).resolve().parent / "figures"


def text_of(name):
    """The text of a figure, and the file of the text that it should have."""
    with mpl.rc_context({"backend": "agg"}):
        text = drawn(EVERY[name]().figure)
    plt.close("all")
    return text, TEXTS / f"{name.replace(' ', '-')}.txt"


def differences(name):
    """The lines in which a figure differs from its text; of one that lacks, all."""
    text, path = text_of(name)
    old = path.read_text(encoding="utf-8") if path.exists() else ""
    lines = old.splitlines(), text.splitlines()
    return "\n".join(difflib.unified_diff(*lines, f"{name}, expected", "drawn", n=0, lineterm=""))


def main(words):
    """Write the named texts; 1 where one was refused, 2 where none was named."""
    names = [word for word in words if word != "--again"]
    refused = []
    for name in names:
        text, path = text_of(name)
        changed = path.exists() and differences(name)
        if changed:
            print(changed)
        if changed and "--again" not in words:
            refused.append(name)
            print(f"{path} has another text, which stays", file=sys.stderr)
        else:
            path.write_text(text, encoding="utf-8")
    return 1 if refused else 0 if names else print(__doc__, file=sys.stderr) or 2


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
