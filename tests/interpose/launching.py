# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""How the tests here start MPI programs."""
import os
import shutil
import subprocess

ATTEMPTS = 2
# Open MPI's launcher gives up like this now and then, before it starts any program.
FAILED_TO_START = "PMIx server's listener thread failed to start"


def split(words, separator="--"):
    """(ours, the launcher's, the program's) of a command line with two separators."""
    first = words.index(separator)
    second = words.index(separator, first + 1)
    return words[:first], words[first + 1:second], words[second + 1:]


def with_settings(program, settings):
    """Words for a launcher: the settings are for the ranks only, not for the launcher."""
    return ["env", *(f"{name}={value}" for name, value in settings.items()), *program]


def launch(command, timeout):
    """What became of the command, which sees none of our settings that are not part of it."""
    environment = {name: value for name, value in os.environ.items() if not name.startswith("TYPEWARP_")}
    for _ in range(ATTEMPTS):
        done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=timeout, check=False)
        if FAILED_TO_START not in done.stderr:
            break
    return done


def has_gpu():
    """Or emulated ones."""
    if "EMULATED_DEVICES" in os.environ:
        return True
    return shutil.which("nvidia-smi") and subprocess.run(["nvidia-smi", "-L"], capture_output=True, check=False).returncode == 0
