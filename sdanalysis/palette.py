"""The colours of pages and figures: each means one thing, wherever it stands.

Good, avoid and rest are at least 20 apart (CIE76) in normal, protan, deutan and tritan sight. No
colour stands alone: a word, a value or the shape of a mark says the same.
"""

LIGHT = {
    "good": "#006d54",  # yes: take, holds, passes, gains, clearly faster
    "avoid": "#bf4a0a",  # no: avoid, refuted, fails, clearly slower, doubted
    "rest": "#949494",  # every other card; undecided
    "faint": "#d6d6d6",  # lines that lead to a mark, and bands behind marks
    "link": "#0550ae",  # what can be clicked
    "ink": "#1b1f24",  # text, limits, minimums, your card
    "paper": "#ffffff",
}
DARK = {
    "good": "#4fd1b5", "avoid": "#ff9152", "rest": "#737a82", "faint": "#3d444d",
    "link": "#79b8ff", "ink": "#e6edf3", "paper": "#0d1117",
}  # fmt: skip
# Series that mean neither yes nor no (people, tools, runs) differ by marker and by strength.
SERIES = ("#5e2a84", "#b0559f", "#1b1f24", "#8a72b5", "#6b5b4d", "#5c5f66")


def css() -> str:
    """Return the colours as custom properties of a page, light and dark."""
    light, dark = (
        " ".join(f"--{name}: {colour};" for name, colour in colours.items())
        for colours in (LIGHT, DARK)
    )
    on_screens = "@media screen and (prefers-color-scheme: dark)"
    return f":root {{ {light} }}\n{on_screens} {{ :root {{ {dark} }} }}"
