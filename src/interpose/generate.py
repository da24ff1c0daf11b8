#!/usr/bin/env python3
# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Writes what the call table (calls.py) says as code, into a folder, and as the table of docs/reference/preloaded-calls.md.

usage: generate.py <folder>                write the sources that the interposer is built from
       generate.py --document <file>       fill in the table of that file
       generate.py --check <file>          say whether it is up to date
"""
import pathlib
import re
import sys
import zlib

import calls
import collective_code
import core_code
import file_code
import observe_code
import window_code

NOTICE = "// Copyright (c) 2026 The Typewarp Authors\n// SPDX-License-Identifier: BSD-3-Clause\n"
FATES = {calls.COUNTED: "the MPI's",
         calls.SENT: "Typewarp's for GPU memory, else the MPI's",
         calls.RECEIVED: "Typewarp's for GPU memory, and for any memory if messages may be announced; else the MPI's",
         calls.PROBED: "Typewarp's if messages may be announced, else the MPI's",
         calls.COMPLETED: "the MPI's; Typewarp's messages make progress in it",
         calls.EXCHANGED: "the MPI's, on copies of GPU memory; long blocks as Typewarp's messages if all ranks have the library",
         calls.PLANNED: "the MPI's; Typewarp does something before or after it",
         calls.STAGED: "the MPI's; for GPU memory that it does not take, on copies in host memory",
         calls.FILED: "the MPI's; for GPU memory that it does not take, on copies in host memory",
         calls.ONE_SIDED: "the MPI's; for GPU memory that it does not take, on copies in host memory",
         calls.PARTITIONED: "the MPI's; for GPU memory that it does not take, on packed partitions in host memory",
         calls.REFUSED: "the MPI's; an error for GPU memory that it does not take",
         calls.PASSED: "the MPI's", calls.UNTOUCHED: "the MPI's; Typewarp does not see it"}


def table_hash():
    """Tells whether two libraries were built from the same table."""
    return zlib.crc32(repr(calls.EXPORTED).encode())


def short(call):
    return call.name.removeprefix("MPI_")


def is_everywhere(call):
    """A program may begin with a session: that call must come to us first."""
    return call.since <= 3 or call.name in ("MPI_Session_init", "MPI_Session_finalize")


def calls_hpp():
    numbers = "\n".join(f"inline constexpr int {short(call)} = {i};" for i, call in enumerate(calls.EXPORTED))
    return f"""#pragma once

#include <array>
#include <cstdint>

namespace typewarp::interpose {{

/// The number of each exported call: its place in the tables that the two libraries share.
namespace call {{
{numbers}
}}  // namespace call

inline constexpr int calls = {len(calls.EXPORTED)};
inline constexpr std::uint32_t table_hash = {table_hash()}U;
inline constexpr std::array<const char*, calls> names{{
{chr(10).join(f'    "{call.name}",' for call in calls.EXPORTED)}
}};

}}  // namespace typewarp::interpose
"""


def presence_hpp():
    """Apart, as what is built for each MPI has no use for it."""
    everywhere = ", ".join(str(is_everywhere(call)).lower() for call in calls.EXPORTED)
    without = ", ".join(f"call::{short(call)}" for call in calls.EXPORTED if call.name in calls.MADE)
    return f"""#pragma once

#include "interpose/calls.hpp"

namespace typewarp::interpose {{

/// Whether every MPI has a call.
inline constexpr std::array<bool, calls> in_every_mpi{{{everywhere}}};
/// Calls that the core makes where the MPI lacks them.
inline constexpr std::array made_without_the_mpi{{{without}}};

}}  // namespace typewarp::interpose
"""


def trampolines():
    lines = "\n".join(f"  trampoline {call.name} {i}" for i, call in enumerate(calls.EXPORTED))
    return f"  .equ typewarp_calls, {len(calls.EXPORTED)}\n{lines}\n"


def exports():
    return "{\n  global:\n" + "".join(f"    {call.name};\n" for call in calls.EXPORTED) + "    typewarp_set_stream;\n  local: *;\n};\n"


def sources(folder):
    files = {"calls.hpp": NOTICE + calls_hpp(), "presence.hpp": NOTICE + presence_hpp(), "trampolines.inc": trampolines(), "exports.map": exports(),
             "collectives.cpp": NOTICE + collective_code.source(calls.EXPORTED),
             "collective_calls.hpp": NOTICE + collective_code.header(calls.EXPORTED), "refused.cpp": NOTICE + core_code.refused(calls.EXPORTED),
             "filed.cpp": NOTICE + file_code.source(calls.EXPORTED),
             "one_sided.cpp": NOTICE + window_code.source(calls.EXPORTED), "observed.cpp": NOTICE + observe_code.source(calls.EXPORTED),
             "signatures.cpp": NOTICE + core_code.signatures(list(calls.with_twins(calls.TABLE)))}
    folder = pathlib.Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")


def fate(call):
    if call.fate != calls.STAGED:
        return FATES[call.fate]
    ways = [collective_code.PATHS[path][1] for path in collective_code.paths(call) if path != "copies"]
    return FATES[call.fate] + "".join(f", or {way}" for way in reversed(dict.fromkeys(ways)))


def document_table():
    rows = [f"| `{call.name}` | {'yes' if call.twin else ''} | {fate(call)} |" for call in calls.TABLE]
    return "\n".join(["| call | `_c` variant | who makes the call |", "| --- | --- | --- |", *rows])


def document(file, check):
    path = pathlib.Path(file)
    text = path.read_text(encoding="utf-8")
    place = re.compile(r"(<!-- calls -->\n).*?(<!-- /calls -->)", re.DOTALL)
    if len(place.findall(text)) != 1:
        sys.exit(f"{file}: needs the markers <!-- calls --> and <!-- /calls --> once each")
    filled = place.sub(lambda found: f"{found[1]}{document_table()}\n{found[2]}", text)
    if check and filled != text:
        sys.exit(f"{file} is out of date: run src/interpose/generate.py --document {file}")
    if not check:
        path.write_text(filled, encoding="utf-8")


def main():
    arguments = sys.argv[1:]
    if len(arguments) == 1 and not arguments[0].startswith("-"):
        sources(arguments[0])
    elif len(arguments) == 2 and arguments[0] in ("--document", "--check"):
        document(arguments[1], check=arguments[0] == "--check")
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
