"""Results that several pages and boards ask for again: kept by what they were made from."""

from __future__ import annotations

import hashlib
import pickle
from collections.abc import Callable
from functools import wraps
from typing import Any, TypeVar

import pandas as pd

_MOST = 500  # results of a function; a report asks for some hundred
Call = TypeVar("Call", bound=Callable[..., Any])


def remembered(function: Call) -> Call:
    """Let a function give its result again for frames of the same content.

    The other arguments are hashable. A frame comes as a copy, which is the caller's.
    """
    results: dict[tuple[Any, ...], Any] = {}

    @wraps(function)
    def again(*given: Any, **named: Any) -> Any:
        key = (*map(_key, given), *((name, _key(value)) for name, value in sorted(named.items())))
        if key not in results:
            if len(results) >= _MOST:
                results.clear()
            results[key] = function(*given, **named)
        result = results[key]
        return result.copy() if isinstance(result, pd.DataFrame) else result

    return again  # type: ignore[return-value] # it takes what the function takes


def _key(value: Any) -> Any:
    if not isinstance(value, pd.DataFrame):
        return value
    return hashlib.blake2b(pickle.dumps(value, protocol=5), digest_size=16).digest()
