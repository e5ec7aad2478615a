"""Copies the README's picture out of the stored notebook, so that the two cannot differ.

`make notebooks` runs it after the notebooks; tests/test_readme.py compares.
"""

import base64
import json
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOK = ROOT / "notebooks" / "02_read_write_ratio.ipynb"
PICTURE = ROOT / "docs" / "read_write_ratio.png"
CALL = "plots.ratio_forest("


def picture() -> bytes:
    """Return the PNG that the notebook's cell with `CALL` shows."""
    cells = json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]
    for cell in cells:
        if CALL in "".join(cell["source"]):
            for output in cell.get("outputs", []):
                if "image/png" in output.get("data", {}):
                    return base64.b64decode("".join(output["data"]["image/png"]))
    raise SystemExit(f"{NOTEBOOK}: found no picture of a cell with {CALL!r}, run `make notebooks`")


if __name__ == "__main__":
    PICTURE.write_bytes(picture())
