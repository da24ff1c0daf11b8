#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""`typewarp doctor` with programs that were not written for it: what it notes is right, and the programs do what they do without it.

usage: doctor.py <typewarp> <folder of programs> <suffix of programs> -- <launcher>...
       doctor.py --write ...   writes golden.json of what was noted
"""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile

WRITE = "--write" in sys.argv
words = [word for word in sys.argv[1:] if word != "--write"]
typewarp, programs, suffix = words[:3]
launcher = words[4:]
GOLDEN = pathlib.Path(__file__).with_name("golden.json")
RANKS = 2


def expect(condition, what, seen):
    if not condition:
        sys.exit(f"{what}\n{seen}")


def program(name, *arguments):
    return [str(pathlib.Path(programs, f"interpose_doctor_{name}_{suffix}")), *arguments]


def launch(command, ranks=RANKS, before=()):
    done = subprocess.run([*before, *launcher, "-n", str(ranks), *command], capture_output=True, text=True, timeout=240, check=False)
    return done


def doctor(folder, command, ranks=RANKS, options=()):
    report = folder / "report.json"
    done = launch(command, ranks, [typewarp, "doctor", "--json", str(report), *options, "--"])
    expect(report.exists() and report.read_text(), "no report", done)
    return done, json.loads(report.read_text())


def noted(report):
    """What is the same in every run, of every MPI and on every machine."""
    has_lines = shutil.which("addr2line") is not None
    sites = []
    for site in report["sites"]:
        place = site["stack"][0]
        kept = {key: site[key] for key in ("call", "memory", "ranks", "calls", "bytes", "datatypes_made", "sent", "received")}
        kept["communicator ranks"] = site["communicator"]["ranks"]
        kept["pieces of the view"] = site["view"]["pieces"] if site["view"] else 0
        kept["place"] = [place["function"], pathlib.Path(place["file"]).name, place["line"]] if has_lines else None
        sites.append(kept)
    return sorted(sites, key=lambda site: json.dumps(site, sort_keys=True))


def check_golden(folder):
    found = {}
    for name, arguments in {"heat": ["64", "20"], "transpose": ["64", "3"], "particles": ["500", "12"], "io": [str(folder / "io.data"), "32", "2"],
                            "clean": ["512", "10"]}.items():
        alone = launch(program(name, *arguments))
        done, report = doctor(folder, program(name, *arguments))
        expect((alone.returncode, alone.stdout) == (done.returncode, done.stdout) and done.returncode == 0, f"{name} does something else", (alone, done))
        expect(report["exit_status"] == 0 and report["recorded"] == [0, 1] and not report["unfinished"], f"{name}: wrong ranks", report)
        # Time in the MPI is some, and what is lost of it no more than there is.
        expect(all(0 <= site["lost_seconds"] <= site["seconds"] * 1.000001 for site in report["sites"]), f"{name}: wrong times", report)
        found[name] = noted(report)
    if WRITE:
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n")
    expected = json.loads(GOLDEN.read_text())
    for name, sites in found.items():
        for site, other in zip(sites, expected[name]):
            other["place"] = other["place"] if site["place"] else None
            expect(site == other, f"{name}: other than in golden.json", (site, other))
        expect(len(sites) == len(expected[name]), f"{name}: other sites than in golden.json", sites)


def check_findings(folder):
    done, report = doctor(folder, program("transpose", "512", "10"), options=["--html", str(folder / "page.html"), "--explain", "1"])
    expect(re.search(r"\nMPI_Alltoallw at .*transpose\.c:\d+\) receives 1 x .*\n\ntype\n  an item: .*, true extent [1-9]\d*\n.*\n\nlayout\n  repeat", done.stderr) and "\nMPI_Alltoallw at" not in
           done.stderr.split(" receives 1 x ")[-1], "the layout of the first place is not explained, or more are", done)
    first = report["sites"][0]
    expect(first["call"] == "MPI_Alltoallw" and first["received"]["pieces"] == 131072, "the transpose does not come first", report)
    page = (folder / "page.html").read_text()
    expect("MPI_Alltoallw" in page and "transpose.c:" in page and page.rstrip().endswith("</html>") and "http" not in page and "<script" not in page, "the page is not whole, or not by itself", page)
    done, report = doctor(folder, program("particles", "20000", "20"))
    expect("a new datatype for 40 of 40 calls: make and commit it once" in done.stderr, "commits are not told", done)
    done, report = doctor(folder, program("clean"))
    lines = [line for line in done.stderr.splitlines() if line.startswith("typewarp doctor: ")]
    expect(len(lines) == 1 and lines[0].startswith("typewarp doctor: no finding: 2 ranks, "), "a clean code has findings", done)
    done, report = doctor(folder, program("io", str(folder / "io.data"), "64", "2"))
    expect("independent access to 64 pieces of 512 B of a file" in done.stderr, "short pieces of files are not told", done)


def check_abort(folder):
    done, report = doctor(folder, program("aborts"))
    expect(done.returncode == launch(program("aborts")).returncode != 0, "another exit status", done)
    expect("ended without MPI_Finalize: rank 0, 1" in done.stderr and report["unfinished"] == [0, 1], "nobody is told", done)
    calls = {site["call"]: site["calls"] for site in report["sites"]}
    # The last receive of rank 0 has not come back.
    expect(calls["MPI_Ssend"] == 10 and calls["MPI_Recv"] in (10, 11), "calls before the end are lost", calls)


def check_threads(folder):
    done, report = doctor(folder, program("thread_sites"), ranks=1)
    expect(done.returncode == 0 and done.stdout == "threads have ended\n", "does something else", done)
    calls = {site["call"]: (site["calls"], site["bytes"]) for site in report["sites"]}
    expect(calls["MPI_Isend"] == calls["MPI_Irecv"] == (1000, 1000 * 64 * 8), "calls of threads are lost", calls)


def check_wrong_usage(folder):
    for options, text in {("--json",): "--json: needs the name of a file", ("--top", "none", "true"): "--top: 'none': must be a whole number from 1 to 9223372036854775807",
                          ("--nonsense", "true"): "unknown option '--nonsense' (the command follows '--')", (): "no command: typewarp doctor -- mpirun -n 4 ./program",
                          ("--html", str(folder / "nowhere" / "page"), "true"): f"--html: '{folder}/nowhere/page' cannot be written"}.items():
        done = subprocess.run([typewarp, "doctor", *options], capture_output=True, text=True, check=False)
        expect((done.returncode, done.stderr) == (2, f"typewarp doctor: {text}\n"), "wrong usage is not told in a line", done)
    done = subprocess.run([typewarp, "doctor", "--", "no-such-program"], capture_output=True, text=True, check=False)
    expect((done.returncode, done.stderr) == (127, "typewarp doctor: 'no-such-program': there is no such program on the PATH\n"), "runs nothing", done)
    done = subprocess.run([typewarp, "doctor", "--", "sh", "-c", "exit 3"], capture_output=True, text=True, check=False)
    expect(done.returncode == 3 and done.stderr.startswith("typewarp doctor: no rank has noted anything"), "a program without MPI", done)


def check_signals(folder):
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGUSR1):
        process = subprocess.Popen([typewarp, "doctor", "--", "sh", "-c", "echo started; exec sleep 60"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   text=True, env=dict(os.environ, TMPDIR=str(folder)))
        process.stdout.readline()
        expect(len(list(folder.iterdir())) == 1, "there is no folder for what ranks note", list(folder.iterdir()))
        process.send_signal(number)
        told = process.communicate(timeout=60)[1]
        expect(process.returncode == 128 + number and told.startswith("typewarp doctor: no rank has noted anything"), f"signal {number} is not handed on", told)
        expect(not list(folder.iterdir()), "temporary files stay", list(folder.iterdir()))


with tempfile.TemporaryDirectory() as name:
    check_signals(pathlib.Path(name))
    check_wrong_usage(pathlib.Path(name))
    check_golden(pathlib.Path(name))
    check_findings(pathlib.Path(name))
    check_abort(pathlib.Path(name))
    check_threads(pathlib.Path(name))
