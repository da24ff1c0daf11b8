# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The call table of the interposer: every MPI call that it knows, its arguments by kind, and what happens to it.

An argument is written "<kind> <name>". A kind gives the C type, in the call itself and in its `_c` twin, which counts in
MPI_Count. generate.py makes code and documentation of this table; a test compiles it against each mpi.h.
"""
import dataclasses

# What happens to a call.
COUNTED = "counted"      # handed on; observed where the environment asks for it, as all but the last two
SENT = "sent"            # ours if a device has the memory
RECEIVED = "received"    # the same, and all that may come by one of our protocols
PROBED = "probed"        # told of messages, whatever protocol brings them
COMPLETED = "completed"  # moves our messages on
EXCHANGED = "exchanged"  # messages of ours where all ranks have the library
PLANNED = "planned"      # the MPI's call, and work of ours before or after it
STAGED = "staged"        # the MPI's, on copies in host memory of what a device has
FILED = "filed"          # the same, of files
ONE_SIDED = "one_sided"  # the same, of windows
PARTITIONED = "partitioned"  # the same, of partitions
REFUSED = "refused"      # the MPI's, unless it cannot take the memory
PASSED = "passed"        # a trampoline to the MPI's own, for improvements to come
UNTOUCHED = "untouched"  # not exported: reaches the MPI without us

# kind: (C type in the call, C type in the `_c` twin)
SAME = {
    "sendbuf": "const void*", "recvbuf": "void*", "int": "int", "datatype": "MPI_Datatype", "comm": "MPI_Comm", "comm_made": "MPI_Comm*", "file_made": "MPI_File*", "info_made": "MPI_Info*", "op": "MPI_Op",
    "info": "MPI_Info", "session": "MPI_Session", "session_made": "MPI_Session*", "errhandler": "MPI_Errhandler", "request": "MPI_Request*", "request_value": "MPI_Request", "requests": "MPI_Request*",
    "const_requests": "const MPI_Request*", "status": "MPI_Status*", "const_status": "const MPI_Status*",
    "message": "MPI_Message*", "flag": "int*", "ints": "int*", "const_ints": "const int*", "types": "const MPI_Datatype*",
    "file": "MPI_File", "win": "MPI_Win", "win_made": "MPI_Win*", "group": "MPI_Group", "attribute": "void*", "place": "MPI_Aint", "offset": "MPI_Offset",
    "text": "const char*", "type": "MPI_Datatype*", "byte_displs": "const MPI_Aint*", "long_count": "MPI_Count", "argc": "int*", "argv": "char***",
}
WIDENED = {
    "count": ("int", "MPI_Count"),
    "unit": ("int", "MPI_Aint"),
    "size": ("int", "MPI_Count"),            # bytes of a buffer that may be longer than what is used of it
    "position": ("int*", "MPI_Count*"),      # read and written
    "place_size": ("MPI_Aint", "MPI_Count"),
    "place_position": ("MPI_Aint*", "MPI_Count*"),
    "result": ("int*", "MPI_Count*"),        # written
    "sendcounts": ("const int*", "const MPI_Count*"),
    "recvcounts": ("const int*", "const MPI_Count*"),
    "sdispls": ("const int*", "const MPI_Aint*"),
    "rdispls": ("const int*", "const MPI_Aint*"),
}
KINDS = {**{kind: (c, c) for kind, c in SAME.items()}, **WIDENED}


@dataclasses.dataclass(frozen=True)
class Call:
    name: str
    fate: str
    arguments: tuple  # of (kind, name)
    twin: bool        # whether MPI 4 has the same call with `_c`
    since: int        # the MPI version that brought the call itself
    large: bool = False  # this is the twin

    @property
    def exported(self):
        return self.fate != UNTOUCHED

    def type_of(self, kind):
        return KINDS[kind][self.large]


def parse(text):
    return tuple(tuple(argument.split()) for argument in text.split(", ")) if text else ()


def calls(fate, arguments, *names, twin=True, since=3):
    return [Call(f"MPI_{name}", fate, parse(arguments), twin, since) for name in names]


SEND = "sendbuf buf, count count, datatype datatype, int dest, int tag, comm comm"
RECEIVE = "recvbuf buf, count count, datatype datatype, int source, int tag, comm comm"
BOTH = ("sendbuf sendbuf, count sendcount, datatype sendtype, int dest, int sendtag, recvbuf recvbuf, count recvcount, "
        "datatype recvtype, int source, int recvtag, comm comm")
REPLACE = "recvbuf buf, count count, datatype datatype, int dest, int sendtag, int source, int recvtag, comm comm"
MATCHED = "recvbuf buf, count count, datatype datatype, message message"
ALL_V = ("sendbuf sendbuf, sendcounts sendcounts, sdispls sdispls, datatype sendtype, "
         "recvbuf recvbuf, recvcounts recvcounts, rdispls rdispls, datatype recvtype, comm comm")
ALL_W = ("sendbuf sendbuf, sendcounts sendcounts, sdispls sdispls, types sendtypes, "
         "recvbuf recvbuf, recvcounts recvcounts, rdispls rdispls, types recvtypes, comm comm")
NEIGHBOR_W = ALL_W.replace("sdispls sdispls", "byte_displs sdispls").replace("rdispls rdispls", "byte_displs rdispls")
REDUCED = "sendbuf sendbuf, recvbuf recvbuf, count count, datatype datatype, op op, comm comm"
REDUCED_BLOCK = REDUCED.replace("count count", "count recvcount")
TO_ROOT = REDUCED.replace("comm comm", "int root, comm comm")
BROADCAST = "recvbuf buffer, count count, datatype datatype, int root, comm comm"
ALL = ("sendbuf sendbuf, count sendcount, datatype sendtype, recvbuf recvbuf, count recvcount, datatype recvtype, "
       "comm comm")
GATHER = ("sendbuf sendbuf, count sendcount, datatype sendtype, recvbuf recvbuf, count recvcount, datatype recvtype, "
          "int root, comm comm")
GATHER_V = GATHER.replace("count recvcount", "recvcounts recvcounts, rdispls displs")
SCATTER_V = GATHER.replace("count sendcount", "sendcounts sendcounts, sdispls displs")
ALL_GATHER_V = GATHER_V.replace("int root, ", "")
REDUCED_SCATTER = REDUCED.replace("count count", "recvcounts recvcounts")
REDUCED_HERE = "sendbuf inbuf, recvbuf inoutbuf, count count, datatype datatype, op op"
ORIGIN = "sendbuf origin, count origin_count, datatype origin_datatype"
RESULT = "recvbuf result, count result_count, datatype result_datatype"
TARGET = "int target_rank, place target_disp, count target_count, datatype target_datatype"
REQUEST = ", request request"
STATUS = ", status status"
PERSISTENT = ", info info, request request"
SOME = "int incount, requests requests, ints outcount, ints indices, status statuses"


def staged(arguments, *names):
    """Calls in their three forms: blocking, nonblocking, persistent."""
    return [*calls(STAGED, arguments, *names),
            *calls(STAGED, arguments + REQUEST, *(f"I{name[0].lower()}{name[1:]}" for name in names)),
            *calls(STAGED, arguments + PERSISTENT, *(f"{name}_init" for name in names), since=4)]


def filed(verb, buffer):
    """Calls that read files, or write them: (blocking, nonblocking, and in two halves)."""
    data = f"{buffer}, count count, datatype datatype"
    here, there = f"file fh, {data}", f"file fh, offset offset, {data}"
    return [*calls(FILED, here + STATUS, f"File_{verb}", f"File_{verb}_all", f"File_{verb}_shared", f"File_{verb}_ordered"),
            *calls(FILED, there + STATUS, f"File_{verb}_at", f"File_{verb}_at_all"),
            *calls(FILED, here + REQUEST, f"File_i{verb}", f"File_i{verb}_all", f"File_i{verb}_shared"),
            *calls(FILED, there + REQUEST, f"File_i{verb}_at", f"File_i{verb}_at_all"),
            *calls(FILED, here, f"File_{verb}_all_begin", f"File_{verb}_ordered_begin"),
            *calls(FILED, there, f"File_{verb}_at_all_begin"),
            *calls(FILED, f"file fh, {buffer}{STATUS}", f"File_{verb}_all_end", f"File_{verb}_ordered_end", f"File_{verb}_at_all_end",
                   twin=False)]


TABLE = [
    *calls(PLANNED, "argc argc, argv argv", "Init", twin=False),
    *calls(PLANNED, "argc argc, argv argv, int required, ints provided", "Init_thread", twin=False),
    *calls(PLANNED, "", "Finalize", twin=False),
    *calls(PLANNED, "info info, errhandler errhandler, session_made session", "Session_init", twin=False, since=4),
    *calls(PLANNED, "session_made session", "Session_finalize", twin=False, since=4),
    *calls(COUNTED, "type datatype", "Type_commit", twin=False),

    *calls(PLANNED, "comm comm, info info", "Comm_set_info", twin=False),
    *calls(PLANNED, "comm comm, info_made info", "Comm_get_info", twin=False),
    *calls(PLANNED, "comm comm, info info, comm_made newcomm", "Comm_dup_with_info", twin=False),
    *calls(PLANNED, "comm comm, info info, comm_made newcomm" + REQUEST, "Comm_idup_with_info", twin=False, since=4),
    *calls(PLANNED, "comm comm, int split_type, int key, info info, comm_made newcomm", "Comm_split_type", twin=False),
    *calls(PLANNED, "group group, text stringtag, info info, errhandler errhandler, comm_made newcomm", "Comm_create_from_group", twin=False, since=4),

    *calls(SENT, SEND, "Send", "Bsend", "Ssend", "Rsend"),
    *calls(SENT, SEND + REQUEST, "Isend", "Ibsend", "Issend", "Irsend"),
    *calls(SENT, SEND + REQUEST, "Send_init", "Bsend_init", "Ssend_init", "Rsend_init"),
    *calls(RECEIVED, RECEIVE + STATUS, "Recv"),
    *calls(RECEIVED, RECEIVE + REQUEST, "Irecv", "Recv_init"),
    *calls(RECEIVED, BOTH + STATUS, "Sendrecv"),
    *calls(RECEIVED, REPLACE + STATUS, "Sendrecv_replace"),
    *calls(RECEIVED, BOTH + REQUEST, "Isendrecv", since=4),
    *calls(RECEIVED, REPLACE + REQUEST, "Isendrecv_replace", since=4),
    *calls(PROBED, "int source, int tag, comm comm" + STATUS, "Probe", twin=False),
    *calls(PROBED, "int source, int tag, comm comm, flag flag" + STATUS, "Iprobe", twin=False),
    *calls(PROBED, "int source, int tag, comm comm, message message" + STATUS, "Mprobe", twin=False),
    *calls(PROBED, "int source, int tag, comm comm, flag flag, message message" + STATUS, "Improbe", twin=False),
    *calls(RECEIVED, MATCHED + STATUS, "Mrecv"),
    *calls(RECEIVED, MATCHED + REQUEST, "Imrecv"),
    *calls(COMPLETED, "request request", "Start", twin=False),
    *calls(COMPLETED, "int count, requests requests", "Startall", twin=False),

    *calls(COMPLETED, "request request" + STATUS, "Wait", twin=False),
    *calls(COMPLETED, "int count, requests requests, status statuses", "Waitall", twin=False),
    *calls(COMPLETED, "int count, requests requests, ints index" + STATUS, "Waitany", twin=False),
    *calls(COMPLETED, SOME, "Waitsome", "Testsome", twin=False),
    *calls(COMPLETED, "request request, flag flag" + STATUS, "Test", twin=False),
    *calls(COMPLETED, "int count, requests requests, flag flag, status statuses", "Testall", twin=False),
    *calls(COMPLETED, "int count, requests requests, ints index, flag flag" + STATUS, "Testany", twin=False),
    *calls(COMPLETED, "request request", "Request_free", "Cancel", twin=False),
    *calls(COMPLETED, "request_value request, flag flag" + STATUS, "Request_get_status", twin=False),
    *calls(PASSED, "const_status status, datatype datatype, result count", "Get_count", "Get_elements"),

    *calls(PARTITIONED, "sendbuf buf, int partitions, long_count count, datatype datatype, int dest, int tag, comm comm"
           + PERSISTENT, "Psend_init", twin=False, since=4),
    *calls(PARTITIONED, "recvbuf buf, int partitions, long_count count, datatype datatype, int source, int tag, comm comm"
           + PERSISTENT, "Precv_init", twin=False, since=4),
    *calls(PARTITIONED, "int partition, request_value request", "Pready", twin=False, since=4),
    *calls(PARTITIONED, "int partition_low, int partition_high, request_value request", "Pready_range", twin=False, since=4),
    *calls(PARTITIONED, "int length, const_ints partitions, request_value request", "Pready_list", twin=False, since=4),
    *calls(PARTITIONED, "request_value request, int partition, flag flag", "Parrived", twin=False, since=4),

    *calls(SENT, "sendbuf inbuf, count incount, datatype datatype, recvbuf outbuf, size outsize, position position, "
                    "comm comm", "Pack"),
    *calls(SENT, "sendbuf inbuf, size insize, position position, recvbuf outbuf, count outcount, datatype datatype, "
                    "comm comm", "Unpack"),
    *calls(COUNTED, "count incount, datatype datatype, comm comm, result size", "Pack_size"),

    *calls(EXCHANGED, ALL_V, "Alltoallv", "Neighbor_alltoallv"),
    *calls(EXCHANGED, ALL_V + REQUEST, "Ialltoallv", "Ineighbor_alltoallv"),
    *calls(EXCHANGED, ALL_V + PERSISTENT, "Alltoallv_init", "Neighbor_alltoallv_init", since=4),
    *calls(EXCHANGED, ALL_W, "Alltoallw"),
    *calls(EXCHANGED, ALL_W + REQUEST, "Ialltoallw"),
    *calls(EXCHANGED, ALL_W + PERSISTENT, "Alltoallw_init", since=4),
    *calls(EXCHANGED, NEIGHBOR_W, "Neighbor_alltoallw"),
    *calls(EXCHANGED, NEIGHBOR_W + REQUEST, "Ineighbor_alltoallw"),
    *calls(EXCHANGED, NEIGHBOR_W + PERSISTENT, "Neighbor_alltoallw_init", since=4),

    *staged(BROADCAST, "Bcast"),
    *staged(GATHER, "Gather", "Scatter"),
    *staged(GATHER_V, "Gatherv"),
    *staged(SCATTER_V, "Scatterv"),
    *staged(ALL, "Allgather", "Alltoall", "Neighbor_allgather", "Neighbor_alltoall"),
    *staged(ALL_GATHER_V, "Allgatherv", "Neighbor_allgatherv"),
    *staged(TO_ROOT, "Reduce"),
    *staged(REDUCED, "Allreduce", "Scan", "Exscan"),
    *staged(REDUCED_BLOCK, "Reduce_scatter_block"),
    *staged(REDUCED_SCATTER, "Reduce_scatter"),
    *calls(STAGED, REDUCED_HERE, "Reduce_local"),

    *calls(PLANNED, "comm comm, text filename, int amode, info info, file_made fh", "File_open", twin=False),
    *calls(PLANNED, "file_made fh", "File_close", twin=False),
    *filed("read", "recvbuf buf"),
    *filed("write", "sendbuf buf"),

    *calls(PLANNED, "recvbuf base, place size, unit disp_unit, info info, comm comm, win_made win", "Win_create"),
    *calls(PLANNED, "info info, comm comm, win_made win", "Win_create_dynamic", twin=False),
    *calls(PLANNED, "win win, recvbuf base, place size", "Win_attach", twin=False),
    *calls(PLANNED, "win win, sendbuf base", "Win_detach", twin=False),
    *calls(ONE_SIDED, f"{ORIGIN}, {TARGET}, win win", "Put"),
    *calls(ONE_SIDED, f"{ORIGIN}, {TARGET}, win win".replace("sendbuf", "recvbuf"), "Get"),
    *calls(ONE_SIDED, f"{ORIGIN}, {TARGET}, op op, win win", "Accumulate"),
    *calls(ONE_SIDED, f"{ORIGIN}, {RESULT}, {TARGET}, op op, win win", "Get_accumulate"),
    *calls(ONE_SIDED, f"{ORIGIN}, {TARGET}, win win{REQUEST}", "Rput"),
    *calls(ONE_SIDED, f"{ORIGIN}, {TARGET}, win win{REQUEST}".replace("sendbuf", "recvbuf"), "Rget"),
    *calls(ONE_SIDED, f"{ORIGIN}, {TARGET}, op op, win win{REQUEST}", "Raccumulate"),
    *calls(ONE_SIDED, f"{ORIGIN}, {RESULT}, {TARGET}, op op, win win{REQUEST}", "Rget_accumulate"),
    *calls(ONE_SIDED, "sendbuf origin, recvbuf result, datatype datatype, int target_rank, place target_disp, op op, win win", "Fetch_and_op",
           twin=False),
    *calls(ONE_SIDED, "sendbuf origin, sendbuf compare, recvbuf result, datatype datatype, int target_rank, place target_disp, win win",
           "Compare_and_swap", twin=False),
    # What they read and wrote here is the program's again after one of these, and GPUs' windows need the others.
    *calls(PLANNED, "int mode, win win", "Win_fence", twin=False),
    *calls(PLANNED, "win win", "Win_complete", "Win_unlock_all", "Win_flush_all", "Win_flush_local_all", twin=False),
    *calls(PLANNED, "int rank, win win", "Win_unlock", "Win_flush", "Win_flush_local", twin=False),
    *calls(PLANNED, "win_made win", "Win_free", twin=False),
    *calls(PLANNED, "int lock_type, int rank, int mode, win win", "Win_lock", twin=False),
    *calls(PLANNED, "int mode, win win", "Win_lock_all", twin=False),
    *calls(PLANNED, "group group, int mode, win win", "Win_post", "Win_start", twin=False),
    *calls(PLANNED, "win win, int keyval, attribute attribute, flag flag", "Win_get_attr", twin=False),

    *calls(REFUSED, "text datarep, sendbuf inbuf, count incount, datatype datatype, recvbuf outbuf, place_size outsize, "
                    "place_position position", "Pack_external"),
    *calls(REFUSED, "text datarep, sendbuf inbuf, place_size insize, place_position position, recvbuf outbuf, count outcount, "
                    "datatype datatype", "Unpack_external"),
    *calls(REFUSED, "recvbuf buffer, count size", "Buffer_attach"),
    *calls(REFUSED, "comm comm, recvbuf buffer, count size", "Comm_attach_buffer", since=5),

    *calls(UNTOUCHED, "session session, recvbuf buffer, count size", "Session_attach_buffer", since=5),

    # MPIs of today lack some of these.
    *calls(UNTOUCHED, "int count, const_requests requests, flag flag, status statuses", "Request_get_status_all", twin=False,
           since=5),
    *calls(UNTOUCHED, "int count, const_requests requests, ints index, flag flag" + STATUS, "Request_get_status_any", twin=False,
           since=5),
    *calls(UNTOUCHED, SOME.replace("requests requests", "const_requests requests"), "Request_get_status_some", twin=False,
           since=5),
]


def with_twins(table):
    """Each call, followed by its `_c` twin where MPI has one."""
    for call in table:
        yield call
        if call.twin:
            yield dataclasses.replace(call, name=call.name + "_c", large=True, since=4)


# Made by the core of other calls where the MPI lacks them. Persistent exchanges are too, but only where all ranks share a session.
MADE = ("MPI_Isendrecv", "MPI_Isendrecv_replace")

EXPORTED = [call for call in with_twins(TABLE) if call.exported]
