"""The name of a raw file -> its path beside source.toml, and nowhere else."""

from pathlib import Path

from sdanalysis.errors import DeclarationError


def beside(folder: Path, name: str) -> Path:
    """Return the path of a raw file; DeclarationError where it is outside of the source's folder.

    A declaration may come from somebody else: it is not to read, nor to give the sha256 of,
    anything but what lies beside it, by a path or by a link.
    """
    plain = name.isprintable() and Path(name).name == name and "\\" not in name
    if not plain or name in ("", ".", ".."):
        raise DeclarationError(
            f"found the path {name!r}, expected a file's name beside source.toml"
        )
    path = folder / name
    if path.is_symlink() and path.resolve().parent != folder.resolve():
        raise DeclarationError(f"found a link {name!r} out of the folder, expected a file in it")
    return path
