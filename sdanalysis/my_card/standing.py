"""Where a card stands: what a log holds of it, beside what the sources hold of other cards.

Frames in, frames out, nothing is read, drawn or printed here. A figure is compared only with the
same test (`families` defines what that is), the unit is the specimen, and every row carries n.
"""

from sdanalysis.my_card.classes import class_tables, shown_classes
from sdanalysis.my_card.doubts import above, bus_limit, doubts
from sdanalysis.my_card.known import known_figures, left_out, on_host
from sdanalysis.my_card.labels import match_label, same_name, specimen_yardstick
from sdanalysis.my_card.no_counterpart import why_alone
from sdanalysis.my_card.places import ALL_HOSTS, card_figures, nearest, place, verdict
from sdanalysis.my_card.points import drawn_points
from sdanalysis.my_card.same_test import TEST, printed_at, reasons, size_in_words, with_tests

__all__ = [
    "ALL_HOSTS",
    "TEST",
    "above",
    "bus_limit",
    "card_figures",
    "class_tables",
    "doubts",
    "drawn_points",
    "known_figures",
    "left_out",
    "match_label",
    "nearest",
    "on_host",
    "place",
    "printed_at",
    "reasons",
    "same_name",
    "shown_classes",
    "size_in_words",
    "specimen_yardstick",
    "verdict",
    "why_alone",
    "with_tests",
]
