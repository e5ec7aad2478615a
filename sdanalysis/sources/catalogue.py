"""media.toml or hosts.toml of the project, beside a user's own -> entries with their file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdanalysis.errors import DeclarationError
from sdanalysis.toml import Kinds, check_keys, read_toml


@dataclass(frozen=True, kw_only=True)
class Entry:
    """A medium or a host as a file states it; `whole` is false for parts added to a known one."""

    path: Path
    content: dict[str, Any]
    whole: bool = True


def merged(folders: Sequence[Path], file: str, name: str, part: str) -> list[Entry]:
    """Return the entries of the first folder, then those of the others, whose files may be missing.

    Beside [[medium]] (or [[host]]) a further file may hold [[specimen]] (or [[reader]]) with the
    id of the `medium` (or `host`) that it belongs to.

    Raises
    ------
    DeclarationError
        A file is no TOML, holds another key, or adds to an id that there is not.
    """
    first, *others = [folder / file for folder in folders]
    entries = [
        Entry(path=first, content=one) for one in _content(first, {name: list[dict]}, {})[name]
    ]
    for path in others:
        content = _content(path, {}, {name: list[dict], part: list[dict]}) if path.exists() else {}
        entries += [Entry(path=path, content=one) for one in content.get(name, ())]
        entries += [_addition(path, entries, name, part, one) for one in content.get(part, ())]
    return entries


def check_unique(places: Sequence[tuple[Path, str]]) -> None:
    """Refuse an id that stands twice, in one file or in two."""
    seen: dict[str, Path] = {}
    for path, name in places:
        if name in seen:
            other = "" if seen[name] == path else f" (it is in {seen[name]})"
            raise DeclarationError(f"{path}: found the id {name!r} twice, expected it once{other}")
        seen[name] = path


def _addition(
    path: Path, entries: Sequence[Entry], name: str, part: str, item: dict[str, Any]
) -> Entry:
    """Return an item as an entry of the medium or host that it names."""
    known = {one.content.get("id"): one.content for one in entries}
    owner = item.get(name)
    if owner not in known:
        raise DeclarationError(
            f"{path}: {part} {item.get('id', '?')}: found the {name} {owner!r}, "
            f"expected the id of a [[{name}]] of the project or of this file"
        )
    own = {key: value for key, value in item.items() if key != name}
    return Entry(path=path, content={**known[owner], part: [own]}, whole=False)


def _content(path: Path, required: Kinds, optional: Kinds) -> dict[str, Any]:
    content = read_toml(path)
    check_keys(str(path), content, required, optional)
    return content
