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
    if not shutil.which(CONTROL):
        print(f"no {CONTROL} here: nothing is measured under MPS", file=sys.stderr)
        return False
    return True


class Service:
    """It runs for a scope, whose value is the environment of programs that use it. It speaks through a folder."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        self.environment = {"CUDA_MPS_PIPE_DIRECTORY": self.folder.name, "CUDA_MPS_LOG_DIRECTORY": self.folder.name}
        try:
            self.control("-d")
        except BaseException:
            self.folder.cleanup()
            raise
        return self.environment

    def __exit__(self, *_):
        try:
            self.control(text="quit -t 5\n")
        finally:
            self.folder.cleanup()

    def control(self, *arguments, text=None):
        subprocess.run([CONTROL, *arguments], input=text, text=True, env={**os.environ, **self.environment}, timeout=60,
                       stdout=subprocess.DEVNULL, check=True)
