"""Numbers of a card -> the words that its answer has for them."""

from __future__ import annotations

import math


def megabytes(value: float) -> str:
    """Return a bandwidth as `7.53` (MB/s, 10^6 B/s): three digits, never an exponent."""
    number = value / 1e6
    digits = max(0, 2 - math.floor(math.log10(number))) if number > 0 else 0
    return f"{number:.{min(digits, 6)}f}"


def factor_in_words(ratio: float) -> str:
    """Return a ratio to another card, that follows: `1.8 times as fast as`, `5 % slower than`."""
    if ratio >= 1.5:
        return f"{ratio:.1f} times as fast as"
    if ratio <= 1 / 1.5:
        return f"{1 / ratio:.1f} times slower than"
    return f"{100 * abs(ratio - 1):.0f} % {'faster' if ratio >= 1 else 'slower'} than"
