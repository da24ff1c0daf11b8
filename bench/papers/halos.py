# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The figures of the GCL's halo exchange."""

from claims import compared
from figure import Figure

DEVICE, HOST = {"case": "gcl", "memory": "device"}, {"case": "gcl", "memory": "host"}
BY_HAND = "hand_kernels_staged"  # as in the paper: kernels of one's own, and messages of packed bytes


def gcl(name, title, options, claims, seconds, gpus):
    return Figure(
        name,
        title,
        claims,
        "halo/run.py",
        options,
        seconds,
        gpus,
        panel=lambda row: f"{row['case']}, {row['memory']}, {row['mpi']}",
        x=lambda row: row["size"],
        x_label="edge",
        line=lambda row: row["method"],
    )


def on_host(name, title, edges, options, seconds):
    return gcl(
        name,
        title,
        ("--no-gpu", "--filter", f"^gcl/host/(manual|plain_mpi_pack|plain_datatype|datatype)/({edges})$", *options),
        [
            compared(
                "MPI datatypes take about four times as long as packing by hand (120 and 30 ms)",
                "method",
                "plain_datatype",
                "manual",
                HOST,
                least=2,
                because="the MPIs of today pack subarrays nearly as fast as loops do",
            ),
            compared(
                "MPI_Pack takes longer than MPI datatypes (180 and 120 ms)",
                "method",
                "plain_mpi_pack",
                "plain_datatype",
                HOST,
                least=1,
                because="both pack by the same code in the MPIs of today, and packed bytes need no second pass when "
                "they are sent",
            ),
        ],
        seconds,
        0,
    )


FIGURES = [
    on_host(
        "004-gcl-host",
        "004: the GCL's halo exchange in memory of the host, by ways to pack",
        "16|32|64|128",
        (),
        60,
    ),
    # Apart, since these rows take some ten times as long: to fill and to compare 7 GB is most of it.
    on_host(
        "004-gcl-host-large",
        "004: the same for large cubes",
        "256|512",
        ("--host-mib", "8192"),
        300,
    ),
    gcl(
        "004-gcl-gpu",
        "004: the GCL's halo exchange in memory of GPUs, by ways to pack",
        ("--filter", "^gcl/(device/(manual|datatype|hand)|host/manual/)"),
        [
            compared(
                "Datatypes are not ready: about 100 times as slow as packing by hand (3000 and 30 ms)",
                "method",
                "datatype",
                "manual",
                DEVICE,
                least=10,
                because="a kernel moves a datatype from the memory of one GPU to that of the other, without packed "
                "bytes between, so that it takes less than packing",
            ),
            compared(
                "Slower than on the CPU for small inputs",
                "memory",
                "device",
                "host",
                {"case": "gcl", "method": "manual", "size": "16"},
                least=1,
                because="launches and messages of GPUs take less than loops of the host",
            ),
            compared(
                "Faster than on the CPU for large inputs",
                "memory",
                "device",
                "host",
                {"case": "gcl", "method": "manual", "size": "128"},
                most=1,
                because="at this size messages are still most of the exchange",
            ),
        ],
        40,
        1,
    ),
    gcl(
        "004-pack-gpu",
        "004: the GCL's halo exchange in memory of GPUs, by MPI_Pack and datatypes of the MPI",
        ("--preloaded", "--filter", f"^gcl/device/({BY_HAND}|preloaded_.*)/"),
        [
            compared(
                "MPI_Pack takes about 80 times as long as packing by hand (2500 and 30 ms)",
                "method",
                "preloaded_mpi_pack",
                BY_HAND,
                DEVICE,
                least=10,
                because="the preload library packs a subarray by one kernel, and not by a copy for each run; what "
                "remains is the wait for it, 10 to 15 us in each of 78 calls to pack and 78 to unpack, where kernels "
                "by hand are enqueued in 4 to 6 us each and awaited once",
            ),
            compared(
                "MPI datatypes take about 100 times as long (3000 and 30 ms)",
                "method",
                "preloaded_datatype",
                BY_HAND,
                DEVICE,
                least=10,
                because="the preload library sends a datatype by one kernel, and not by a copy for each run",
            ),
            compared(
                "MPI_Pack takes less than MPI datatypes (2500 and 3000 ms)",
                "method",
                "preloaded_mpi_pack",
                "preloaded_datatype",
                DEVICE,
                most=1,
                because="MPI_Pack has to be done when it returns, so 78 calls to pack and 78 to unpack wait for the "
                "GPU one after the other; messages of datatypes wait together",
            ),
        ],
        35,
        1,
    ),
]
