"""Who measured: the name of a laboratory, in words."""


def people_name(laboratory: str) -> str:
    """Return who measured, in words: the name, or that it was a reader of an article.

    Examples
    --------
    >>> people_name("geerling"), people_name("reader-adata")
    ('Geerling', 'a reader')
    """
    return "a reader" if laboratory.startswith("reader-") else laboratory.capitalize()
