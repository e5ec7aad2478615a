"""Who measured: the name of a laboratory, in words."""


def people_name(laboratory: str) -> str:
    """Return who measured, in words: `Geerling`; `a reader` of an article for `reader-adata`."""
    return "a reader" if laboratory.startswith("reader-") else laboratory.capitalize()
