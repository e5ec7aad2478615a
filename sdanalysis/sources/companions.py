"""The companions of the five sources: folders of the same kind, in data/companions.

Nobody counts them who did not ask for them. No folder may have the name of one in data/raw, so that
an id names one figure.
"""

from pathlib import Path

from sdanalysis.errors import DeclarationError


def companions_below(data: Path) -> Path | None:
    """Return the folder of companions, or None where there is no source in it."""
    folder = data / "companions"
    return folder if any(folder.glob("*/source.toml")) else None


def folder_of(slug: str, data: Path) -> Path:
    """Return the folder that holds the sources among which a name is: data/raw or companions."""
    companions = companions_below(data)
    named = companions is not None and (companions / slug / "source.toml").exists()
    return companions if companions and named else data / "raw"


def check_names(data: Path, raw: Path) -> None:
    """Refuse companions with the name of a source."""
    if raw != data / "companions":
        return
    for path in sorted(raw.glob("*/source.toml")):
        if (data / "raw" / path.parent.name / path.name).exists():
            text = f"{path.parent}: found a companion with the name of a source in {data / 'raw'}"
            raise DeclarationError(f"{text}, expected another name")
