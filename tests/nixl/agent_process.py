#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""An agent of NIXL in a process of its own, whose back end is Typewarp's, and what other programs need to tell it what
to do. It has no will of its own: calls come by stdin, answers go by stdout.

usage: agent_process.py <name of the agent> <CUDA runtime>
"""

import ctypes
import importlib.util
import os
import pathlib
import pickle
import select
import subprocess
import sys
import time
import zlib

SKIPPED = 77


def skip(reason):
    print("skipped:", reason)
    sys.exit(SKIPPED)


def require(folder):
    """Skips the test where NIXL is missing; otherwise agents take the back end from that folder."""
    os.environ["NIXL_PLUGIN_DIR"] = str(pathlib.Path(folder).resolve())
    if not importlib.util.find_spec("nixl"):
        skip("no NIXL (pip install nixl)")


class Cuda:
    """Memory of GPUs."""

    def __init__(self, library):
        self.calls = ctypes.CDLL(library)
        devices = ctypes.c_int()
        if self.calls.cudaGetDeviceCount(ctypes.byref(devices)) != 0 or devices.value < 1:
            skip("needs a GPU")
        self.devices = devices.value

    def allocate(self, content, device=0):
        address = ctypes.c_void_p()
        assert self.calls.cudaSetDevice(device) == 0
        assert self.calls.cudaMalloc(ctypes.byref(address), ctypes.c_size_t(len(content))) == 0
        assert self.calls.cudaMemcpy(address, bytes(content), ctypes.c_size_t(len(content)), 4) == 0
        return address.value

    def read(self, address, size):
        there = ctypes.create_string_buffer(size)
        assert self.calls.cudaMemcpy(there, ctypes.c_void_p(address), ctypes.c_size_t(size), 4) == 0
        return bytearray(there.raw)

    def free(self, address):
        assert self.calls.cudaFree(ctypes.c_void_p(address)) == 0


def random_bytes(seed, size):
    import numpy

    return numpy.random.default_rng(seed).integers(0, 256, size, dtype=numpy.uint8)


class Agent:
    """What can be asked of a process. Memory and transfers have the numbers that the asker gives them."""

    def __init__(self, name, library):
        from nixl._api import nixl_agent, nixl_agent_config

        self.cuda = Cuda(library)
        self.agent = nixl_agent(name, nixl_agent_config(backends=["TYPEWARP"]))
        self.memory = {}  # addresses of allocations, their bytes, what is registered
        self.transfers = {}

    def devices(self):
        return self.cuda.devices

    def register(self, number, seed, size, begin, registered, device):
        """Memory of that many bytes, of which some are registered from `begin` on. Returns its address."""
        address = self.cuda.allocate(random_bytes(seed, size).tobytes(), device)
        known = self.agent.register_memory([(address + begin, registered, device, "")], "VRAM")
        self.memory[number] = (address, size, known)
        return address

    def deregister(self, number):
        address, _, known = self.memory.pop(number)
        self.agent.deregister_memory(known)
        self.cuda.free(address)

    def metadata(self, number=None):
        """Of all memory, or of a piece."""
        if number is None:
            return self.agent.get_agent_metadata()
        return self.agent.get_partial_agent_metadata(self.memory[number][2], True, ["TYPEWARP"])

    def meet(self, metadata):
        """Returns the name of the other agent."""
        return self.agent.add_remote_agent(metadata)

    def forget(self, peer):
        self.agent.remove_remote_agent(peer)

    def make(self, number, operation, mine, theirs, peer, message, is_prepared):
        """Lists of rows: address, bytes, GPU."""
        here, there = self.agent.get_xfer_descs(mine, "VRAM"), self.agent.get_xfer_descs(theirs, "VRAM")
        if not is_prepared:
            self.transfers[number] = self.agent.initialize_xfer(operation, here, there, peer, message)
            return
        lists = self.agent.prep_xfer_dlist("", here), self.agent.prep_xfer_dlist(peer, there)
        all_ = list(range(len(mine)))
        self.transfers[number] = self.agent.make_prepped_xfer(operation, lists[0], all_, lists[1], all_, message)
        for prepared in lists:
            self.agent.release_dlist_handle(prepared)

    def post(self, number, message=b""):
        return self.agent.transfer(self.transfers[number], message)

    def state(self, number):
        return self.agent.check_xfer_state(self.transfers[number])

    def wait(self, number):
        while (state := self.state(number)) == "PROC":
            pass
        return state

    def release(self, number):
        self.agent.release_xfer_handle(self.transfers[number])
        del self.transfers[number]

    def send(self, peer, message):
        self.agent.send_notif(peer, message)

    def messages(self):
        return self.agent.get_new_notifs()

    def checksum(self, number):
        return zlib.crc32(self.content(number))

    def content(self, number):
        return self.cuda.read(*self.memory[number][:2])

    def held(self):
        """Open files, mapped ranges, and KiB of memory that are this process's alone."""
        status = pathlib.Path("/proc/self/status").read_text()
        own = next(line for line in status.splitlines() if line.startswith("RssAnon:"))
        return len(os.listdir("/proc/self/fd")), len(open("/proc/self/maps").readlines()), int(own.split()[1])


class Refused(Exception):
    """A call that has failed there."""


class AgentProcess:
    """The other end of such a process."""

    def __init__(self, name, library):
        self.name = name
        arguments = [sys.executable, "-B", __file__, name, library]
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        try:
            self.answer()
        except EOFError:
            if self.process.wait() == SKIPPED:
                skip("needs a GPU")
            raise

    def tell(self, call, *arguments):
        pickle.dump((call, arguments), self.process.stdin)
        self.process.stdin.flush()

    def answer(self, within=60):
        """Raises Refused with what the call has raised there."""
        if not select.select([self.process.stdout], [], [], within)[0]:
            raise AssertionError(f"{self.name} has not answered for {within} s")
        is_right, value = pickle.load(self.process.stdout)
        if not is_right:
            raise Refused(value)
        return value

    def ask(self, call, *arguments, within=60):
        self.tell(call, *arguments)
        return self.answer(within)

    def kill(self):
        self.process.kill()
        self.process.wait()

    def end(self):
        """As a program ends that is done."""
        self.process.stdin.close()
        assert self.process.wait(60) == 0, f"{self.name} has ended with {self.process.returncode}"


def serve(name, library):
    output = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # NIXL prints

    def tell(*answer):
        pickle.dump(answer, output)
        output.flush()

    agent = Agent(name, library)
    tell(True, None)
    while True:
        try:
            call, arguments = pickle.load(sys.stdin.buffer)
        except EOFError:
            return
        try:
            tell(True, getattr(agent, call)(*arguments))
        except Exception as error:  # NIXL has classes of its own
            tell(False, f"{type(error).__name__}: {error}")


if __name__ == "__main__":
    serve(*sys.argv[1:])
