# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Code of the core that follows from the call table: wrappers that observe, and a check of the table against mpi.h."""
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


def first(call, names):
    """The first argument of one of these names, if there is one."""
    return next((name for _, name in call.arguments if name in names), None)


def significant(call, count):
    """The count of a call's message, 0 where neither it nor its datatype may be significant."""
    if call.fate != calls.STAGED:
        return count
    names = [name for _, name in call.arguments]
    if "root" not in names:
        return count if [kind for kind, _ in call.arguments].count("datatype") == 1 else None
    # Between groups the root, and who has no part, give no rank.
    if count == "count":
        return f"root == MPI_PROC_NULL ? 0 : {count}"
    return f"root < 0 || {count.replace('count', 'buf')} == MPI_IN_PLACE ? 0 : {count}"


def of_message(call):
    """What the call's arguments say of its message, as Arguments. Of calls with a root that is what goes to it or comes from it."""
    datatype = next((name for kind, name in call.arguments if kind == "datatype"), None)
    count = next((name for kind, name in call.arguments if kind == "count"), None)
    if ("long_count", "count") in call.arguments:
        count = "partitions * count"
    if "catter" in call.name and ("int", "root") in call.arguments:
        count, datatype = "recvcount", "recvtype"
    count = count and significant(call, count)
    data = f"{count}, {datatype}" if count and datatype else "0, MPI_DATATYPE_NULL"
    ends = [first(call, names) or "Arguments::none" for names in (("dest", "source"), ("tag", "sendtag"))]
    return f"arguments_of({data}, {', '.join(ends)})"


def wrapper(call):
    names = ", ".join(name for _, name in call.arguments)
    return f"""int observe_{short(call)}({parameters(call)}) noexcept {{
  const Observed observed(call::{short(call)}, {of_message(call)});
  return handler<int({types(call)})>(call::{short(call)})({names});
}}
"""


def observed(exported):
    """Definition of observe_calls(): one wrapper each for the calls that are observed."""
    chosen = [call for call in exported if call.fate != calls.PASSED]
    takes = [f"attachment.chosen[call::{short(call)}] = reinterpret_cast<void*>(observe_{short(call)});" for call in chosen]
    return definition("observe_calls", ["buffers/plans", "observe/observed"], map(wrapper, chosen), takes)


def signatures(known):
    """Fails to compile where the table says something else than mpi.h, for calls of the versions that it says to have."""
    checks = []
    for call in known:
        check = f"static_assert(std::is_same_v<decltype({call.name}), int({types(call)})>);"
        checks.append(check if call.since <= 3 else f"#if MPI_VERSION >= {call.since}\n{check}\n#endif")
    return "#include <mpi.h>\n\n#include <type_traits>\n\n" + "\n".join(checks) + "\n"
