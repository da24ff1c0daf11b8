#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Counts what ctest ran, from the files of `ctest --output-junit`, one for each build.

A program whose tests ctest does not know one by one (an MPI test: all of its ranks are one ctest test) says in
its output how many of its own passed, failed and were skipped; those are counted then. So a skip inside it shows.
"""
import argparse
import collections
import dataclasses
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

# Colours, which GoogleTest uses where a launcher gives it a terminal, as ctest's file spells them.
COLOUR = re.compile(r"(\[NON-XML-CHAR-0x1B\]|\x1b)\[[0-9;]*m")
RAN = re.compile(r"^\[==========\] (\d+) tests? from", re.MULTILINE)
SUMMARY = {word: re.compile(rf"^\[ *{word} *\] (\d+) tests?[.,]", re.MULTILINE)
           for word in ("PASSED", "FAILED", "SKIPPED")}
# GoogleTest's "file:line: Skipped" with the reason behind it, and the line that programs and scripts of ours print.
WHY = re.compile(r"(?:^\S*:\d+: Skipped\n|\bskipped: )(?! *\n)(.+)", re.MULTILINE)


@dataclasses.dataclass
class Suite:
    """The tests of one program, or of one program at one number of ranks."""

    name: str
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    seconds: float = 0.0
    failures: list = dataclasses.field(default_factory=list)  # (test, output)
    skips: collections.Counter = dataclasses.field(default_factory=collections.Counter)  # tests by reason


def outcome(case):
    """'passed', 'failed' or 'skipped'; a test that did not run for any other reason than a skip has failed."""
    if case.get("status") == "run" and case.find("failure") is None:
        return "passed"
    skipped = case.find("skipped")
    if case.get("status") == "disabled":
        return "skipped"
    if case.get("status") == "notrun" and skipped is not None and "SKIP" in skipped.get("message", ""):
        return "skipped"
    return "failed"


def reason(case):
    """What ctest says of a failure: "Failed", "Timeout", "SEGFAULT", "Unable to find executable", ..."""
    element = next((e for e in (case.find("failure"), case.find("skipped")) if e is not None), None)
    return "" if element is None else element.get("message", "")


def own_count(output, word):
    """Sums over the program's runs: the number that GoogleTest prints for `word`."""
    return sum(int(number) for number in SUMMARY[word].findall(output))


def output_of(case):
    return COLOUR.sub("", case.findtext("system-out") or "")


def counts_of(case):
    """(passed, failed, skipped) of one ctest test."""
    output = output_of(case)
    result = outcome(case)
    ran = RAN.search(output)
    if ran is None or result == "skipped":
        return [result == word for word in ("passed", "failed", "skipped")]
    passed, failed, skipped = (own_count(output, word) for word in ("PASSED", "FAILED", "SKIPPED"))
    if not passed and not failed and not skipped and result == "passed":
        # A program without tests, or with a filter that matches none. Else a launcher broke the line that counts.
        return (0, 1, 0) if int(ran.group(1)) == 0 else (1, 0, 0)
    # ctest has the last word on failure: a program may die after its last test, or fail on another rank.
    return passed, max(failed, 1) if result == "failed" else 0, skipped


def reasons_of(test, output, skipped):
    """A Counter of the reasons for which `skipped` tests were, which a ctest test's output tells one by one."""
    found = collections.Counter(text.strip().removesuffix(".") for text in WHY.findall(output))
    if skipped == 1 and found:  # each rank may say it
        return collections.Counter([next(iter(found))])
    untold = skipped - found.total()
    return found + collections.Counter({f"no reason given by {test}": untold})


def read_suites(path):
    suites = {}
    for case in ElementTree.parse(path).getroot().iter("testcase"):
        test = case.get("name")
        passed, failed, skipped = counts_of(case)
        name = test if passed + failed + skipped > 1 else test.split(".")[0]
        suite = suites.setdefault(name, Suite(name))
        suite.seconds += float(case.get("time", 0))
        suite.passed += passed
        suite.failed += failed
        suite.skipped += skipped
        if failed:
            suite.failures.append((test, f"{reason(case) or 'No test ran'}\n{output_of(case)}"))
        if skipped:
            suite.skips += reasons_of(test, output_of(case), skipped)
    return list(suites.values())


def totals(suites):
    return {word: sum(getattr(suite, word) for suite in suites) for word in ("passed", "failed", "skipped")}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--missing", action="append", default=[], metavar="STEP",
                        help="a step that failed before its tests could run; counts as one failure")
    parser.add_argument("--skip", action="append", default=[], metavar="WHAT",
                        help="what could not be run at all here; counts as one skipped test")
    parser.add_argument("junit", nargs="*", type=pathlib.Path)
    arguments = parser.parse_args()
    if not arguments.junit:
        arguments.missing.append("no results at all")
    everything = []
    for path in arguments.junit:
        suites = read_suites(path)
        everything += suites
        if sum(totals(suites).values()) == 0:
            arguments.missing.append(f"{path.stem}: no test ran")
        print(f"\n{path.stem}:")
        for suite in suites:
            print(f"  {suite.name:<40} {suite.passed:>6} passed {suite.failed:>4} failed {suite.skipped:>4} skipped"
                  f" {suite.seconds:>8.1f} s")
    for suite in everything:
        for test, output in suite.failures:
            print(f"\n==== FAILED: {test}\n{output.rstrip()}\n====")
    skips = sum((suite.skips for suite in everything), collections.Counter(arguments.skip))
    if skips:
        print("\nSkipped:")
    for why, count in skips.most_common():
        print(f"  {count:>6}  {why}")
    for name in arguments.missing:
        print(f"\n==== FAILED: {name} (see above)")
    total = totals(everything)
    total["failed"] += len(arguments.missing)
    total["skipped"] += len(arguments.skip)
    print(f"\n{total['passed']} passed, {total['failed']} failed, {total['skipped']} skipped")
    sys.exit(total["failed"] > 0)


if __name__ == "__main__":
    main()
