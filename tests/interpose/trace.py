#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the timelines that the preloaded library writes of the program of program.c.

usage: trace.py <libtypewarp_mpi.so> -- <launcher>... -- <program>...
"""
import collections
import json
import os
import pathlib
import sys
import tempfile

from launching import launch, split, with_settings

(library,), launcher, program = split(sys.argv[1:])
RANKS = 3
ROUNDS = 10
COLUMN_BYTES = 24
COLUMN = "vector count 6, blocklength 1, stride 4"


def expect(condition, what, seen):
    if not condition:
        sys.exit(f"{what}\n{seen}")


def run(pattern, ranks, *arguments, **settings):
    settings = {"LD_PRELOAD": library, "TYPEWARP_TRACE": pattern, **settings}
    return launch([*launcher, "-n", str(ranks), *with_settings([*program, *arguments], settings)], timeout=240)


def check_calls(events, rank, method):
    calls = [event for event in events if event["ph"] == "X"]
    expect(all(event["pid"] == rank and event["dur"] >= 0 for event in events if event["ph"] == "X"), "wrong calls", calls)
    names = collections.Counter(event["name"] for event in calls)
    expect(names["MPI_Send"] == names["MPI_Irecv"] == names["MPI_Wait"] == ROUNDS, "wrong numbers of calls", names)
    sends = [event["args"] for event in calls if event["name"] == "MPI_Send"]
    expected = [(COLUMN_BYTES, (rank + 1) % RANKS, tag, method) for tag in range(ROUNDS)]
    expect([(args["bytes"], args["peer"], args["tag"], args["method"]) for args in sends] == expected, "wrong sends", sends)
    expect(all(COLUMN in args["type"] for args in sends), "wrong types", sends)
    # The program has one thread: no call begins before the one before it has ended, but for rounding.
    ends = sorted((event["ts"], event["ts"] + event["dur"]) for event in calls)
    expect(all(one[1] <= other[0] + 0.002 for one, other in zip(ends, ends[1:])), "calls overlap", ends)


def check_requests(events, expected):
    begun = {event["id"]: event["ts"] for event in events if event["ph"] == "b"}
    ended = {event["id"]: event["ts"] for event in events if event["ph"] == "e"}
    expect(len(begun) == expected and begun.keys() == ended.keys(), "wrong numbers of requests", (begun, ended))
    expect(all(begun[number] <= ended[number] for number in begun), "requests end before they begin", (begun, ended))


def check_complete(folder):
    # A transport, which there is on hosts with a GPU, uses CUDA, and takes all receives.
    for settings, method, requests in (({"TYPEWARP_TRANSPORT": "0"}, "GPU not in use", 0), ({"TYPEWARP_TAKE": "all"}, "ours", ROUNDS)):
        done = run(folder / "timeline.json", RANKS, **settings)
        expect(done.returncode == 0, "the program failed", done)
        for rank in range(RANKS):
            events = json.loads((folder / f"timeline.{rank}.json").read_text())
            check_calls(events, rank, method)
            check_requests(events, requests)
            paths = {event["args"].get("method") for event in events if event["name"] == "MPI_Alltoallw"}
            expect(method != "ours" or paths == {"exchange"}, "a wrong path of a collective call", paths)


def check_names(folder):
    done = run(folder / "of-%r-%p", 1)
    files = [path.name for path in folder.glob("of-0-*")]
    expect(done.returncode == 0 and len(files) == 1 and files[0].removeprefix("of-0-").isdigit(), "wrong name", files)
    done = run(folder / "nowhere" / "timeline", 1)
    expect(done.returncode == 0 and "typewarp: TYPEWARP_TRACE: " in done.stderr, "nobody is told", done)


def check_links(folder):
    """The user's own link is followed, and one that another user has put there is replaced."""
    (folder / "target").touch()
    (folder / "own.0.json").symlink_to("target")
    run(folder / "own", 1)
    expect((folder / "own.0.json").is_symlink() and json.loads((folder / "target").read_text()), "the link is not followed", "")
    if os.geteuid() != 0:
        return  # who cannot give a link away
    (folder / "victim").write_text("precious")
    link = folder / "others.0.json"
    link.symlink_to("victim")
    os.chown(link, 12345, 12345, follow_symlinks=False)
    run(folder / "others", 1)
    expect((folder / "victim").read_text() == "precious", "the link of another was followed", "")
    expect(not link.is_symlink() and json.loads(link.read_text()), "no timeline in place of the link", "")


def check_killed(folder):
    """What was written a second before the end is there, and lacks the closing bracket only."""
    done = run(folder / "killed", 1, "killed")
    text = (folder / "killed.0.json").read_text()
    expect(done.returncode != 0, "the program was not killed", done)
    names = collections.Counter(event["name"] for event in json.loads(text + "]"))
    expect(names["MPI_Send"] >= ROUNDS, "events are lost", text)


with tempfile.TemporaryDirectory() as name:
    check_complete(pathlib.Path(name))
    check_names(pathlib.Path(name))
    check_links(pathlib.Path(name))
    check_killed(pathlib.Path(name))
