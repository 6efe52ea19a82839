"""How many examples a difference needs to be seen, and which difference so many can show.

All of it is for a two-sided t-test at 5 %, by the noncentral t distribution.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

POWER = 0.8
"""The usual demand: a difference that is there is found in four cases of five."""
_MOST = 10**9
# From here on the t distribution is the normal one to five digits, and cheaper.
_NORMAL = 5_000


def power(effect: float, deviation: float, n: int) -> float:
    """The chance that `n` pairs show a mean difference of `effect`."""
    if n < 2:
        return 0.0
    if deviation == 0:
        return float(effect != 0)
    return _power(abs(effect) / deviation * np.sqrt(n), n - 1)


def examples_needed(effect: float, deviation: float, *, goal: float = POWER) -> int | None:
    """The fewest pairs that show a mean difference of `effect`.

    None: more than a milliard, or unknown because the pairs at hand are all alike.
    """
    if effect == 0 or deviation == 0:
        return None
    low, high = 1, 2
    while power(effect, deviation, high) < goal:
        low, high = high, 2 * high
        if high > _MOST:
            return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if power(effect, deviation, middle) >= goal else (middle, high)
    return high


def detectable(deviation: float, n: int, *, goal: float = POWER) -> float | None:
    """The smallest mean difference that `n` pairs show; None with fewer than two, or all alike.

    Pairs that never differ say nothing of how much others would.
    """
    if n < 2 or deviation == 0:
        return None
    return _noncentrality(n - 1, goal) * deviation / float(np.sqrt(n))


def detectable_between(
    deviation_a: float, n_a: int, deviation_b: float, n_b: int, *, goal: float = POWER
) -> float | None:
    """The smallest difference of means that two samples show (Welch's test)."""
    if n_a < 2 or n_b < 2:
        return None
    a, b = deviation_a**2 / n_a, deviation_b**2 / n_b
    if a + b == 0:
        return None
    freedom = (a + b) ** 2 / (a**2 / (n_a - 1) + b**2 / (n_b - 1))
    return _noncentrality(freedom, goal) * float(np.sqrt(a + b))


def _power(noncentrality: float, freedom: float) -> float:
    from scipy.special import nctdtr, ndtr, ndtri, stdtrit

    if freedom > _NORMAL:
        edge = ndtri(0.975)
        return float(ndtr(noncentrality - edge) + ndtr(-noncentrality - edge))
    edge = stdtrit(freedom, 0.975)
    if noncentrality > edge + 10:  # certain, and beyond what the distribution function computes
        return 1.0
    upper = 1 - nctdtr(freedom, noncentrality, edge)
    # Far from it scipy has no number for the other tail, which is nothing there.
    return float(upper + np.nan_to_num(nctdtr(freedom, noncentrality, -edge)))


def _noncentrality(freedom: float, goal: float) -> float:
    return _root(lambda shift: _power(shift, freedom) - goal, 0.0, 40.0)


def _root(rising: Callable[[float], float], low: float, high: float) -> float:
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) >= 0 else (middle, high)
    return high
