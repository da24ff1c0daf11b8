# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""What the scripts that run the benchmarks share: what they find out of the machine, and types for argparse."""
import argparse
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[1]


def everything(command):
    """What a command prints; nothing if it is not there or fails."""
    try:
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        return ""


def first_line(command):
    return next(iter(everything(command).splitlines()), "").strip()


def python_path(package):
    """Where programs find `package` first, and then what the user has."""
    return os.pathsep.join([str(package), *filter(None, [os.environ.get("PYTHONPATH")])])


def cpu():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return os.uname().machine


def available_mib():
    """Of memory that programs can have without swapping."""
    return int(re.search(r"MemAvailable: +(\d+) kB", pathlib.Path("/proc/meminfo").read_text(encoding="utf-8"))[1]) >> 10


def gpu_machine(gpus):
    """The name of a machine with so many GPUs, by the model of the first: h200-2gpu; nothing if it has none."""
    gpu = first_line(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]).removeprefix("NVIDIA ").split()
    return f"{gpu[0].lower()}-{gpus}gpu" if gpu else ""


def regular_expression(text):
    """A type for argparse: text that is one."""
    try:
        re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text}: not a regular expression: {error}") from None
    return text
