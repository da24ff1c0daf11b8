# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""Code of the core that hands collective calls on, staged: what is significant of each call's sides, and how they are given to the MPI."""
import calls
import core_code

LEAF = "group.is_leaf(root)"
ROOT = "group.is_root(root)"


def even(side, blocks):
    """Blocks of one count and datatype, which the arguments of a side name."""
    return f"EvenBlocks{{{side}buf, {side}count, {side}type, {blocks}, comm}}"


def uneven(side, blocks):
    counts = f"{side}counts"
    return f"Blocks{{{side}buf, {counts}, displs, {side}type, {blocks}, comm}}"


def operand(buffer, items, comm="comm"):
    return f"Operand{{{buffer}, {items}, datatype, {comm}}}"


def only(when, items):
    return f"{when} ? {items} : 0"


def to_all(items):
    return operand("sendbuf", items), operand("recvbuf", items)


# In place, the operands are what is received into.
SCATTERED = {
    "Reduce_scatter_block": ("static_cast<std::int64_t>(group.size) * recvcount", "recvcount"),
    "Reduce_scatter": ("sum(recvcounts, group.size)", "of_rank(recvcounts, group)"),
}

# By the name of the blocking call: what is sent and what is received.
SIDES = {
    "Bcast": (f"EvenBlocks{{buffer, count, datatype, {ROOT}, comm}}", f"EvenBlocks{{buffer, count, datatype, !{ROOT} && {LEAF}, comm}}"),
    "Gather": (even("send", LEAF), even("recv", only(ROOT, "group.receives"))),
    "Gatherv": (even("send", LEAF), uneven("recv", only(ROOT, "group.receives"))),
    "Scatter": (even("send", only(ROOT, "group.sends")), even("recv", LEAF)),
    "Scatterv": (uneven("send", only(ROOT, "group.sends")), even("recv", LEAF)),
    "Allgather": (even("send", "1"), even("recv", "group.receives")),
    "Allgatherv": (even("send", "1"), uneven("recv", "group.receives")),
    "Alltoall": (even("send", "group.sends"), even("recv", "group.receives")),
    "Reduce": (operand("sendbuf", only(LEAF, "count")), operand("recvbuf", only(ROOT, "count"))),
    "Allreduce": to_all("count"), "Scan": to_all("count"), "Exscan": to_all("count"),
    **{name: (operand("sendbuf", whole), operand("recvbuf", f"sendbuf == MPI_IN_PLACE ? {whole} : {own}"))
       for name, (whole, own) in SCATTERED.items()},
    "Reduce_local": (operand("inbuf", "count", "MPI_COMM_SELF"), operand("inoutbuf", "count", "MPI_COMM_SELF")),
}
# Of which the blocking forms may go by NCCL: nccl_calls.hpp has a function for each.
BY_NCCL = {"Bcast", "Allgather", "Reduce", "Allreduce", "Reduce_scatter_block"}
# Of which each form may be ours, and of which it may without other ranks: a function of these headers for each.
IN_EACH_FORM = {**{name: "moved" for name in ("Bcast", "Gather", "Gatherv", "Scatter", "Scatterv", "Allgather", "Allgatherv", "Alltoall")},
                **{name: "neighbor_as_alltoallv" for name in ("Neighbor_allgather", "Neighbor_allgatherv", "Neighbor_alltoall")},
                **{name: "device_reduction" for name in ("Allreduce", "Reduce", "Reduce_scatter_block", "Reduce_scatter")}}
ALONE = {"Reduce_local": "device_reduction"}
# To no neighbours nothing is sent.
TO_NEIGHBORS = even("send", "group.sends != 0")
SIDES |= {"Neighbor_allgather": (TO_NEIGHBORS, SIDES["Allgather"][1]), "Neighbor_allgatherv": (TO_NEIGHBORS, SIDES["Allgatherv"][1]),
          "Neighbor_alltoall": SIDES["Alltoall"]}


def fills(name):
    """When what is received into must be in its copy before: the call reads it, or may leave some of it as it was."""
    if name.startswith("Neighbor_"):
        return "some_source_is_nobody"
    if name in ("Exscan", "Reduce_local"):
        return "always"
    return "never" if name == "Bcast" else "sendbuf == MPI_IN_PLACE ? always : never"


def blocking_name(call):
    name = core_code.short(call).removesuffix("_c").removesuffix("_init")
    return name[1:].capitalize() if name[0] == "I" and name not in SIDES else name


def handed_on(call):
    """The arguments, of which those that a copy replaces are a side's."""
    name = blocking_name(call)
    if name == "Bcast":
        used = "used(sent, received, buffer)"
        return f"const_cast<void*>({used}.buffer), count, {used}.type, root, comm"
    side, words = None, []
    for kind, argument in call.arguments:
        if kind in ("sendbuf", "recvbuf"):
            side = "sent" if kind == "sendbuf" else "received"
            words.append(f"{side}.buffer" if kind == "sendbuf" else f"const_cast<void*>({side}.buffer)")
        elif kind in ("sdispls", "rdispls"):
            words.append(f"{side}.displacements")
        elif kind == "datatype" and argument != "datatype":
            words.append(side_type(call, argument, side))
        elif kind not in ("info", "request"):
            words.append(argument)
    return ", ".join(words)


def side_type(call, argument, side):
    uneven_side = any(kind in ("sdispls", "rdispls") and (kind == "sdispls") == (side == "sent") for kind, _ in call.arguments)
    return f"{side}.types" if uneven_side else f"{side}.type"


def own(side, count=None, place=None):
    return f"{{{side}buf, {count or f'{side}count'}, {side}type{f', {place}' if place else ''}}}"


def operands(count, received="recvbuf", sent="sendbuf"):
    return f"{{{sent}, {count}, datatype}}", f"{{{received}, {count}, datatype}}"


def arrays(side):
    return f"{side}counts != nullptr && displs != nullptr"


def of_one_type(condition):
    """Looked at first, as it costs no call of the MPI."""
    return f"sendtype == recvtype && {condition}"


ONE, SAME_COUNTS, AT_ROOT = "sendbuf == recvbuf", of_one_type("sendcount == recvcount"), "rank == root"
GATHERED = own("send"), own("recv", place="std::int64_t{rank} * recvcount")
GATHERED_V = own("send"), own("recv", "recvcounts[rank]", "displs[rank]")
# By the name of the blocking call: when a rank may have one buffer on both sides, what it has for itself as it is sent and as it is received,
# and when it has that. MPICH asks for the same.
ONE_BUFFER = {
    "Gather": (SAME_COUNTS, *GATHERED, AT_ROOT), "Gatherv": (of_one_type("sendcount > 0"), *GATHERED_V, f"{AT_ROOT} && {arrays('recv')}"),
    "Scatter": (SAME_COUNTS, own("send", place="std::int64_t{rank} * sendcount"), own("recv"), AT_ROOT),
    "Scatterv": (of_one_type("recvcount > 0"), own("send", "sendcounts[rank]", "displs[rank]"), own("recv"), f"{AT_ROOT} && {arrays('send')}"),
    "Allgather": (SAME_COUNTS, *GATHERED, "true"), "Allgatherv": (of_one_type("sendcount > 0"), *GATHERED_V, arrays("recv")),
    "Alltoall": (f"{ONE} && {SAME_COUNTS}", own("send"), own("recv"), "true"),
    "Reduce": (ONE, *operands("count"), AT_ROOT), **{name: (ONE, *operands("count"), "true") for name in ("Allreduce", "Scan", "Exscan")},
    "Reduce_scatter_block": (ONE, *operands("recvcount"), "true"),
    "Reduce_scatter": (ONE, *operands("sum(recvcounts, all_of(comm).size)"), "true"),  # whatever this rank gets of it
    "Reduce_local": ("inbuf == inoutbuf", *operands("count", "inoutbuf", "inbuf"), None),
}
ALONE_WITH = {"sendbuf": "one.memory", "recvbuf": "one.memory", "sendcounts": "&few", "recvcounts": "&few", "sdispls": "&first", "rdispls": "&first",
              "datatype": "MPI_INT", "op": "MPI_SUM", "int": "0", "comm": "own_comm()", "info": "MPI_INFO_NULL", "request": "&one.request"}


def is_refused(call):
    """Defines what tells whether the MPI refuses the call for its one buffer: it is asked by the same call of this rank alone."""
    may_be, sent, received, when = ONE_BUFFER[blocking_name(call)]
    few = next((f"OneBuffer::few({argument})" for kind, argument in call.arguments if kind == "count"), "OneBuffer::most")
    given = ", ".join(few if kind == "count" else ALONE_WITH[kind] for kind, _ in call.arguments)
    defined = "".join(f"const std::remove_cvref_t<decltype(*{argument})> {f'few = {few}' if 'counts' in kind else 'first = 0'}; "
                      for kind, argument in call.arguments if kind in ("sendcounts", "recvcounts", "sdispls", "rdispls"))
    in_group = "" if when is None else f"""
    const int rank = rank_in_group(comm);
    if (rank < 0 || !({when})) return false;"""
    return f"""  const auto is_refused = [=] {{
    if (!({may_be})) return false;{in_group}
    if (!are_one({sent}, {received})) return false;
    return mpi_refuses([&](OneBuffer& one) {{ {defined}return next<Function>(call::{core_code.short(call)})({given}); }});
  }};
"""


def function(call):
    name = blocking_name(call)
    kinds = [kind for kind, _ in call.arguments]
    last = [kind for kind in kinds if kind in ("info", "request")]
    group_of = {"Reduce_local": "nobody"}.get(name, "neighbours_of" if name.startswith("Neighbor_") else "all_of")
    comm = "comm" if "comm" in kinds else "MPI_COMM_SELF"
    sent, received = SIDES[name]
    mpis = f"next<Function>(call::{core_code.short(call)})"
    more = "".join(f", {word}" for word in last)
    names = ", ".join(argument for _, argument in call.arguments)
    by_nccl = "" if last or name not in BY_NCCL else f"""  if (nccl::is_open()) {{
    if (const std::optional<int> code = nccl::{name}({names})) return *code;
  }}
"""
    by_us = ""
    if name in IN_EACH_FORM:
        words = ", ".join(argument for kind, argument in call.arguments if kind not in ("info", "request"))
        form = ["", "request", "request, true, info"][len(last)]
        by_us = f"""  if (job_is_open()) {{
    if (const std::optional<int> code = {IN_EACH_FORM[name]}::{name}({words}, Form{{{form}}})) return *code;
  }}
"""
    if name in ALONE:
        by_us = f"""  if (any_may_be_staged()) {{
    if (const std::optional<int> code = {ALONE[name]}::{name}({names})) return *code;
  }}
"""
    checked = refused = ""
    if name in ONE_BUFFER:
        checked = f"{is_refused(call)}  if (job_is_open() && is_refused()) return {mpis}({names});\n"
        refused = " || is_refused()"
        if name in ALONE:
            checked, by_us = is_refused(call), by_us.replace("any_may_be_staged()", "any_may_be_staged() && !is_refused()")
    unnamed = "[[maybe_unused]] const auto& group"
    return f"""int staged_{core_code.short(call)}({core_code.parameters(call)}) noexcept {{
  using Function = int({core_code.types(call)});
{checked}{by_nccl}{by_us}  if (!any_may_be_staged(){refused}) return {mpis}({names});
  return collective(call::{core_code.short(call)}, {comm}, {group_of},
      [=]({unnamed}) {{ return Sides{{{sent}, {received}, {fills(name)}}}; }},
      [=](const auto& sent, const auto& received, auto... last) {{ return {mpis}({handed_on(call)}, last...); }}{more});
}}
"""


def source(exported):
    chosen = [call for call in exported if call.fate == calls.STAGED]
    takes = [f"take(call::{core_code.short(call)}, staged_{core_code.short(call)});" for call in chosen]
    headers = [*(f"collectives/{name}" for name in ("blocks", "neighbor_as_alltoallv", "group", "moved", "one_buffer", "device_reduction", "sides", "staged")), "job/job", "nccl/nccl_calls"]
    return core_code.definition("take_staged", headers, map(function, chosen), takes)
