# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The Multi-Process Service, by which the processes of several ranks use one GPU at once instead of by turns."""
import os
import shutil
import subprocess
import sys
import tempfile

CONTROL = "nvidia-cuda-mps-control"


def mps_is_here():
    return bool(shutil.which(CONTROL))


class Service:
    """It runs for a scope, whose value is the environment of programs that use it. It speaks through a folder, which stays where it does
    not end, since there is no other way to it."""

    def __enter__(self):
        self.folder = tempfile.mkdtemp()
        self.environment = {"CUDA_MPS_PIPE_DIRECTORY": self.folder, "CUDA_MPS_LOG_DIRECTORY": self.folder}
        try:
            self.control("-d")
        except BaseException:
            self.remove()
            raise
        return self.environment

    def __exit__(self, *_):
        try:
            self.control(text="quit -t 5\n")
        except (OSError, subprocess.SubprocessError) as error:
            print(f"CUDA_MPS_PIPE_DIRECTORY={self.folder}: the service does not end: {error}", file=sys.stderr)
        else:
            self.remove()

    def remove(self):
        # It may still write there while it ends.
        shutil.rmtree(self.folder, ignore_errors=True)

    def control(self, *arguments, text=None):
        # A service that sees some GPUs only numbers them anew: then programs, which name theirs, find others or none.
        environment = {name: value for name, value in os.environ.items() if name != "CUDA_VISIBLE_DEVICES"}
        subprocess.run([CONTROL, *arguments], input=text, text=True, env={**environment, **self.environment},
                       timeout=60, stdout=subprocess.DEVNULL, check=True)
