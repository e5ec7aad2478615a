"""The catalogue (data/media.toml, data/hosts.toml): printed label -> specimen, host -> limit."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sdanalysis.errors import DeclarationError
from sdanalysis.sources.catalogue import Entry, check_unique, merged
from sdanalysis.toml import check_keys

FORMS = ("microSD", "SD", "CF", "USB stick", "SSD")
EVIDENCE = ("printed", "linked", "guessed", "inferred", "named")
APPLICATION_CLASSES = ("A1", "A2", "no", "unknown")

_MEDIUM = {
    "id": str,
    "maker": str,
    "product": str,
    "form": str,
    "vintage": str,
    "vintage_evidence": str,
    "speed_class": list[str],
    "application_class": str,
    "application_class_evidence": str,
    "specimen": list[dict],
}
_MEDIUM_OPTIONAL = {"part_number": str, "capacity": str}
_SPECIMEN = {"id": str, "labels": list[str], "evidence": str}
_READER: dict[str, Any] = {"id": str, "name": str, "bus": str, "limit": float, "evidence": str}
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
    """All media, specimens, hosts and readers: a class because two files make one lookup.

    `media` and `readers` are plain rows, one per medium and one per (host, reader); capacity in
    bytes (10^9 a GB), limit in B/s. `own` names, for messages, the folder of a user's own files.
    """

    media: tuple[Mapping[str, Any], ...]
    specimens: Mapping[tuple[str, str], Specimen]
    readers: Mapping[tuple[str, str], Mapping[str, Any]]
    own: str = ""

    def specimen_of(self, measured_by: str, label: str) -> Specimen:
        """Return the specimen that a laboratory's label names.

        Raises
        ------
        DeclarationError
            The catalogue lacks the label; the message says what to add.
        """
        specimen = self.specimens.get((measured_by, label))
        if specimen is None:
            raise DeclarationError(
                f"found the label {label!r} of {measured_by!r}, "
                f"which {self._lacking('media.toml')}; "
                f"expected it among the `labels` of a [[medium.specimen]] with an id of the form "
                f"'{measured_by}/<name>': add it to its medium, or add the medium"
            )
        return specimen

    def check_host(self, host: str | None, reader: str | None) -> None:
        """Refuse a host and reader that data/hosts.toml does not describe."""
        if (host, reader) not in self.readers:
            known = ", ".join(f"{one} with {other}" for one, other in sorted(self.readers))
            raise DeclarationError(
                f"found the host {host!r} with the reader {reader!r}, "
                f"which {self._lacking('hosts.toml')}; "
                f"expected one of {known}: add a [[host]] or a [[host.reader]] with its limit"
            )

    def _lacking(self, file: str) -> str:
        """Return the words for the files that should name something and do not."""
        return f"data/{file} and {self.own}/{file} lack" if self.own else f"data/{file} lacks"


def read_catalogue(data: Path, raw: Path | None = None) -> Catalogue:
    """Read and check `media.toml` and `hosts.toml` in `data`, and those in a user's own `raw`.

    The user's files may be missing, and may add a [[specimen]] to a known `medium` or a
    [[reader]] to a known `host`. Nothing that one file says can be said again by another.

    Raises
    ------
    DeclarationError
        A key, a word or an id is wrong or twice there, or a label names two specimens.
    """
    own = [raw] if raw and raw.resolve() != data.resolve() else []
    media, specimens, ids = [], {}, []
    for one in merged([data, *own], "media.toml", "medium", "specimen"):
        entry = one.content
        where = f"{one.path}: medium {entry.get('id', '?')}"
        check_keys(where, entry, _MEDIUM, _MEDIUM_OPTIONAL)
        if one.whole:
            _check_words(where, entry)
            media.append(_medium(where, entry))
            ids.append((one.path, entry["id"]))
        ids += [(one.path, item.get("id", "")) for item in entry["specimen"]]
        for key, specimen in _specimens(where, entry):
            if key in specimens:
                raise DeclarationError(
                    f"{where}: found the label {key[1]!r} of {key[0]!r} a second "
                    f"time, expected one specimen (it names {specimens[key].id})"
                )
            specimens[key] = specimen
    check_unique(ids)
    return Catalogue(
        media=tuple(media),
        specimens=specimens,
        readers=_readers(merged([data, *own], "hosts.toml", "host", "reader")),
        own=str(own[0]) if own else "",
    )


def _check_words(where: str, entry: Mapping[str, Any]) -> None:
    for key, words in (("form", FORMS), ("application_class", APPLICATION_CLASSES)):
        if entry[key] not in words:
            raise DeclarationError(
                f"{where}: {key}: found {entry[key]!r}, expected one of {', '.join(words)}"
            )


def _medium(where: str, entry: Mapping[str, Any]) -> dict[str, Any]:
    capacity = None
    if "capacity" in entry:
        match = _CAPACITY.fullmatch(entry["capacity"])
        if match is None:
            raise DeclarationError(
                f"{where}: capacity: found {entry['capacity']!r}, expected `<n> GB` or `<n> MB`"
            )
        capacity = int(match[1]) * _BYTES[match[2]]
    return {
        "medium": entry["id"],
        "maker": entry["maker"],
        "product": entry["product"],
        "part_number": entry.get("part_number"),
        "vintage": entry["vintage"],
        "vintage_evidence": entry["vintage_evidence"],
        "capacity": capacity,
        "form": entry["form"],
        "speed_class": " ".join(entry["speed_class"]) or None,
        "application_class": entry["application_class"],
        "application_class_evidence": entry["application_class_evidence"],
    }


def _specimens(where: str, entry: Mapping[str, Any]) -> Iterator[tuple[tuple[str, str], Specimen]]:
    for item in entry["specimen"]:
        check_keys(where, item, _SPECIMEN, {"note": str})
        laboratory, slash, _ = item["id"].partition("/")
        if not slash or item["evidence"] not in EVIDENCE:
            raise DeclarationError(
                f"{where}: found the specimen {item['id']!r} with the evidence "
                f"{item['evidence']!r}, expected an id '<laboratory>/<name>' and "
                f"one of {', '.join(EVIDENCE)}"
            )
        specimen = Specimen(
            id=item["id"], medium=entry["id"], evidence=item["evidence"], note=item.get("note")
        )
        for label in item["labels"]:
            yield (laboratory, label), specimen


def _readers(entries: Sequence[Entry]) -> dict[tuple[str, str], dict[str, Any]]:
    readers: dict[tuple[str, str], dict[str, Any]] = {}
    for one in entries:
        entry = one.content
        where = f"{one.path}: host {entry.get('id', '?')}"
        check_keys(where, entry, {"id": str, "name": str, "reader": list[dict]}, {})
        for item in entry["reader"]:
            check_keys(where, item, _READER, {"usb": str})
            key = (entry["id"], item["id"])
            if key in readers:
                raise DeclarationError(f"{where}: found the reader {item['id']!r} twice")
            readers[key] = {
                "host": entry["id"],
                "reader": item["id"],
                "host_name": entry["name"],
                "reader_name": item["name"],
                "bus": item["bus"],
                "usb": item.get("usb"),
                "limit": item["limit"] * 1e6,
                "limit_evidence": item["evidence"],
            }
    check_unique([(one.path, one.content["id"]) for one in entries if one.whole])
    return readers
