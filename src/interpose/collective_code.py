# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Code of the core that turns collective calls into `Call`s, and these into calls of the MPI again; and the paths that each call may take.

What a call sends and receives follows from the kinds of its arguments (calls.py) and from its pattern.
"""
import calls
import core_code

# By the name of the blocking call.
PATTERNS = {"Bcast": "bcast", "Gather": "gather", "Gatherv": "gather", "Scatter": "scatter", "Scatterv": "scatter",
            "Allgather": "allgather", "Allgatherv": "allgather", "Alltoall": "alltoall", "Alltoallv": "alltoall", "Alltoallw": "alltoall",
            "Reduce": "reduce", "Allreduce": "allreduce", "Scan": "scan", "Exscan": "exscan",
            "Reduce_scatter": "reduce_scatter", "Reduce_scatter_block": "reduce_scatter", "Reduce_local": "reduce_local"}
# Where blocks of one count lie, as they are sent and received.
EVEN = {"gather": ("one", "even"), "scatter": ("even", "one"), "allgather": ("one", "even"), "alltoall": ("even", "even")}
COMBINED = ("Reduce", "Allreduce", "Reduce_scatter_block", "Reduce_scatter")
MOVED = ("Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv", "Alltoall")
EXCHANGED = ("Alltoallv", "Alltoallw", "Neighbor_alltoallv", "Neighbor_alltoallw")
TO_NEIGHBORS = ("Neighbor_allgather", "Neighbor_allgatherv", "Neighbor_alltoall")

# The paths, in order of preference (core/calls/collective.cpp): the blocking calls that may take each, and what the documents say of it.
PATHS = {
    "direct": ((*MOVED, *TO_NEIGHBORS, *EXCHANGED, *COMBINED, "Scan", "Exscan"), "by GPUs at once"),
    "nccl": (("Bcast", "Allgather", "Reduce", "Allreduce", "Reduce_scatter_block"), "by NCCL"),  # only calls that block
    "messages": (MOVED, "as Typewarp's messages"),
    "neighbors": (TO_NEIGHBORS, "as Typewarp's messages"),
    "reduction": (COMBINED, "combined on GPUs"),
    "local_reduction": (("Reduce_local",), "combined on GPUs"),
    "exchange": (EXCHANGED, "long blocks as Typewarp's messages"),
    "copies": ((*MOVED, *TO_NEIGHBORS, *COMBINED, "Scan", "Exscan", "Reduce_local"), "on copies in host memory"),
}

ONLY_BLOCKING = ("direct", "nccl")


def is_collective(call):
    return call.fate in (calls.STAGED, calls.EXCHANGED)


def blocking_name(call):
    name = core_code.short(call).removesuffix("_c").removesuffix("_init")
    return name[1:].capitalize() if name[0] == "I" else name


def paths(call):
    """The names of those that the call may take."""
    blocks = not any(kind == "request" for kind, _ in call.arguments)
    return [path for path, (names, _) in PATHS.items() if blocking_name(call) in names and (blocks or path not in ONLY_BLOCKING)]


def pattern(call):
    return PATTERNS[blocking_name(call).removeprefix("Neighbor_").capitalize()]


def combines(call):
    return any(kind == "op" for kind, _ in call.arguments)


FIELDS = {"sendbuf": "buffer", "recvbuf": "buffer", "count": "count", "sendcounts": "counts", "recvcounts": "counts", "sdispls": "displacements",
          "rdispls": "displacements", "byte_displs": "displacements", "datatype": "type", "types": "types"}


def fields(call):
    """Of each argument the side that it is part of, and its name there: (kind, argument, side, field). A call that combines has one count."""
    side = "received"
    for kind, argument in call.arguments:
        side = {"sendbuf": "sent", "recvbuf": "received"}.get(kind, side)
        field = FIELDS.get(kind)
        if combines(call) and field in ("count", "counts"):
            yield kind, argument, None, field
        elif field:
            yield kind, argument, side, field
        else:
            yield kind, argument, None, {"request": "form.request", "info": "form.info", "op": "combining.op"}.get(kind, kind if argument != "root" else "root")


def placings(call):
    if any(kind == "types" for kind, _ in call.arguments):
        return "in_bytes", "in_bytes"
    even = EVEN.get(pattern(call), ("one", "one"))
    sides = {side for _, _, side, field in fields(call) if field == "counts" and side}
    return tuple("in_extents" if side in sides else placing for side, placing in zip(("sent", "received"), even))


def side(call, name, placing):
    found = {field: argument for _, argument, of, field in fields(call) if of == name}
    if pattern(call) == "bcast":
        found = {field: argument for _, argument, of, field in fields(call) if of == "received"}
    if combines(call):
        found["type"] = "datatype"
    comm = "comm" if any(kind == "comm" for kind, _ in call.arguments) else "MPI_COMM_SELF"
    order = ("buffer", "count", "type", "placing", "counts", "displacements", "types", "comm")
    found |= {"placing": f"CallSide::Placing::{placing}", "comm": comm}
    return "{" + ", ".join(f".{field} = {found[field]}" for field in order if field in found) + "}"


def made(call):
    """Defines what makes a Call of the arguments."""
    name = core_code.short(call)
    arguments = {argument for _, argument in call.arguments}
    kinds = {kind for kind, _ in call.arguments}
    form = "{request, true, info}" if "info" in kinds else "{request}" if "request" in kinds else None
    sent, received = (side(call, of, placing) for of, placing in zip(("sent", "received"), placings(call)))
    own = "".join(f", .{field} = {argument}" for _, argument, of, field in fields(call) if of is None and field in ("count", "counts"))
    combining = f"{{.op = op{own}}}" if combines(call) else None
    optional = {"comm": "comm" if "comm" in kinds else None, "sent": sent, "received": received, "root": "root" if "root" in arguments else None,
                "form": form, "among_neighbours": "true" if "eighbor" in name else None, "combining": combining}
    values = "".join(f",\n      .{field} = {value}" for field, value in optional.items() if value)
    mask = " | ".join(f"path::{path}" for path in paths(call))
    return f"""inline Call call_of_{name}({core_code.parameters(call)}) noexcept {{
  return {{.number = call::{name}, .pattern = CallPattern::{pattern(call)}, .paths = {mask}, .hand_on = hand_on_{name}{values}}};
}}
"""


def handed_on(call):
    """The arguments, of a Call."""
    words = []
    for kind, _, of, field in fields(call):
        place = f"call.{of}.{field}" if of else f"call.combining.{field}" if field in ("count", "counts") else f"call.{field}"
        place = place if pattern(call) != "bcast" or not of else f"side.{field}"
        of_c = call.type_of(kind)
        if field == "buffer" and kind == "recvbuf":
            place = f"const_cast<void*>({place})"
        elif field == "count":
            place = f"static_cast<{of_c}>({place})"
        elif field in ("counts", "displacements"):
            place += f".as<{of_c.removeprefix('const ').removesuffix('*')}>()"
        elif kind == "datatype" and combines(call):
            place = "call.sent.type"
        words.append(place)
    return ", ".join(words)


def hand_on(call):
    name = core_code.short(call)
    used = "  const CallSide& side = call.sent.size != 0 ? call.sent : call.received;\n" if pattern(call) == "bcast" else ""
    return f"""inline int hand_on_{name}(const Call& call) noexcept {{
{used}  return next<int({core_code.types(call)})>(call::{name})({handed_on(call)});
}}
"""


def header(exported):
    chosen = [call for call in exported if is_collective(call)]
    bits = "\n".join(f"inline constexpr std::uint32_t {path} = 1U << {i};" for i, path in enumerate(PATHS))
    functions = "\n".join(hand_on(call) + made(call) for call in chosen)
    return f"""#pragma once

#include "interpose/core/core.hpp"
#include "interpose/core/collectives/call.hpp"

#include <mpi.h>

namespace typewarp::interpose {{

/// A bit of each path that a call may take.
namespace path {{
{bits}
}}  // namespace path

{functions}
}}  // namespace typewarp::interpose
"""


def function(call):
    name = core_code.short(call)
    names = ", ".join(argument for _, argument in call.arguments)
    return f"""int collective_{name}({core_code.parameters(call)}) noexcept {{
  Call call = call_of_{name}({names});
  return make(call);
}}
"""


def source(exported):
    chosen = [call for call in exported if is_collective(call)]
    takes = [f"take<call::{core_code.short(call)}, collective_{core_code.short(call)}>();" for call in chosen]
    text = core_code.definition("take_collectives", ["calls/collective"], map(function, chosen), takes)
    return text.replace("#include <mpi.h>\n", '#include "interpose/collective_calls.hpp"\n\n#include <mpi.h>\n', 1)
