# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Code that stands in for `_c` calls that an MPI does not have: narrows to the call that counts in int.

It knows no ABI: a handle is a word in a register, whatever the MPI makes of it.
"""
import calls

WORDS = {"MPI_Count": "Count", "MPI_Aint": "Count", "MPI_Datatype": "Handle", "MPI_Comm": "Handle", "MPI_Info": "Handle", "MPI_Op": "Handle",
         "MPI_Request": "Handle", "MPI_File": "Handle", "MPI_Win": "Handle", "MPI_Group": "Handle", "MPI_Offset": "Count"}
LENGTH = {"sendcounts": "lengths.send", "sdispls": "lengths.send", "recvcounts": "lengths.receive",
          "rdispls": "lengths.receive"}


def short(call):
    return call.name.removeprefix("MPI_")


def c_type(text):
    """The type with which a word of the ABI is handed on: pointers to what only the MPI knows are void*."""
    base = text.replace("const ", "").rstrip("*")
    if "*" not in text:
        return WORDS.get(text, text)
    if base in ("MPI_Count", "MPI_Aint"):
        return text.replace(base, "Count")
    return text if base in ("int", "void") else "void*"


def unread_count(call, name):
    """When the MPI does not read a count of a collective call, which may be anything then; nothing if it always does."""
    if call.fate != calls.STAGED or name not in ("sendcount", "recvcount") or ("op", "op") in call.arguments or "eighbor" in call.name:
        return ""
    buffer = name.replace("count", "buf")
    of_root = "recvcount" if "gather" in call.name.lower() else "sendcount"
    rooted = ("int", "root") in call.arguments and name == of_root
    return f"is_in_place({buffer})" + (" || !is_root(comm, root)" if rooted else "")


def narrow(call, kind, name, error):
    """(statements before the call, what is handed on, statements after it) for one argument."""
    if kind == "count" and (unread := unread_count(call, name)):
        return [f"if (!fits({name}) && !({unread})) return {error};"], f"clamp({name})", []
    if kind in ("count", "unit"):
        return [f"if (!fits({name})) return {error};"], f"static_cast<int>({name})", []
    if kind == "size":
        return [], f"clamp({name})", []
    if kind == "result":
        return [f"int narrow_{name} = 0;"], f"&narrow_{name}", [f"*{name} = narrow_{name};"]
    if kind == "position":
        return ([f"if (!fits(*{name})) return {error};", f"int narrow_{name} = static_cast<int>(*{name});"],
                f"&narrow_{name}", [f"*{name} = narrow_{name};"])
    if kind in LENGTH:
        kept = "kept" if any(other == "request" for other, _ in call.arguments) else "data"
        return ([f"Ints narrow_{name}({name}, {LENGTH[kind]});",
                 f"if (!narrow_{name}.good()) return {error};"], f"narrow_{name}.{kept}()", [])
    return [], name, []


def lengths(call):
    """How long the arrays of a call are, which only the root gives where there is one."""
    if "eighbor" in call.name:
        return "neighbors_of(comm)"
    if ("op", "op") in call.arguments:
        return "group_of(comm)"
    return "peers_of_root(comm, root)" if ("int", "root") in call.arguments else "peers_of(comm, sendbuf)"


def function(call, plain):
    kinds = [kind for kind, _ in call.arguments]
    error = ("too_large(comm)" if "comm" in kinds else "too_large_for_file(fh)" if "file" in kinds else
             "too_large_for_window(win)" if "win" in kinds else "too_large(nowhere())")
    before, after, given = [], [], []
    if any(kind in LENGTH for kind in kinds):
        before += [f"const Lengths lengths = {lengths(call)};", "if (lengths.code != 0) return lengths.code;"]
    for kind, name in call.arguments:
        first, value, last = narrow(call, kind, name, error)
        before, after, given = before + first, after + last, given + [value]
    parameters = ", ".join(f"{c_type(call.type_of(kind))} {name}" for kind, name in call.arguments)
    types = ", ".join(c_type(plain.type_of(kind)) for kind, _ in call.arguments)
    body = "\n".join(f"  {line}" for line in [
        *before, f"const int code = next<int({types})>(call::{short(plain)})({', '.join(given)});", *after, "return code;"])
    return f"int narrow_{short(call)}({parameters}) {{\n{body}\n}}\n"


def source(exported):
    plain = {call.name: call for call in exported if not call.large}
    twins = [call for call in exported if call.large]
    entries = "\n".join(f"    case call::{short(call)}: return reinterpret_cast<void*>(narrow_{short(call)});" for call in twins)
    functions = "\n".join(function(call, plain[call.name.removesuffix("_c")]) for call in twins)
    return f"""#include "interpose/front/narrow.hpp"

#include "interpose/calls.hpp"

namespace typewarp::interpose {{
namespace {{

{functions}
}}  // namespace

void* narrowed(int number) {{
  switch (number) {{
{entries}
    default: return nullptr;
  }}
}}

}}  // namespace typewarp::interpose
"""
