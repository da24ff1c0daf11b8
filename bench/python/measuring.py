# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the programs of this folder share: the rows that they print, a JSON object a line, and how they take times."""
import argparse
import json
import statistics
import time

TURNS = 7
SECONDS_A_TURN = 0.01


def tell(**values):
    print(json.dumps(values), flush=True)


def rows_asked_for(description, rows):
    """The rows that the command line asks for, each with its number and whether it would begin too late. Who is told so stops before
    it, and tells of that."""
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("--seconds", type=float, default=300, help="no row begins later (default: %(default)s)")
    parser.add_argument("--from", dest="first", type=int, default=0, help="number of the first row")
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.seconds
    for index, row in enumerate(rows):
        if index >= arguments.first:
            yield index, row, time.monotonic() > end


def medians(calls, synchronize, before=lambda: None, agreed=lambda times: times):
    """Microseconds of each call, a median of turns that the calls take one after the other. A turn makes a call often enough to
    last, and waits for the device once; `before` is called ahead of it. `agreed` makes the number of calls the same in all ranks."""
    def turn(call, times):
        before()
        begin = time.perf_counter()
        for _ in range(times):
            call()
        synchronize()
        return (time.perf_counter() - begin) / times

    for call in calls.values():
        turn(call, 1)
    times = {name: agreed(max(1, min(2000, round(SECONDS_A_TURN / turn(call, 3))))) for name, call in calls.items()}
    taken = {name: [] for name in calls}
    for _ in range(TURNS):
        for name, call in calls.items():
            taken[name].append(turn(call, times[name]))
    return {name: statistics.median(each) * 1e6 for name, each in taken.items()}
