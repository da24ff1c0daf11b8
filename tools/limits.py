# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Numbers that have a limit, and the exceptions of tools/exceptions.toml: what exceeds a limit today, which may only shrink."""
import re
import tomllib

FILE = "tools/exceptions.toml"


def exceptions(root):
    file = root / FILE
    return tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}


def compare(root, maximum, said, numbers):
    """(lines for numbers that exceed their limit, lines for exceptions that may go or shrink).

    `numbers`: of each rule, {key: (number, where)}; `said`: of each rule, a text with places for key, number and where.
    """
    exceeded, unneeded = [], []
    for rule, limit in maximum.items():
        allowed = exceptions(root).get(rule, {})
        for key, (number, where) in numbers[rule].items():
            may = allowed.get(key, limit)
            if number > may:
                exceeded.append(f"{said[rule].format(key, number, where)}, more than {may}"
                                + (f", the exception in {FILE}" if key in allowed else ""))
        for key, may in allowed.items():
            number = numbers[rule].get(key, (0,))[0]
            if number <= limit:
                unneeded.append(f"{FILE}: [{rule}] {key} = {may}: delete it ({number}, at most {limit} without an exception)")
            elif number < may:
                unneeded.append(f"{FILE}: [{rule}] {key} = {may}: write {number}")
    return exceeded, unneeded


def shrink(root, maximum, numbers):
    """Writes the exceptions that are still needed, with today's numbers. None is added, none grows."""
    rule, kept = "", []
    for line in (root / FILE).read_text(encoding="utf-8").splitlines(keepends=True):
        rule = match[1] if (match := re.match(r"\[(\w+)\]", line)) else rule
        entry = re.match(r'("?)([^"=]+?)\1 = (\d+)', line)
        if entry and rule in maximum:
            number = numbers[rule].get(entry[2], (0,))[0]
            if number <= maximum[rule]:
                continue
            line = line.replace(f"= {entry[3]}", f"= {min(number, int(entry[3]))}", 1)
        kept.append(line)
    (root / FILE).write_text("".join(kept), encoding="utf-8")
