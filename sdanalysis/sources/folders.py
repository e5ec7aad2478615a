"""Where sources lie: folders with a source.toml, in data/raw, in data/companions, of a user's own.

A companion is a folder of the same kind. Nobody counts those who did not ask for them. None may
have the name of one in data/raw, so that an id names one figure.
"""

from pathlib import Path

from sdanalysis.errors import DeclarationError


def source_folders(raw: Path) -> list[Path]:
    """Return the source folders below `raw`, sorted by name; DeclarationError for none."""
    folders = sorted(path.parent for path in raw.glob("*/source.toml"))
    if not folders:
        raise DeclarationError(f"{raw}: found no source, expected folders with a source.toml")
    return folders


def companions_below(data: Path) -> Path | None:
    """Return the folder of companions, or None where there is no source in it."""
    folder = data / "companions"
    return folder if any(folder.glob("*/source.toml")) else None


def folder_of(slug: str, data: Path) -> Path:
    """Return the folder that holds the sources among which a name is: data/raw or companions."""
    is_companion = (data / "companions" / slug / "source.toml").exists()
    return data / ("companions" if is_companion else "raw")


def check_names(data: Path, raw: Path) -> None:
    """Refuse companions with the name of a source."""
    for path in sorted(raw.glob("*/source.toml")) if raw == data / "companions" else ():
        if (data / "raw" / path.parent.name / path.name).exists():
            text = f"{path.parent}: found a companion with the name of a source in {data / 'raw'}"
            raise DeclarationError(f"{text}, expected another name")


def raw_path(folder: Path, name: str) -> Path:
    """Return the path of a raw file; DeclarationError where it is outside of the source's folder.

    A declaration may come from somebody else. Neither a path nor a link in it may read, or give the
    sha256 of, files outside its folder.
    """
    is_name = name.isprintable() and Path(name).name == name and "\\" not in name
    if not is_name or name in ("", ".", ".."):
        text = f"found the path {name!r}, expected a file's name beside source.toml"
        raise DeclarationError(text)
    path = folder / name
    if path.is_symlink() and path.resolve().parent != folder.resolve():
        raise DeclarationError(f"found a link {name!r} out of the folder, expected a file in it")
    return path
