# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Statements of the papers, and the rules by which numbers say whether they hold."""

import dataclasses
import re
from collections.abc import Callable

from reporting import geometric_mean, size_name

HOLDS, DOES_NOT, NOT_MEASURED = "holds", "does not", "not measured yet"


@dataclasses.dataclass
class Claim:
    """`values` gives (number, of what) pairs of a result. The statement holds if their geometric mean, or with
    `every` each of them, is from `least` to `most`. Where it does not, `because` says why."""

    text: str
    what: str
    values: Callable
    least: float | None = None
    most: float | None = None
    every: bool = False
    because: str = ""

    @property
    def rule(self):
        limits = [
            f"at least {self.least:g}" if self.least is not None else "",
            f"at most {self.most:g}" if self.most is not None else "",
        ]
        return f"{'each' if self.every else 'geometric mean'} of {self.what}: {', '.join(filter(None, limits))}"

    def is_within(self, value):
        return (self.least is None or value >= self.least) and (self.most is None or value <= self.most)

    def verdict(self, result):
        """(holds | does not | not measured yet, why)"""
        found = list(self.values(result))
        if not found:
            return NOT_MEASURED, "no such row"
        mean = geometric_mean([value for value, _ in found])
        missed = [entry for entry in found if not self.is_within(entry[0])]
        holds = not missed if self.every else self.is_within(mean)
        value, where = max(
            missed or found,
            key=lambda entry: max((self.least or 0) / entry[0], entry[0] / self.most if self.most else 0),
        )
        worst = (
            f"{len(missed)} of {len(found)} outside, the farthest {value:.3g} ({where})"
            if missed
            else f"{len(found)} of {len(found)} within"
        )
        return HOLDS if holds else DOES_NOT, f"geometric mean {mean:.3g}; {worst}"


def label(row):
    size = row.get("packed_bytes", row.get("size"))
    words = [str(row[name]) for name in ("case", "direction", "memory", "application", "order") if name in row]
    words += [size_name(size)] if isinstance(size, int) else []
    words += [row["mpi"]] if "mpi" in row else []
    return (
        " ".join(dict.fromkeys(words))
        + (f", {row['gpus']} GPUs" if row.get("gpus") else "")
        + (" under MPS" if row.get("mps") else "")
    )


def chosen(result, where, from_bytes=0, to_bytes=float("inf")):
    """Rows each of whose columns `where` matches its regular expression wholly."""
    for row in result["rows"]:
        if from_bytes <= row.get("packed_bytes", from_bytes) <= to_bytes and all(
            re.fullmatch(pattern, str(row.get(name, ""))) for name, pattern in where.items()
        ):
            yield row


def described(where, from_bytes, to_bytes):
    words = [f"{name} {pattern}" for name, pattern in where.items()]
    words += [f"from {size_name(from_bytes)}"] if from_bytes else []
    words += [f"up to {size_name(to_bytes)}"] if to_bytes < float("inf") else []
    return ", ".join(words)


def times_faster(text, than, where, from_bytes=0, to_bytes=float("inf"), **rule):
    """The time of a baseline over that of the library, of the rows `where`."""

    def values(result):
        for row in chosen(result, where, from_bytes, to_bytes):
            if than in row.get("baselines_us", {}):
                yield row["baselines_us"][than] / row["median_us"], label(row)

    return Claim(text, f"{than} / library ({described(where, from_bytes, to_bytes)})", values, **rule)


def between(text, one, other, where, from_bytes=0, to_bytes=float("inf"), **rule):
    """The time of a baseline over that of another, of the rows `where`."""

    def values(result):
        for row in chosen(result, where, from_bytes, to_bytes):
            times = row.get("baselines_us", {})
            if one in times and other in times:
                yield times[one] / times[other], label(row)

    return Claim(text, f"{one} / {other} ({described(where, from_bytes, to_bytes)})", values, **rule)


def compared(text, column, one, other, where, from_bytes=0, to_bytes=float("inf"), **rule):
    """The time of the rows whose `column` is `one` over that of those alike but for `other` there."""
    told = ("mpi", "gpus", "mps", "figure", "case", "direction", "memory", "method", "packed_bytes", "size", "fields")

    def key(row):
        return tuple(
            str(row.get(name)) for name in told if name != column and (name, column) != ("method", "direction")
        )

    def values(result):
        rows = list(chosen(result, where, from_bytes, to_bytes))
        others = {key(row): row for row in rows if row.get(column) == other}
        for row in rows:
            if row.get(column) == one and key(row) in others:
                yield row["median_us"] / others[key(row)]["median_us"], label(row)

    return Claim(text, f"{one} / {other} ({described(where, from_bytes, to_bytes)})", values, **rule)


def ratio(text, numerator, denominator, where, rows="rows", **rule):
    """One number of a row over another, or over 1."""

    def values(result):
        for row in chosen({"rows": result.get(rows, [])}, where):
            if numerator in row and (denominator is None or row.get(denominator)):
                yield row[numerator] / (row[denominator] if denominator else 1), label(row)

    return Claim(
        text,
        f"{numerator}{f' / {denominator}' if denominator else ''} ({described(where, 0, float('inf'))})",
        values,
        **rule,
    )
