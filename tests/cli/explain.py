#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""`typewarp explain` and `typewarp info` as a user starts them, on any machine.

usage: explain.py <typewarp>
"""
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = sys.argv[1]
VECTOR = "vector(1024, 1, 8, double)"


def run(*words, environment=None):
    return subprocess.run([PROGRAM, *words], capture_output=True, text=True, timeout=120, check=False,
                          env={**os.environ, "XDG_CONFIG_HOME": "/nowhere", **(environment or {})})


def expect(condition, what):
    if not condition:
        raise AssertionError(what)


def output(*words, environment=None):
    done = run(*words, environment=environment)
    expect(done.returncode == 0, f"{words}: {done.stderr}")
    return done.stdout


def refused(text, *words):
    done = run(*words)
    expect(done.returncode == 2, f"{words}: status {done.returncode}")
    expect(done.stderr == text + "\n", f"{words}: {done.stderr!r} is not {text!r}")
    expect(done.stdout == "", f"{words}: {done.stdout}")


def explains(folder):
    text = output("explain", VECTOR)
    for words in ("repeat 1024 x stride 64 of run 8", "pack, device to pinned memory", "pack, host memory", "floor ", "advice"):
        expect(words in text, f"{words!r} is not in {text}")
    gpu = json.loads(output("explain", VECTOR, "--gpu", "--json", "--count", "3"))
    expect(gpu["count"] == 3 and {move["engine"] for move in gpu["moves"]} == {"gpu"}, gpu)
    expect(json.loads(output("explain", "--count=3", VECTOR, "--json"))["count"] == 3, "no value behind '='")
    measured = json.loads(output("explain", VECTOR, "--host", "--json", "--measure"))
    expect(all(move["engine"] == "host" and move["measured_us"] > 0 for move in measured["moves"]), measured)
    expect("NVIDIA H100" in output("explain", VECTOR, "--machine", "h100"), "no name of the machine")
    picture = folder / "picture.svg"
    output("explain", VECTOR, "--picture", str(picture))
    expect(picture.read_text(encoding="utf-8").startswith("<svg "), "no picture")
    file = folder / "type"
    file.write_text("contiguous(3,\n  int)\n", encoding="utf-8")
    expect("contiguous count 3" in output("explain", str(file)), "no type of a file")


def refuses(folder):
    start = "typewarp explain: "
    refused(start + "TYPE is required", "explain")
    refused(start + "column 7: there is no datatype 'dubble'", "explain", "  dup(dubble)")
    refused(start + "--machine: 'h300': must be h200 or h100", "explain", "int", "--machine", "h300")
    refused(start + f"'{folder}/none': cannot be read", "explain", f"{folder}/none")
    with open("/dev/full", "w", encoding="utf-8") as full:
        for words in (("explain", "int"), ("info",)):
            done = subprocess.run([PROGRAM, *words], stdout=full, stderr=subprocess.PIPE, text=True, timeout=120, check=False)
            expect(done.returncode == 1 and done.stderr == f"typewarp {words[0]}: standard output cannot be written\n", done)
    refused(start + "--picture: 'a.png' must end in .svg: no other kind is drawn", "explain", "int", "--picture", "a.png")
    refused(start + "--picture: '/nowhere/a.svg' cannot be written", "explain", "int", "--picture", "/nowhere/a.svg")
    for count in ("-1", "1.5", "many", "99999999999999999999"):
        refused(start + f"--count: '{count}': must be a whole number from 0 to 9223372036854775807", "explain", "int", "--count", count)
    refused(start + "--gpu excludes --host", "explain", "int", "--gpu", "--host")
    misspelt = folder / "misspelt"
    misspelt.write_text("dup(\ndubble)", encoding="utf-8")
    refused(start + f"'{misspelt}': column 6: there is no datatype 'dubble'", "explain", str(misspelt))
    refused("typewarp info: unknown option '--fast'", "info", "--fast")
    refused("typewarp info: no argument is expected, not 'fast'", "info", "fast")
    refused(start + "one TYPE is expected, not also 'double'", "explain", "int", "double")
    refused(start + "--picture: needs the name of a file", "explain", "int", "--picture")
    refused(start + "unknown option '--json=1'; did you mean '--json'?", "explain", "int", "--json=1")
    refused(start + "unknown option '--cuont'; did you mean '--count'?", "explain", "int", "--cuont", "4")
    refused(start + "unknown option '--cuont=4'; did you mean '--count'?", "explain", "int", "--cuont=4")
    refused(start + "unknown option '--mach'; did you mean '--machine'?", "explain", "int", "--mach", "h200")
    done = run("expalin", "int")
    expect(done.returncode == 2 and done.stderr.startswith("typewarp: there is no subcommand 'expalin'; did you mean 'explain'?\n"), done)


def names_hints_as_users_write_them(_):
    for hint, rule in (("avoid=foo", "foo: must be"), ("aviod=copy_engines", "aviod: must be one of"), ("priority=x", "x: must be"), ("max_blocks=-1", "-1: must be"),
                       ("max_blocks=9999999999999999999999", "must be"), ("method=nothing", "nothing: must be"), ("=x", "(empty): must be one of")):
        done = run("explain", "int", "--hint", hint)
        expect(done.returncode == 2 and done.stderr.startswith(f"typewarp explain: --hint: '{hint}': ") and rule in done.stderr, done.stderr)
    for words in (["--hint", "avoid=foo"], ["--count", "9223372036854775807"], ["vecor(1)"], ["vector(1, 2)"], ["contiguous(-1, int)"]):
        done = run("explain", "vector(9223372036854775807, 1, 2, double)" if words[0] == "--count" else "int" if words[0] == "--hint" else words[0],
                   *(words if words[0].startswith("--") else []))
        expect(done.returncode == 2 and "typewarp::" not in done.stderr, done.stderr)


def completes(_):
    """What bash's function offers is what the program takes: each option of each subcommand's help."""
    script = output("completion", "bash")
    code = script + 'COMP_WORDS=("${@}"); COMP_CWORD=$(($# - 1)); _typewarp; printf "%s\\n" "${COMPREPLY[@]}"'

    def offered(*words):
        done = subprocess.run(["bash", "-c", code, "bash", "typewarp", *words], capture_output=True, text=True, timeout=60, check=True)
        expect(done.stderr == "", done.stderr)
        return set(done.stdout.split())

    subcommands = {line.split()[0] for line in output("--help").splitlines() if line.startswith("  ")}
    expect(offered("") == subcommands | {"--help", "--version"} and offered("exp") == {"explain"}, offered(""))
    for name in subcommands - {"completion"}:
        told = {word.strip(",") for line in output(name, "--help").splitlines() for word in line.split()[:1] + line.split(",")[1:2]
                if line.startswith("  -") for word in word.split()[:1] if word.startswith("--")}
        expect(told and told <= offered(name, "--") and offered(name, "--") - told <= {"--help"}, (name, told, offered(name, "--")))
        for shell in ("zsh", "fish"):
            text = output("completion", shell)
            expect(all(option in text or f"-l {option[2:]} " in text for option in told), (shell, name))
    expect(offered("completion", "z") == {"zsh"}, "no names of shells")
    expect("ls" in offered("run", "--", "l"), "no programs behind --")
    if path := shutil.which("fish"):
        def offered_by_fish(line):
            done = subprocess.run([path, "--no-config", "-c", "source; complete -C $argv[1]", line], input=output("completion", "fish"),
                                  capture_output=True, text=True, timeout=60, check=True)
            return {found.split()[0] for found in done.stdout.splitlines()}

        expect(offered_by_fish("typewarp ") == subcommands and offered_by_fish("typewarp completion ") == {"bash", "zsh", "fish"}, "fish")
        for name in subcommands - {"completion"}:
            expect(offered_by_fish(f"typewarp {name} --") == offered(name, "--"), (name, offered_by_fish(f"typewarp {name} --")))
    for shell in ("zsh", "fish"):
        if path := shutil.which(shell):
            done = subprocess.run([path, "-n"], input=output("completion", shell), capture_output=True, text=True, timeout=60, check=False)
            expect(done.returncode == 0, done.stderr)
    refused("typewarp completion: must be told one shell: bash, zsh or fish, not 'tcsh'", "completion", "tcsh")
    refused("typewarp completion: must be told one shell: bash, zsh or fish", "completion")


def informs(folder):
    launchers = folder / "bin"
    launchers.mkdir()
    (folder / "lib").mkdir()
    (folder / "lib" / "libmpi.so.12").touch()
    mpiexec = launchers / "mpiexec"
    mpiexec.write_text("#!/bin/sh\necho 'HYDRA build details:'\necho '    Version:     4.2.1'\n", encoding="utf-8")
    mpiexec.chmod(0o755)
    (launchers / "mpirun").symlink_to(mpiexec)
    profile = folder / "profile"
    profile.write_text("", encoding="utf-8")
    facts = json.loads(output("info", "--json", environment={"PATH": f"{launchers}", "TYPEWARP_PROFILE": str(profile)}))
    expect(len(facts["mpis"]) == 1, facts["mpis"])
    mpi = facts["mpis"][0]
    expect(mpi["version"] == "HYDRA 4.2.1" and mpi["abi"] == "mpich" and mpi["library"].endswith("libmpi.so.12"), mpi)
    expect(facts["profile"] == {"path": str(profile), "named_by_environment": True, "used": True}, facts["profile"])
    expect(facts["gpu"]["usable"] or facts["gpu"]["problem"], facts["gpu"])
    expect(facts["threads"] > 0 and facts["processor"], facts)
    mpiexec.write_text("#!/bin/sh\nexec /bin/sleep 1000\n", encoding="utf-8")
    slow = json.loads(output("info", "--json", environment={"PATH": f"{launchers}"}))
    expect(slow["mpis"][0]["version"] == "", slow["mpis"])
    nothing = output("info", environment={"PATH": str(folder), "HOME": str(folder), "XDG_CONFIG_HOME": "", "CUDA_VISIBLE_DEVICES": ""})
    for words in ("typewarp   ", "GPUs       none: ", "missing    no mpiexec or mpirun on the PATH", "missing    no profile of messages on this machine"):
        expect(words in nothing, f"{words!r} is not in {nothing}")


with tempfile.TemporaryDirectory() as name:
    for check in (explains, refuses, names_hints_as_users_write_them, completes, informs):
        place = pathlib.Path(name).resolve() / check.__name__
        place.mkdir()
        check(place)
