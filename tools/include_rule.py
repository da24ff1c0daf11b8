# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The include rule: who may include whom. It stands here alone: tools/check_sources.py checks it, and tools/readme.py writes it into
documents."""
import fnmatch
import pathlib
import re
import textwrap

# A folder sees itself and what stands above it here. Folders on one line do not see each other.
LAYERS = [["base"],
          ["datatype"],
          ["layout", "halo/field"],
          ["plan"],
          ["engine/runtime"],
          ["engine/host", "engine/device"],
          ["engine"],
          ["schedule", "sharing"],
          ["schedule/streams", "nixl"],
          ["mpi", "explain"],
          ["transport"],
          ["schedule/messages", "schedule/streams/over_mpi"],
          ["interpose", "halo"],
          ["capi", "cli"]]

# Headers that a folder may include besides those of the C++ standard library.
OTHERS = {"base": ["fcntl.h", "sys/*.h", "unistd.h"],
          "sharing": ["sys/*.h", "unistd.h"],
          "nixl": ["sys/*.h", "unistd.h"],
          "engine/host": ["immintrin.h", "pthread.h", "sched.h", "sys/*.h", "unistd.h"],
          "engine/runtime": ["cuda*", "dlfcn.h", "hip/*", "link.h", "nv*"],
          "engine/device": ["cuda/atomic", "cuda_pipeline_primitives.h"],
          "explain": ["nlohmann/json.hpp"],
          "mpi": ["mpi.h"],
          "transport": ["dlfcn.h", "fcntl.h", "mpi.h", "sys/*.h", "unistd.h"],
          "schedule/messages": ["mpi.h"],
          "schedule/streams/over_mpi": ["mpi.h"],
          "interpose": ["dlfcn.h", "execinfo.h", "fcntl.h", "limits.h", "link.h", "mpi.h", "pthread.h", "sys/*.h", "unistd.h"],
          "halo": ["mpi.h"],
          "capi": ["mpi.h"],
          "cli": ["elf.h", "fcntl.h", "nlohmann/json.hpp", "sys/*.h", "unistd.h"]}

# The folder that a public header belongs to, where it is not named after it.
PUBLIC = {"base": ["error"],
          "datatype": ["element", "version"],
          "halo/field": ["halo_descriptor", "halo_disagreement", "halo_field"],
          "plan": ["array_shape", "hints", "operation"],
          "engine": ["batch", "device_buffer", "host", "indexed_copy", "persistent", "reduce", "stream", "strided_view"],
          "schedule/streams": ["device_group", "exchange", "ranks"],
          "sharing": ["registered_memory"],
          "transport": ["collective", "completion", "p2p", "probe", "request", "session"],
          "schedule/streams/over_mpi": ["mpi_ranks"],
          "halo": ["halo_domain", "halo_grid", "halo_on_streams"],
          "capi": ["result"]}
PUBLIC_WITH_MPI = {"halo.h", "halo_grid.hpp", "mpi.h", "mpi.hpp", "mpi_ranks.h", "mpi_ranks.hpp", "p2p.hpp", "request.h", "request.hpp",
                   "session.h", "session.hpp"}

# engine.hpp says what the engines below the folder engine do: pointer kinds, streams, and the contract.
ENGINE_CONTRACT = {"engine/host", "engine/runtime", "engine/device"}
# Internal headers that a benchmark may include, as it measures what the library decides by, or a part of it.
INSIDERS = {"bench/pack": {"engine/device/layout/operand.hpp"},
            "bench/tune": {"transport/handle/internal.hpp"},
            "bench/fragments": {"transport/tuning/policy.hpp", "transport/tuning/profile.hpp"}}
OUTSIDE = {"apps", "bench", "examples", "python"}

STANDARD_LIBRARY = re.compile(r"[a-z_0-9]+")
OF_C = re.compile(r"std(bool|def|int)\.h|typewarp(_mpi|/\w+)?\.h")
INCLUDE = re.compile(r'\s*#\s*include\s*([<"])([^>"]+)[>"]')


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
        if folder != "engine/runtime" and re.match(r"engine/runtime/\w+/", name):
            return "belongs to one runtime"
        return None if sees(folder, other) else f"src/{folder} must not see src/{other}"
    if name.startswith("typewarp/"):
        stem = pathlib.Path(name).stem
        other = next((of for of, stems in PUBLIC.items() if stem in stems), stem)
        if layer_of(other) is None:
            return "belongs to no layer: add it to LAYERS or PUBLIC in tools/include_rule.py"
        if sees(folder, other) or (folder in ENGINE_CONTRACT and other == "engine"):
            return None
        return f"src/{folder} must not see what src/{other} offers"
    if STANDARD_LIBRARY.fullmatch(name) or any(fnmatch.fnmatchcase(name, other) for other in OTHERS.get(folder, [])):
        return None
    return f"src/{folder} may not include it (OTHERS in tools/include_rule.py)"


def breach_in_public_header(path, bracket, name):
    if bracket == '"':
        return "public headers include public headers only, as <typewarp/x.hpp>"
    if name == "mpi.h" and path.name in PUBLIC_WITH_MPI:
        return None
    if path.suffix == ".h":  # of the C interface
        return None if OF_C.fullmatch(name) else "not the standard library's of C, nor a header for C"
    return None if name.startswith("typewarp/") or STANDARD_LIBRARY.fullmatch(name) else "not the standard library's"


def breach_outside(path, bracket, name, root):
    if name in INSIDERS.get(path.parent.as_posix(), ()):
        return None
    internal = bracket == '"' and (root / "src" / name).exists()
    return f"{path.parts[0]} sees only include/ and its own files" if internal or "/src/" in name else None


def breaches(path, text, root):
    """One line for each include of `path` that breaks the rule."""
    for number, line in enumerate(text.splitlines(), 1):
        match = INCLUDE.match(line)
        if not match:
            continue
        bracket, name = match.groups()
        breach = None
        if path.parts[0] == "src":
            folder = folder_of(path)
            breach = ("a folder that LAYERS in tools/include_rule.py does not know" if folder is None
                      else breach_in_layers(folder, bracket, name))
        elif path.parts[0] == "include":
            breach = breach_in_public_header(path, bracket, name)
        elif path.parts[0] in OUTSIDE:
            breach = breach_outside(path, bracket, name, root)
        if breach:
            yield f"{path}:{number}: {line.strip()}: {breach}"


def graph_of(sources):
    """{folder of src: {folder that it includes: the first place}} of {path: text}, sub-folders each for themselves."""
    graph = {}
    for path, text in sources.items():
        if path.parts[0] != "src":
            continue
        folder = path.parent.relative_to("src").as_posix()
        for number, line in enumerate(text.splitlines(), 1):
            match = INCLUDE.match(line)
            other = pathlib.PurePath(match[2]).parent.as_posix() if match and match[1] == '"' else folder
            if other != folder:
                graph.setdefault(folder, {}).setdefault(other, f"{path}:{number}")
    return graph


def layers_of_graph(graph):
    """(lists of folders, each of which includes only folders of earlier lists; the folders that are in or behind a circle)."""
    left = {folder: set(others) for folder, others in graph.items()}
    for others in graph.values():
        for other in others:
            left.setdefault(other, set())
    layers = []
    while ready := sorted(folder for folder, others in left.items() if not others):
        layers.append(ready)
        for folder in ready:
            del left[folder]
        for others in left.values():
            others.difference_update(ready)
    return layers, left


def circles(graph):
    """A line for a circle of folders that include each other, if there is one."""
    _, left = layers_of_graph(graph)
    if not left:
        return
    way, folder = [], min(left)
    while folder not in way:
        way.append(folder)
        folder = min(left[folder])  # each of these includes another of these
    way = way[way.index(folder):] + [folder]
    places = [f"{graph[one][other]}: src/{one} includes src/{other}" for one, other in zip(way, way[1:])]
    yield "folders include each other in a circle: " + "; ".join(places)


def layers():
    """The rule as a document shows it."""
    lines = []
    for layer in LAYERS:
        item = layer[0] if len(layer) == 1 else "{" + ", ".join(layer) + "}"
        if not lines or len(lines[-1]) + len(item) > 105:
            lines.append("    " + ("" if not lines else "        <- ") + item)
        else:
            lines[-1] += f" <- {item}"
    return "\n".join(lines) + "\n"


def others():
    """What else folders may include, as a document shows it."""
    text = ""
    for folder, names in OTHERS.items():
        text += textwrap.fill(f"- `{folder}`: " + ", ".join(f"`<{name}>`" for name in names), 118, subsequent_indent="  ") + "\n"
    return text
