#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Checks the rules for sources: who may include whom (tools/include_rule.py), that folders include each other in no circle, the two
header lines, how much a file, a folder and a class may hold, that a type's name is defined once, in whatever namespaces (in a class
the class's name tells it from others), that state has an owner, and that only runtimes (src/engine/runtime/*) and kernels name CUDA.
What breaks a rule of numbers today stands in tools/exceptions.toml, with the number that it may not exceed.

usage: tools/check_sources.py [root]            one line a breach, and exit code 1 if there is any; exceptions that may go are told
       tools/check_sources.py --strict [root]   those are breaches too
       tools/check_sources.py --shrink          takes exceptions that are no longer needed out of tools/exceptions.toml
       tools/check_sources.py --order [folder]  the sub-folders of src in the order in which they include each other
       tools/check_sources.py --small           headers below 30 lines with one user and no test: paragraphs, not interfaces
"""
import argparse
import pathlib
import re
import sys

import include_rule
import limits
import source_shapes

# Names of others that src and include may use outside of runtimes and kernels: the compiler's, those of the runtime that a program
# passes or must know, and what a package calls it.
NAMES_OF_OTHERS = {"TYPEWARP_CUDA_ARCHS", "__CUDACC__", "__CUDA_ARCH__", "cudaStream_t", "cudaError_t", "cudaMalloc", "PYLOPS_MPI_CUDA_AWARE"}

CXX = {".hpp", ".h", ".ipp", ".cpp", ".cu", ".cuh"}
SCRIPTS = {".py", ".sh", ".cmake"}
HEADER = ("Copyright (c) 2026 The Typewarp Authors", "SPDX-License-Identifier: BSD-3-Clause")
MAXIMUM_LINES = 400
MAXIMUM = {"members": 12, "methods": 20, "files": 40, "types": 1, "mutables": 0, "attributes": 1}
SMALL = 30
IGNORED = {".git", ".tools", "build", "__pycache__"}
# Folders of results and records grow by what they hold, not by concepts.
WITH_LIMIT = {"apps", "bench", "cmake", "examples", "include", "python", "src", "tests", "tools"}
# Each namespace with a public class has one Internal, the friend by which the library gets into that class.
ALTERNATIVES = {"Internal"}


def names_of_cuda(path, text):
    of_a_runtime = path.parts[:3] == ("src", "engine", "runtime") and len(path.parts) > 4
    a_kernel = path.parts[:3] == ("src", "engine", "device") and path.suffix in {".cu", ".cuh"}
    if path.parts[0] not in {"src", "include"} or of_a_runtime or a_kernel:
        return
    for number, line in enumerate(text.splitlines(), 1):
        if re.match(r'\s*#\s*include\s*(<|"engine/runtime/)', line):  # the include rule's
            continue
        for name in re.findall(r'"cuda"|\w*cuda\w*', line, re.IGNORECASE):
            if name not in NAMES_OF_OTHERS:
                yield f"{path}:{number}: {name}: only runtimes and kernels name CUDA; say GPU or device"


def variables_read(path, text):
    """The front of the preload library is made of the C library alone."""
    if path.parts[0] not in {"src", "include"} or path.parts[:2] == ("src", "base") or path.parts[:3] == ("src", "interpose", "front"):
        return
    for number, line in enumerate(text.splitlines(), 1):
        if re.search(r'getenv\("TYPEWARP_', line):
            yield f"{path}:{number}: {line.strip()}: src/base reads environment variables"


def numbers_of_types(sources):
    """{"members" or "methods": {class: number}, "types": {name: (number, files)}} of what src and include define."""
    found = {"members": {}, "methods": {}, "types": {}}
    places = {}
    for path, text in sources.items():
        if path.parts[0] not in {"src", "include"}:
            continue
        for made in source_shapes.types(text):
            if not made.scopes and made.name not in ALTERNATIVES:
                places.setdefault(made.name, []).append(str(path))
            if made.kind != "enum":
                for what, number in zip(("members", "methods"), made.count()):
                    found[what][made.name] = max(found[what].get(made.name, (0,)), (number, str(path)))
    found["types"] = {name: (len(files), ", ".join(files)) for name, files in places.items()}
    return found


def numbers_of_folders(files):
    found = {}
    for path in files:
        found.setdefault(str(path.parent), []).append(path)
    return {folder: (len(inside), folder) for folder, inside in found.items()}


def small_headers(sources):
    """(path, lines, user) of headers of src that are paragraphs of their one user, not interfaces."""
    users, tested = {}, set()
    for path, text in sources.items():
        for line in text.splitlines():
            match = include_rule.INCLUDE.match(line)
            if match and match[1] == '"':
                (users.setdefault(match[2], []).append(path) if path.parts[0] == "src" else tested.add(match[2]))
    for path, text in sources.items():
        name = str(path.relative_to("src")) if path.parts[0] == "src" else ""
        of_others = [user for user in users.get(name, []) if user.with_suffix("") != path.with_suffix("")]
        if path.suffix in {".hpp", ".cuh", ".ipp"} and text.count("\n") < SMALL and len(of_others) == 1 and name not in tested:
            yield path, text.count("\n"), of_others[0]


def numbers_of_state(sources):
    """{"mutables": {layer of src: (number, names)}, "attributes": {kind of MPI object: (keyvals, files)}}."""
    mutables, keyvals = {}, {}
    for path, text in sources.items():
        if path.parts[0] != "src":
            continue
        mutables.setdefault("/".join(path.parts[:2]), []).extend(source_shapes.mutables(text))
        for kind in re.findall(r"\bP?MPI_(Comm|Type|Win)_create_keyval\(", source_shapes.stripped(text)):
            keyvals.setdefault(kind, []).append(str(path))
    return {"mutables": {layer: (len(names), ", ".join(sorted(names))) for layer, names in mutables.items()},
            "attributes": {kind: (len(files), ", ".join(files)) for kind, files in keyvals.items()}}


SAID = {"mutables": "{0} has {1} objects that can change and have no owner ({2})", "attributes": "{1} attributes of MPI_{0} are ours ({2})", "members": "{0} ({2}) has {1} members", "methods": "{0} ({2}) has {1} methods", "files": "{0} has {1} files",
        "types": "{0} is defined {1} times ({2})"}


def breaches(root, files, sources):
    for path, text in files.items():
        lines = text.splitlines()
        first = 1 if lines and lines[0].startswith("#!") else 0
        if [line.lstrip("/# ") for line in lines[first:first + 2]] != list(HEADER):
            yield f"{path}: must begin with the two header lines (copyright, SPDX)"
        if len(lines) > MAXIMUM_LINES:
            yield f"{path}: {len(lines)} lines, more than {MAXIMUM_LINES}"
    for path, text in sources.items():
        yield from include_rule.breaches(path, text, root)
        yield from names_of_cuda(path, text)
        yield from variables_read(path, text)
    yield from include_rule.circles(include_rule.graph_of(sources))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", nargs="?", type=pathlib.Path, default=pathlib.Path(__file__).parent.parent)
    for option in ("--strict", "--shrink", "--small"):
        parser.add_argument(option, action="store_true")
    parser.add_argument("--order", nargs="?", const="", metavar="folder")
    arguments = parser.parse_args()
    root = arguments.root.resolve()
    # README has its readers make an environment of Python in the clone.
    environments = {file.parent.relative_to(root) for file in root.glob("*/pyvenv.cfg")}
    paths = [file.relative_to(root) for file in sorted(root.rglob("*")) if file.is_file()]
    paths = [path for path in paths if not IGNORED & set(path.parts) and not environments & set(path.parents)]
    files = {path: (root / path).read_text(encoding="utf-8") for path in paths
             if path.suffix in CXX | SCRIPTS or path.name == "CMakeLists.txt"}
    sources = {path: text for path, text in files.items() if path.suffix in CXX}
    if arguments.order is not None:
        for layer in include_rule.layers_of_graph(include_rule.graph_of(sources))[0]:
            of = [folder for folder in layer if folder.startswith(arguments.order.removeprefix("src/"))]
            print(*of, sep=", ", end="\n" if of else "")
        return
    if arguments.small:
        for path, lines, user in small_headers(sources):
            print(f"{path}: {lines} lines, for {user} alone")
        return
    numbers = numbers_of_types(sources)
    numbers |= numbers_of_state(sources)
    numbers["files"] = numbers_of_folders([path for path in paths if path.parts[0] in WITH_LIMIT])
    exceeded, unneeded = limits.compare(root, MAXIMUM, SAID, numbers)
    if arguments.shrink:
        limits.shrink(root, MAXIMUM, numbers)
        return
    found = [*breaches(root, files, sources), *exceeded, *(unneeded if arguments.strict else [])]
    print("\n".join(found) or "no breach")
    if unneeded and not arguments.strict:
        print("may go from tools/exceptions.toml (tools/check_sources.py --shrink does it):", *unneeded, sep="\n  ")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
