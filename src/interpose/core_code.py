# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Code of the core that follows from the call table: calls that are refused, and a check of the table against mpi.h."""
import calls


def short(call):
    return call.name.removeprefix("MPI_")


def parameters(call):
    return ", ".join(f"{call.type_of(kind)} {name}" for kind, name in call.arguments)


def types(call):
    return ", ".join(call.type_of(kind) for kind, _ in call.arguments)


def definition(function, headers, functions, statements):
    """Of a function of the core that makes `statements`, after the functions that these name."""
    includes = "\n".join(f'#include "interpose/core/{header}.hpp"' for header in sorted(["core", *headers]))
    lines = "\n".join(f"  {statement}" for statement in statements)
    return f"""{includes}

#include <mpi.h>

namespace typewarp::interpose {{
namespace {{

{chr(10).join(functions)}
}}  // namespace

void {function}() noexcept {{
{lines}
}}

}}  // namespace typewarp::interpose
"""


def touched(kinds, buffer):
    """How many items or bytes of a buffer a call reads or writes."""
    stem = buffer.removesuffix("buf")
    count = next((name for name in (f"{buffer}_count", f"{stem}count", f"{stem}size", "size") if name in kinds), "1")
    return f"op == MPI_NO_OP ? 0 : {count}" if "op" in kinds and buffer == "origin" else count


def refusal(call):
    kinds = dict((name, kind) for kind, name in call.arguments)
    buffers = [name for kind, name in call.arguments if kind in ("sendbuf", "recvbuf")]
    memories = ", ".join(f"{{{name}, {touched(kinds, name)}}}" for name in buffers)
    handled = "refuse({}, comm)" if "comm" in kinds else "refuse_in_window({}, win)" if "win" in kinds else "refuse({}, fallback_comm())"
    names = ", ".join(name for _, name in call.arguments)
    return f"""int refused_{short(call)}({parameters(call)}) noexcept {{
  if ({"target_rank != MPI_PROC_NULL && " if "target_rank" in kinds else ""}are_refused({{{memories}}})) return {handled.format(f"call::{short(call)}")};
  return next<int({types(call)})>(call::{short(call)})({names});
}}
"""


def refused(exported):
    """Definition of take_refused(): one function each for the calls that are refused."""
    chosen = [call for call in exported if call.fate == calls.REFUSED]
    takes = [f"take(call::{short(call)}, refused_{short(call)});" for call in chosen]
    return definition("take_refused", ["buffers/refusal", "errors"], map(refusal, chosen), takes)


def signatures(known):
    """Fails to compile if the table differs from mpi.h in a call of a version that mpi.h has. The new calls of MPI 4 are checked from 4.1 on:
    MPICH 4.0 declares MPI_Pready_list without a const.
    """
    has = {4: "MPI_VERSION > 4 || (MPI_VERSION == 4 && MPI_SUBVERSION >= 1)", 5: "MPI_VERSION >= 5"}
    brought = {call.name: call.since for call in known}
    checks = []
    for call in known:
        since = max(call.since, brought[call.name.removesuffix("_c")])  # a large-count variant is not older than its call
        check = f"static_assert(std::is_same_v<decltype({call.name}), int({types(call)})>);"
        checks.append(check if since <= 3 else f"#if {has[since]}\n{check}\n#endif")
    return "#include <mpi.h>\n\n#include <type_traits>\n\n" + "\n".join(checks) + "\n"
