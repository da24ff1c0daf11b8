#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the include rule (CONTRIBUTING.md), also between sub-folders, the two header lines, the length of files, and that
only src/engine/gpu names CUDA.

usage: tools/check_sources.py [root]
Prints one line a breach and exits with 1 if there is any.
"""
import pathlib
import re
import sys

# A folder sees itself and what stands above it here; folders on one line do not see each other.
LAYERS = [["environment"], ["datatype"], ["layout", "halo/field"], ["plan"], ["engine/host", "engine/gpu"], ["engine"], ["exchange"], ["mpi", "explain"], ["transport"], ["exchange/over_mpi"],
          ["interpose", "halo"], ["capi", "cli"]]
# The layer that a public header belongs to, where it is not named after it.
PUBLIC = {"error": "datatype", "host": "engine", "batch": "engine", "counters": "engine", "device_buffer": "engine", "persistent": "engine", "reduce": "engine", "stream": "engine", "operation": "plan", "hints": "plan",
          "ranks": "exchange", "mpi_ranks": "exchange/over_mpi",
          "collective": "transport", "session": "transport", "request": "transport", "p2p": "transport", "probe": "transport",
          "completion": "transport", "version": "datatype", "element": "datatype", "array_shape": "plan", "segments": "layout", "expression": "explain", "strided_view": "engine", "halo_descriptor": "halo/field", "halo_field": "halo/field", "halo_grid": "halo",
          "halo_domain": "halo", "halo_on_streams": "halo", "halo_disagreement": "halo/field",
          "result": "capi"}
# engine.hpp says what the engines below the folder engine do: pointer kinds, streams, and the contract.
ENGINE_CONTRACT = {"engine/host", "engine/gpu"}
# Internal headers that a folder may see, as it measures what the library decides by.
INSIDERS = {"bench/tune": {"transport/handle/internal.hpp"},
            "bench/fragments": {"transport/tuning/direct_policy.hpp", "transport/tuning/profile.hpp"}}
MPI_FOLDERS = {"mpi", "transport", "exchange/over_mpi", "interpose", "halo", "capi"}
STANDARD_LIBRARY = re.compile(r"[a-z_0-9]+")
STANDARD_LIBRARY_OF_C = re.compile(r"std(bool|def|int)\.h")
SYSTEM = {"engine/host": re.compile(r"(immintrin|sched|unistd|pthread)\.h|sys/\w+\.h"),
          "engine/gpu": re.compile(r"((cuda|cub|nv)\w*(/.+|\.h)?)|(dlfcn|link)\.h"),
          "transport": re.compile(r"(dlfcn|fcntl|unistd)\.h|sys/\w+\.h"),
          "explain": re.compile(r"nlohmann/json\.hpp"),
          "cli": re.compile(r"(elf|fcntl|unistd)\.h|sys/\w+\.h|CLI/CLI\.hpp|nlohmann/json\.hpp"),
          "interpose": re.compile(r"(dlfcn|execinfo|fcntl|limits|link|pthread|unistd)\.h|sys/\w+\.h")}

# Names of others that src and include may use outside of src/engine/gpu: the compiler's, those of the runtime that a program
# passes or must know, and what MPIs and UCX call it.
NAMES_OF_OTHERS = {"TYPEWARP_CUDA_ARCHS", "__CUDACC__", "__CUDA_ARCH__", "cudaStream_t", "cudaError_t", "cudaMalloc",
                   "MPIX_Query_cuda_support", "MPIX_GPU_SUPPORT_CUDA", "PYLOPS_MPI_CUDA_AWARE", '"cuda"', "cuda_memory"}

SOURCES = {".hpp", ".h", ".ipp", ".cpp", ".cu", ".cuh"}
SCRIPTS = {".py", ".sh", ".cmake"}
HEADER = ("Copyright (c) 2026 The Typewarp Authors", "SPDX-License-Identifier: BSD-3-Clause")
MAXIMUM_LINES = 400
IGNORED = {".git", ".tools", "build"}


def layer_of(folder):
    return next((i for i, layer in enumerate(LAYERS) if folder in layer), None)


def folder_of(path):
    """'engine/host' of src/engine/host/pool.cpp; None outside the layers."""
    parts = path.parts[1:-1]
    for length in range(len(parts), 0, -1):
        if layer_of("/".join(parts[:length])) is not None:
            return "/".join(parts[:length])
    return None


def sees(folder, other):
    return folder == other or layer_of(other) < layer_of(folder)


def breach_in_layers(folder, bracket, name):
    """What is wrong with a file of src/<folder> that includes `name`, or None."""
    if bracket == '"':
        other = folder_of(pathlib.Path("src") / name)
        if other is None:
            return "internal headers are included as \"folder/x.hpp\""
        return None if sees(folder, other) else f"src/{folder} must not see src/{other}"
    if name.startswith("typewarp/"):
        stem = pathlib.Path(name).stem
        other = PUBLIC.get(stem, stem)
        if layer_of(other) is None:
            return "belongs to no layer: add it to LAYERS or PUBLIC in tools/check_sources.py"
        if sees(folder, other) or (folder in ENGINE_CONTRACT and other == "engine"):
            return None
        return f"src/{folder} must not see what src/{other} offers"
    if name == "mpi.h":
        return None if folder in MPI_FOLDERS else "<mpi.h> belongs to src/mpi, src/transport, src/exchange/over_mpi, src/halo, src/capi and src/interpose"
    if STANDARD_LIBRARY.fullmatch(name) or (folder in SYSTEM and SYSTEM[folder].fullmatch(name)):
        return None
    return f"src/{folder} uses the standard library only" if folder not in SYSTEM else "no header that this folder may use"


def breach_in_public_header(path, bracket, name):
    if bracket == '"':
        return "public headers include public headers only, as <typewarp/x.hpp>"
    if name == "mpi.h" and path.name in {"mpi.hpp", "session.hpp", "request.hpp", "p2p.hpp", "mpi_ranks.h", "mpi_ranks.hpp", "halo_grid.hpp", "halo.h", "mpi.h", "request.h", "session.h"}:
        return None
    if path.suffix == ".h":  # of the C interface
        of_c = re.fullmatch(r"typewarp(_mpi|/\w+)?\.h", name) or STANDARD_LIBRARY_OF_C.fullmatch(name)
        return None if of_c else "not the standard library's of C, nor a header for C"
    return None if name.startswith("typewarp/") or STANDARD_LIBRARY.fullmatch(name) else "not the standard library's"


def breach_outside(path, bracket, name, root):
    if name in INSIDERS.get(path.parent.as_posix(), ()):
        return None
    internal = bracket == '"' and (root / "src" / name).exists()
    return f"{path.parts[0]} sees only include/ and its own files" if internal or "/src/" in name else None


def include_breaches(path, text, root):
    for number, line in enumerate(text.splitlines(), 1):
        match = re.match(r'\s*#\s*include\s*([<"])([^>"]+)[>"]', line)
        if not match:
            continue
        bracket, name = match.groups()
        breach = None
        if path.parts[0] == "src":
            folder = folder_of(path)
            breach = "a folder that LAYERS does not know" if folder is None else breach_in_layers(folder, bracket, name)
        elif path.parts[0] == "include":
            breach = breach_in_public_header(path, bracket, name)
        elif path.parts[0] in {"bench", "apps", "examples", "python"}:
            breach = breach_outside(path, bracket, name, root)
        if breach:
            yield f"{path}:{number}: {line.strip()}: {breach}"


def names_of_cuda(path, text):
    if path.parts[0] not in {"src", "include"} or path.parts[:3] == ("src", "engine", "gpu"):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r"\s*#\s*include\s*<", line):  # the include rule's
            continue
        for name in re.findall(r'"cuda"|\w*cuda\w*', line, re.IGNORECASE):
            if name not in NAMES_OF_OTHERS:
                yield f"{path}:{number}: {name}: only src/engine/gpu names CUDA; say GPU or device"


def variables_read(path, text):
    """The front of the preload library is made of the C library alone."""
    if path.parts[0] not in {"src", "include"} or path.parts[:2] == ("src", "environment") or path.parts[:3] == ("src", "interpose", "front"):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if re.search(r'getenv\("TYPEWARP_', line):
            yield f"{path}:{number}: {line.strip()}: src/environment reads environment variables"


def both_ways(root):
    """Pairs of folders of src, also sub-folders, that include each other: one place of each."""
    places = {}
    for file in sorted((root / "src").rglob("*")):
        if file.suffix not in SOURCES:
            continue
        path = file.relative_to(root)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            match = re.match(r'\s*#\s*include\s*"([^"]+)"', line)
            if match:
                places.setdefault((path.parent.as_posix(), "src/" + pathlib.PurePath(match[1]).parent.as_posix()), f"{path}:{number}")
    for (one, other), place in places.items():
        if one < other and (other, one) in places:
            yield f"{place}: {one} and {other} include each other ({places[other, one]})"


def breaches(root):
    yield from both_ways(root)
    for file in sorted(root.rglob("*")):
        path = file.relative_to(root)
        source = file.suffix in SOURCES
        if IGNORED & set(path.parts) or not (source or file.suffix in SCRIPTS or file.name == "CMakeLists.txt"):
            continue
        text = file.read_text(encoding="utf-8")
        lines = text.splitlines()
        first = 1 if lines and lines[0].startswith("#!") else 0
        if [line.lstrip("/# ") for line in lines[first:first + 2]] != list(HEADER):
            yield f"{path}: must begin with the two header lines (copyright, SPDX)"
        if len(lines) > MAXIMUM_LINES:
            yield f"{path}: {len(lines)} lines, more than {MAXIMUM_LINES}"
        if source:
            yield from include_breaches(path, text, root)
            yield from names_of_cuda(path, text)
            yield from variables_read(path, text)


def main():
    root = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent).resolve()
    found = list(breaches(root))
    print("\n".join(found) or "no breach")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
