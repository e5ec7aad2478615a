"""What logs held -> where the card stands."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import pandas as pd

from sdanalysis.codebook.columns import COLUMNS, LOG_COLUMNS, NO_SIZE
from sdanalysis.dataset import Data, load_data
from sdanalysis.my_card.card import Card
from sdanalysis.my_card.figures import Known, as_bandwidth, card_figures, known_figures
from sdanalysis.my_card.gather import Logs
from sdanalysis.my_card.named import named_board, setting_of
from sdanalysis.my_card.not_compared import (
    not_compared,
    row_reasons,
    table_reasons,
    without_counterpart,
)
from sdanalysis.my_card.places import check_name, nearest, place, points
from sdanalysis.my_card.rules import doubts, reached_classes
from sdanalysis.my_card.sentences import sentences


@cache
def committed() -> tuple[Data, Known]:
    """Return the committed table with its companions, and its figures; read once."""
    return _with_figures(load_data())


def _with_figures(data: Data) -> tuple[Data, Known]:
    usable = data.measurements[table_reasons(data.measurements, data.media).isna()]
    return data, known_figures(usable, data.media)


def answer(
    logs: Logs,
    *,
    host: str | None = None,
    reader: str | None = None,
    label: str | None = None,
    data: Data | None = None,
) -> Card:
    """Return where the card stands whose logs were read; see `my_card.read`."""
    data, known = _with_figures(data) if data else committed()
    setting = setting_of(data.hosts, host, reader)
    rows = frame_of(logs.rows)
    bandwidths = as_bandwidth(rows[rows["reason"].isna()])
    figures = card_figures(bandwidths, setting.limit)
    places = place(figures[~figures["above_bus"]], known, data.noise, setting)
    without_place = without_counterpart(figures, places["test"], known.over_hosts)
    claimed = next((fact.value for _, fact in logs.facts if fact.name == "classes"), "")
    card = Card(
        logs=logs,
        setting=setting,
        board=None if setting.host else named_board(logs.boards, data.hosts),
        figures=figures,
        places=places,
        nearest=nearest(places, known, setting),
        points=points(places, known, data.classes, setting),
        name=check_name(label, places, known, data, setting),
        classes=reached_classes(bandwidths, data, setting, claimed=claimed.split()),
        doubts=doubts(bandwidths, data, setting),
        not_compared=not_compared(rows, without_place, logs.samples),
    )
    return replace(card, answer=tuple(sentences(card)))


def frame_of(rows: Sequence[dict[str, Any]]) -> pd.DataFrame:
    """Return rows of logs as a frame, typed as the tidy table's, sizes of no machine missing.

    `at` is `file:line` without the file's folder, `reason` as `row_reasons` returns it.
    """
    types = {name: COLUMNS[name].dtype for name in LOG_COLUMNS}
    whole = [name for name in LOG_COLUMNS if types[name] == "Int64"]
    absurd = [{name: None for name in whole if abs(row[name] or 0) >= NO_SIZE} for row in rows]
    possible = [row | missing for row, missing in zip(rows, absurd, strict=True)]
    frame = pd.DataFrame(possible, columns=list(LOG_COLUMNS)).astype(types)
    files = frame["file"].fillna("-").str.split("/").str[-1]
    return frame.assign(reason=row_reasons(frame), at=files + ":" + frame["line"].astype("str"))
