#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""`typewarp tune` and `typewarp bench` as a user starts them, on any machine.

usage: tune.py <typewarp>
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
from xml.etree import ElementTree

PROGRAM = sys.argv[1]


def run(*words, environment=None, program=PROGRAM):
    return subprocess.run([program, *words], capture_output=True, text=True, timeout=170, check=False,
                          env={**os.environ, **(environment or {})})


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def refused(text, *words, environment=None):
    done = run(*words, environment=environment)
    expect(done.returncode == 2, f"{words}: status {done.returncode}")
    expect(done.stderr.startswith(text) and done.stderr.count("\n") == 1, f"{words}: {done.stderr!r} is not {text!r}")
    expect(done.stdout == "", f"{words}: {done.stdout}")


def refuses(_):
    start = "typewarp tune: "
    refused(start + "--messages: needs a launcher of two ranks: typewarp tune --messages -- mpirun -n 2\n", "tune", "--messages")
    refused(start + "'mpirun': only --messages takes a launcher\n", "tune", "--", "mpirun")
    refused(start + "--seconds: ", "tune", "--seconds", "500")
    no_gpu = {"CUDA_VISIBLE_DEVICES": ""}
    done = run("tune", environment=no_gpu)
    expect(done.returncode == 2 and done.stderr.count("\n") == 1, done)
    expect(done.stderr.startswith(start + "there is no usable GPU to measure")
           or done.stderr == start + "no GPU engine is built in: there is nothing to measure\n", done.stderr)


def tunes(folder):
    """The machine's own profile is what explain takes, once there is one."""
    config = {"XDG_CONFIG_HOME": str(folder)}
    facts = json.loads(run("info", "--json", environment=config).stdout)
    machine = facts["machine_profile"]
    own = folder / "typewarp" / "machine.json"
    expect(machine["path"] == str(own) and not machine["used"], machine)
    if facts["gpu"]["usable"]:
        done = run("tune", "--seconds", "4", environment=config)
        expect(done.returncode == 0, done)
        expect("device to host" in done.stdout and f"wrote {own}" in done.stdout, done.stdout)
        expect([file.name for file in own.parent.iterdir()] == ["machine.json"], "something else is there")
        profile = json.loads(own.read_text(encoding="utf-8"))
        expect(profile["gpu"] == facts["gpu"]["devices"][0]["name"] and len(profile["ratios"]) > 20, profile)
        before = own.read_bytes()
        done = run("tune", "--seconds", "2", "--dry-run", environment=config)
        expect(done.returncode == 0 and "wrote nothing" in done.stdout and own.read_bytes() == before, done)
    else:
        own.parent.mkdir()
        shipped = json.loads((pathlib.Path(__file__).parents[2] / "src/explain/profiles/h200.json").read_text(encoding="utf-8"))
        own.write_text(json.dumps({**shipped, "name": "machine"}), encoding="utf-8")
    machine = json.loads(run("info", "--json", environment=config).stdout)["machine_profile"]
    expect(machine["used"] and machine["name"] == "machine", machine)
    explained = json.loads(run("explain", "vector(1024, 1, 8, double)", "--gpu", "--json", environment=config).stdout)
    expect(explained["profile"] == "machine", explained["profile"])
    own.write_text('{"version": 1}', encoding="utf-8")
    refused(f"typewarp explain: {own} = $.name: is missing\n", "explain", "int", environment=config)
    machine = json.loads(run("info", "--json", environment=config).stdout)["machine_profile"]
    expect(not machine["used"] and machine["problem"].endswith("$.name: is missing"), machine)


def tunes_messages(folder):
    """By a tuner beside the program, and the launcher of an MPI; both are stand-ins that tell what they were given."""
    for name in ("bin", "lib", "mpi"):
        (folder / name).mkdir()
    program = folder / "mpi" / "typewarp"
    shutil.copy(PROGRAM, program)
    (folder / "lib" / "libmpi.so.12").touch()
    launcher = folder / "bin" / "mpiexec"
    launcher.write_text("#!/bin/sh\n[ \"$1\" = --version ] && echo 'HYDRA build details: Version: 4.2.1' && exit\nprintf '%s\\n' \"$*\"\nexit 3\n", encoding="utf-8")
    launcher.chmod(0o755)
    environment = {"PATH": f"{folder / 'bin'}:/bin:/usr/bin", "TYPEWARP_PROFILE": "/x/profile"}
    done = run("tune", "--messages", "--", "mpiexec", "-n", "2", environment=environment, program=program)
    expect(done.returncode == 2 and "there is no typewarp_tune_mpich beside this program" in done.stderr, done)
    tuner = folder / "mpi" / "typewarp_tune_mpich"
    tuner.touch()
    done = run("tune", "--messages", "--", "mpiexec", "-n", "2", environment=environment, program=program)
    expect(done.returncode == 3 and done.stdout == f"-n 2 {tuner} --output /x/profile\n", done)
    done = run("tune", "--messages", "--output", "here", "--", str(launcher), "-n", "2", environment=environment, program=program)
    expect(done.stdout == f"-n 2 {tuner} --output here\n", done)
    done = run("tune", "--messages", "--dry-run", "--", str(launcher), environment=environment, program=program)
    expect(done.stdout == f"{tuner}\n", done)
    done = run("tune", "--messages", "--", "mpirun_of_nothing", environment=environment, program=program)
    expect(done.returncode == 127, done)


def benches(folder):
    done = run("bench", "--host", "--json", "--seconds", "1")
    expect(done.returncode == 0, done)
    rows = json.loads(done.stdout)["rows"]
    expect(len(rows) == 48 and {row["memory"] for row in rows} == {"host"}, f"{len(rows)} rows")
    expect(all(row["us"] > 0 and row["other_us"] > 0 and row["floor_us"] is None for row in rows), rows)
    plot = folder / "bench.svg"
    text = run("bench", "--host", "--seconds", "1", "--plot", str(plot))
    drawn = ElementTree.parse(plot).getroot()
    expect(sum(one.text.startswith("8 B of each 64, ") for one in drawn if one.text) == 6, "not all rows are drawn")
    refused("typewarp bench: --plot: 'a.png' must end in .svg", "bench", "--plot", "a.png")
    expect("Geometric means" in text.stdout and "plain loops of memcpy" in text.stdout, text)
    refused("typewarp bench: --seconds: ", "bench", "--seconds", "0")


with tempfile.TemporaryDirectory() as name:
    for check in (refuses, tunes, tunes_messages, benches):
        place = pathlib.Path(name).resolve() / check.__name__
        place.mkdir()
        check(place)
