#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Shows that the tests catch faults: makes those of tests/mutants.toml, one at a time, builds, and runs the test that must fail.

All of it happens in a copy of the sources, build/mutants. Words behind -- go to CMake: -DTYPEWARP_CUDA=OFF leaves out what takes long.
What was found is kept in tests/mutants.json, from which tools/readme.py makes the table of docs/internals/mutants.md.
"""
import argparse
import dataclasses
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import time
import tomllib

ROOT = pathlib.Path(__file__).resolve().parents[1]
MUTANTS = ROOT / "tests/mutants.toml"
FOUND = ROOT / "tests/mutants.json"
COPIED = ("CMakeLists.txt", "CMakePresets.json", "apps", "bench", "cmake", "docs", "examples", "include", "packaging", "pyproject.toml", "python", "src", "tests", "tools")
LEAST = 40


@dataclasses.dataclass
class Mutant:
    fault: str
    text: str
    becomes: str
    target: str
    test: str


def read_mutants(path):
    return [Mutant(**entry) for entry in tomllib.loads(path.read_text(encoding="utf-8"))["mutant"]]


def sources(root):
    """Text by path of what may be mutated."""
    return {path: path.read_text(encoding="utf-8") for folder in ("src", "include", "python/src") for path in sorted((root / folder).rglob("*"))
            if path.suffix in (".cpp", ".hpp", ".ipp", ".cu", ".cuh", ".h")}


def places(mutant, texts):
    """Paths, one for each time that the mutant's text occurs."""
    return [path for path, text in texts.items() for _ in range(text.count(mutant.text))]


def problems(mutants, texts):
    if len(mutants) < LEAST:
        yield f"{len(mutants)} mutants, fewer than {LEAST}"
    for mutant in mutants:
        found = places(mutant, texts)
        if len(found) != 1:
            yield f"{mutant.fault}: its text is found {len(found)} times, not once: {mutant.text.strip()}"
        if mutant.becomes == mutant.text:
            yield f"{mutant.fault}: changes nothing"
    for fault in {mutant.fault for mutant in mutants if sum(other.fault == mutant.fault for other in mutants) > 1}:
        yield f"{fault}: more than one mutant is called so"


def tests_of(build):
    listed = subprocess.check_output(["ctest", "--test-dir", build, "--show-only=json-v1"], text=True)
    return [test["name"] for test in json.loads(listed)["tests"]]


def missing(mutants, names, mpi):
    """Faults whose test is not among these names, so that a run of them would not catch it."""
    for mutant in mutants:
        test = mutant.test.replace("{mpi}", mpi)
        if not any(re.fullmatch(test, name) for name in names):
            yield f"{mutant.fault}: there is no test {test}"


def check_registered(mutants, build):
    """Some faults are caught over one MPI alone: a build without that MPI lacks the test, and is told so."""
    names = tests_of(build)
    wrong = list(missing(mutants, names, main_mpi(pathlib.Path(build))))
    lacks = [title for mpi, title in (("mpich", "MPICH"), ("openmpi", "Open MPI")) if not any(f".{mpi}" in name for name in names)]
    if wrong and lacks:
        print(*wrong, f"skipped: this build has no {' and no '.join(lacks)}, which these tests may need", sep="\n")
        sys.exit(77)
    if wrong:
        sys.exit("\n".join(wrong))


def main_mpi(build):
    found = re.search(r"^TYPEWARP_MAIN_MPI:INTERNAL=(.+)$", (build / "CMakeCache.txt").read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else "none"


class Workshop:
    """A copy of the sources, which is built and tested."""

    def __init__(self, folder, options, log, seconds):
        self.folder, self.log, self.seconds = folder, log, seconds
        folder.mkdir(parents=True, exist_ok=True)
        for name in COPIED:
            self.update(ROOT / name, folder / name)
        if not (folder / ".tools").exists():
            (folder / ".tools").symlink_to(ROOT / ".tools")
        # A fault may leave something unused.
        if self.run("cmake", "--preset", "release", "-DTYPEWARP_WERROR=OFF", "-DTYPEWARP_NIGHTLY=ON", *options) != 0:
            sys.exit(f"cannot be configured: see {log}")
        self.mpi = main_mpi(folder / "build/release")

    @staticmethod
    def update(source, copy):
        """As rsync would: what is as it was keeps its time, and is not built again."""
        if source.is_dir():
            copy.mkdir(exist_ok=True)
            for gone in {path.name for path in copy.iterdir()} - {path.name for path in source.iterdir()}:
                path = copy / gone
                shutil.rmtree(path) if path.is_dir() else path.unlink()
            for path in source.iterdir():
                Workshop.update(path, copy / path.name)
        elif not copy.exists() or copy.read_bytes() != source.read_bytes():
            shutil.copy(source, copy)

    def run(self, *command, timeout=None):
        """Exit status; None: it did not end."""
        with self.log.open("a", encoding="utf-8") as log:
            print(f"\n$ {' '.join(command)}", file=log, flush=True)
            # A fault is caught by one test: those behind it need not run.
            with subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log, stdin=subprocess.DEVNULL,
                                  start_new_session=True, env={**os.environ, "GTEST_FAIL_FAST": "1"}) as started:
                try:
                    return started.wait(timeout)
                except subprocess.TimeoutExpired:
                    os.killpg(started.pid, signal.SIGTERM)  # launchers end their ranks
                    return None

    def named(self, text):
        return text.replace("{mpi}", self.mpi)

    def build(self, mutant):
        return self.run("cmake", "--build", "--preset", "release", "--target", *self.named(mutant.target).split()) == 0

    def test(self, mutant):
        """'passed', 'failed', or 'without an end'."""
        status = self.run("ctest", "--preset", "release", "-R", f"^{self.named(mutant.test)}$", timeout=self.seconds)
        return "without an end" if status is None else "passed" if status == 0 else "failed"


def verdict(workshop, mutant, sound):
    """(caught, what became of it); None for caught: not tried. `sound`: what tests said without any fault, by test."""
    if not workshop.build(mutant):
        return None, "not tried: this build has no such test"
    if mutant.test not in sound:
        sound[mutant.test] = workshop.test(mutant)
    if sound[mutant.test] != "passed":
        return None, f"not tried: {workshop.named(mutant.test)} {sound[mutant.test]} without it"
    file, = places(mutant, sources(workshop.folder))
    before = file.read_text(encoding="utf-8")
    file.write_text(before.replace(mutant.text, mutant.becomes), encoding="utf-8")
    try:
        if not workshop.build(mutant):
            return None, "not tried: does not compile"
        ended = workshop.test(mutant)
    finally:
        file.write_text(before, encoding="utf-8")
    caught = ended != "passed"
    return caught, f"{'' if caught else 'NOT CAUGHT: '}{workshop.named(mutant.test)} {ended}".replace("\\", "")


def keep(mutants, fault, found):
    """Adds what was found of a fault to the file, and drops what is a mutant no more."""
    all_found = json.loads(FOUND.read_text(encoding="utf-8")) if FOUND.exists() else {}
    all_found[fault] = found
    kept = {mutant.fault: all_found[mutant.fault] for mutant in mutants if mutant.fault in all_found}
    FOUND.write_text(json.dumps(kept, indent=1) + "\n", encoding="utf-8")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--list", action="store_true", help="print the faults and the tests that must catch them")
    parser.add_argument("--check", action="store_true", help="check only that each fault can be made")
    parser.add_argument("--registered", metavar="BUILD", help="check besides that the tests of this build hold those that must catch them")
    parser.add_argument("--only", default="", metavar="REGEX", help="those whose fault, file or test matches")
    parser.add_argument("--seconds", type=float, default=300, help="a test that takes longer does not end")
    parser.add_argument("cmake", nargs="*", help="options for CMake, behind --")
    arguments = parser.parse_args()
    mutants, texts = read_mutants(MUTANTS), sources(ROOT)
    if wrong := list(problems(mutants, texts)):
        sys.exit("\n".join(wrong))
    file_of = {mutant.fault: str(places(mutant, texts)[0].relative_to(ROOT)) for mutant in mutants}
    chosen = [mutant for mutant in mutants
              if re.search(arguments.only, f"{mutant.fault}\n{file_of[mutant.fault]}\n{mutant.test}\n{mutant.target}")]
    if not chosen:
        sys.exit(f"--only {arguments.only}: matches no fault")
    if arguments.registered:
        check_registered(mutants, arguments.registered)
    if arguments.check:
        print(f"{len(mutants)} faults can be made")
        return
    if arguments.list:
        for mutant in chosen:
            print(f"{file_of[mutant.fault]}: {mutant.fault}: {mutant.test}")
        return
    log = ROOT / "build/logs/mutants.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    log.write_text("", encoding="utf-8")
    workshop = Workshop(ROOT / "build/mutants", arguments.cmake, log, arguments.seconds)
    commit = subprocess.check_output(["git", "describe", "--always", "--dirty"], cwd=ROOT, text=True).strip()
    sound, verdicts = {}, []
    print("| fault | file | outcome | s |\n| --- | --- | --- | --- |")
    for mutant in chosen:
        start = time.monotonic()
        caught, outcome = verdict(workshop, mutant, sound)
        verdicts.append(caught)
        if caught is not None:
            keep(mutants, mutant.fault, {"outcome": outcome, "commit": commit})
        print(f"| {mutant.fault} | `{file_of[mutant.fault]}` | {outcome} | {time.monotonic() - start:.0f} |", flush=True)
    print(f"\n{verdicts.count(True)} caught, {verdicts.count(False)} not caught, {verdicts.count(None)} not tried")
    sys.exit(verdicts.count(True) < len(chosen))


if __name__ == "__main__":
    main()
