"""The catalogue (data/media.toml, data/hosts.toml): printed label -> specimen, host -> limit.

A folder of a user's own may hold files of the same names, which add to those of the project.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdanalysis.errors import DeclarationError
from sdanalysis.sources.declaration import check_filled
from sdanalysis.toml import Kinds, check_keys, check_word, read_toml

FORMS = ("microSD", "SD", "CF", "USB stick", "SSD")
EVIDENCE = ("printed", "linked", "guessed", "inferred", "named")
APPLICATION_CLASSES = ("A1", "A2", "no", "unknown")

_MEDIUM: Kinds = {
    **dict.fromkeys(("id", "maker", "product", "form", "vintage", "vintage_evidence"), str),
    **dict.fromkeys(("application_class", "application_class_evidence"), str),
    **{"speed_class": list[str], "specimen": list[dict]},
}
_MEDIUM_OPTIONAL: Kinds = {"part_number": str, "capacity": str}
_MEDIUM_COLUMNS = (
    *("medium", "maker", "product", "part_number", "vintage", "vintage_evidence", "capacity"),
    *("form", "speed_class", "application_class", "application_class_evidence"),
)
_SPECIMEN: Kinds = {"id": str, "labels": list[str], "evidence": str}
_HOST: Kinds = {"id": str, "name": str, "reader": list[dict]}
_READER: Kinds = {"id": str, "name": str, "bus": str, "limit": float, "evidence": str}
_READER_OPTIONAL: Kinds = {"usb": str, "command_queue": (bool, str), "command_queue_evidence": str}
_CAPACITY = re.compile(r"([1-9][0-9]*) (MB|GB)")
_BYTES = {"MB": 10**6, "GB": 10**9}


@dataclass(frozen=True, kw_only=True)
class Specimen:
    """One physical medium of one laboratory, and how we know which product it is."""

    id: str
    medium: str
    evidence: str
    note: str | None


@dataclass(frozen=True, kw_only=True)
class Catalogue:
    """All media, specimens, hosts and readers.

    `media` and `readers` are plain rows, one per medium and one per (host, reader); capacity in
    bytes (10^9 a GB), limit in B/s. `specimens` are found by laboratory and label. `own` names,
    for messages, the folder of a user's own files.
    """

    media: tuple[Mapping[str, Any], ...]
    specimens: Mapping[tuple[str, str], Specimen]
    readers: Mapping[tuple[str, str], Mapping[str, Any]]
    own: str = ""

    def specimen_of(self, measured_by: str, label: str) -> Specimen:
        """Return the specimen that a laboratory's label names."""
        specimen = self.specimens.get((measured_by, label))
        if specimen is None:
            raise DeclarationError(
                f"found the label {label!r} of {measured_by!r}, which "
                f"{self._lacking('media.toml')}; expected it among the `labels` of a "
                f"[[medium.specimen]] with an id of the form '{measured_by}/<name>': add it to "
                "its medium, or add the medium"
            )
        return specimen

    def check_host(self, host: str | None, reader: str | None) -> None:
        """Refuse a host and reader that data/hosts.toml does not describe."""
        if (host, reader) not in self.readers:
            known = ", ".join(f"{name} with {other}" for name, other in sorted(self.readers))
            raise DeclarationError(
                f"found the host {host!r} with the reader {reader!r}, which "
                f"{self._lacking('hosts.toml')}; expected one of {known}: add a [[host]] or a "
                "[[host.reader]] with its limit"
            )

    def check_table(self, path: Path, specimens: Iterable[str], hosts: Iterable[str]) -> None:
        """Refuse a table with cards or computers that no file of the catalogue describes."""
        cards = {specimen.id for specimen in self.specimens.values()}
        for what, file, known, names in (
            ("specimen", "media.toml", cards, specimens),
            ("host", "hosts.toml", {host for host, _ in self.readers}, hosts),
        ):
            for name in names:
                if name not in known:
                    raise DeclarationError(
                        f"{path}: found the {what} {name!r}, expected it in "
                        f"{path.with_name(file)}, beside which `sdanalysis build --raw` writes it"
                    )

    def _lacking(self, file: str) -> str:
        return f"data/{file} and {self.own}/{file} lack" if self.own else f"data/{file} lacks"


def read_catalogue(data: Path, *raws: Path | None) -> Catalogue:
    """Read and check `media.toml` and `hosts.toml` in `data`, and those in a user's own folders.

    The user's files may be missing, and may add a [[specimen]] to a known `medium` or a
    [[reader]] to a known `host`. Nothing that one file says can be said again by another.
    """
    folders = {raw.resolve(): raw for raw in raws if raw}
    user_folders = [raw for place, raw in folders.items() if place != data.resolve()]
    media = _merge([data, *user_folders], "media.toml", "medium", "specimen")
    hosts = _merge([data, *user_folders], "hosts.toml", "host", "reader")
    rows = [(_medium(entry), entry.whole) for entry in media]  # all of them are checked
    specimens = _specimens(media)
    _check_unique(media, "specimen")
    readers = _readers(hosts)
    _check_unique(hosts)
    media_rows = tuple(row for row, is_whole in rows if is_whole)
    where = ", ".join(map(str, user_folders))
    return Catalogue(media=media_rows, specimens=specimens, readers=readers, own=where)


@dataclass(frozen=True, kw_only=True)
class _Entry:
    """A medium or a host as a file states it; `whole` is false for parts added to a known one."""

    path: Path
    name: str
    content: dict[str, Any]
    whole: bool = True

    @property
    def where(self) -> str:
        return f"{self.path}: {self.name} {self.content.get('id', '?')}"


def _merge(folders: Sequence[Path], file: str, name: str, part: str) -> list[_Entry]:
    """Return the entries of the first folder, then those of the others, which may lack the file."""
    first, *others = [folder / file for folder in folders]
    entries: list[_Entry] = []
    for path in (first, *filter(Path.exists, others)):
        content = read_toml(path)
        check_filled(path, content)
        kinds: Kinds = {name: list[dict]}
        additions: Kinds = {name: list[dict], part: list[dict]}
        check_keys(str(path), content, *((kinds, {}) if path == first else ({}, additions)))
        entries += [_Entry(path=path, name=name, content=item) for item in content.get(name, ())]
        entries += [_addition(path, entries, name, part, item) for item in content.get(part, ())]
    return entries


def _addition(
    path: Path, entries: Sequence[_Entry], name: str, part: str, item: dict[str, Any]
) -> _Entry:
    """Return an item as an entry of the medium or host that it names."""
    known = {entry.content.get("id"): entry.content for entry in entries}
    owner = item.get(name)
    if owner not in known:
        raise DeclarationError(
            f"{path}: {part} {item.get('id', '?')}: found the {name} {owner!r}, "
            f"expected the id of a [[{name}]] of the project or of this file"
        )
    content = {key: value for key, value in item.items() if key != name}
    return _Entry(path=path, name=name, content={**known[owner], part: [content]}, whole=False)


def _check_unique(entries: Sequence[_Entry], part: str | None = None) -> None:
    """Refuse an id that stands twice, in one file or in two; with `part` also among its items."""
    owners: dict[str, Path] = {}
    for entry in entries:
        items = [*([entry.content] if entry.whole else ()), *(entry.content[part] if part else ())]
        for item in items:
            name, first = item["id"], owners.get(item["id"])
            owners[name] = entry.path
            if first is None:
                continue
            text = f"{entry.path}: found the id {name!r} twice, expected it once"
            if first == entry.path:
                raise DeclarationError(text)
            advice = "choose another name"
            if item is entry.content:
                add = f"[[{'specimen' if entry.name == 'medium' else 'reader'}]]"
                hint = f'add to it with a {add} that says `{entry.name} = "{name}"`'
                advice = f"where it is the same {entry.name}, {hint}, else choose another id"
            raise DeclarationError(f"{text} (it is in {first}): {advice}")


def _medium(entry: _Entry) -> dict[str, Any]:
    """Return the row of a medium."""
    where, content = entry.where, entry.content
    check_keys(where, content, _MEDIUM, _MEDIUM_OPTIONAL)
    for key, words in (("form", FORMS), ("application_class", APPLICATION_CLASSES)):
        check_word(f"{where}: {key}", content[key], words)
    printed, capacity = content.get("capacity"), None
    if printed is not None:
        match = _CAPACITY.fullmatch(printed)
        if match is None:
            text = f"found {printed!r}, expected `<n> GB` or `<n> MB`"
            raise DeclarationError(f"{where}: capacity: {text}")
        capacity = int(match[1]) * _BYTES[match[2]]
    classes = " ".join(content["speed_class"]) or None
    row = {**content, "medium": content["id"], "capacity": capacity, "speed_class": classes}
    return {name: row.get(name) for name in _MEDIUM_COLUMNS}


def _specimens(media: Sequence[_Entry]) -> dict[tuple[str, str], Specimen]:
    specimens: dict[tuple[str, str], Specimen] = {}
    for entry in media:
        for item in entry.content["specimen"]:
            check_keys(entry.where, item, _SPECIMEN, {"note": str})
            name, evidence = item["id"], item["evidence"]
            if "/" not in name or evidence not in EVIDENCE:
                raise DeclarationError(
                    f"{entry.where}: found the specimen {name!r} with the evidence {evidence!r}, "
                    f"expected an id '<laboratory>/<name>' and one of {', '.join(EVIDENCE)}"
                )
            medium, laboratory = entry.content["id"], name.partition("/")[0]
            note = item.get("note")
            specimen = Specimen(id=name, medium=medium, evidence=evidence, note=note)
            for label in item["labels"]:
                if known := specimens.get((laboratory, label)):
                    raise DeclarationError(
                        f"{entry.where}: found the label {label!r} of {laboratory!r} a second "
                        f"time, expected one specimen (it names {known.id})"
                    )
                specimens[laboratory, label] = specimen
    return specimens


def _readers(hosts: Sequence[_Entry]) -> dict[tuple[str, str], dict[str, Any]]:
    """Return the rows of hosts and readers by their ids; an unknown command queue is None."""
    readers: dict[tuple[str, str], dict[str, Any]] = {}
    for entry in hosts:
        where, host = entry.where, entry.content
        check_keys(where, host, _HOST, {"aliases": list[str]})
        for item in host["reader"]:
            check_keys(where, item, _READER, _READER_OPTIONAL)
            if (host["id"], item["id"]) in readers:
                raise DeclarationError(f"{where}: found the reader {item['id']!r} twice")
            readers[host["id"], item["id"]] = {
                "host": host["id"], "reader": item["id"],
                "host_name": host["name"], "reader_name": item["name"],
                "bus": item["bus"], "usb": item.get("usb"),
                "limit": item["limit"] * 1e6, "limit_evidence": item["evidence"],
                "command_queue": _command_queue(where, item),
                "command_queue_evidence": item.get("command_queue_evidence"),
                "aliases": tuple(host.get("aliases", ())),
            }  # fmt: skip
    return readers


def _command_queue(where: str, item: Mapping[str, Any]) -> bool | None:
    """Return whether the host could switch on the queue of an SD card; None: not known."""
    stated = item.get("command_queue", "unknown")
    if stated == "unknown":
        return None
    if isinstance(stated, str):
        text = f'found {stated!r}, expected true, false or "unknown"'
    elif item.get("command_queue_evidence"):
        return stated
    else:
        text = f"found {str(stated).lower()} without evidence, expected `command_queue_evidence`"
    raise DeclarationError(f"{where}: command_queue: {text}")
