# Copyright (c) 2026 The Typewarp Authors
# SPDX-License-Identifier: BSD-3-Clause
"""The figures of messages between two GPUs."""

from claims import compared, ratio, times_faster
from figure import MIB, Figure
from reporting import size_name

AUTOMATIC = {"memory": "device-device", "method": "automatic"}
THROUGH_HOST = "messages go from GPU to GPU here, packed into the memory of the other, and those of the baseline " \
    "through the host, as in the paper"


def pingpong(name, title, pattern, claims, seconds, **more):
    return Figure(
        name,
        title,
        claims,
        "pingpong/run.py",
        ("--gpu-a-rank", "--filter", pattern, "--most", str(more.pop("most", 64 * MIB))),
        seconds,
        2,
        **{
            "panel": lambda row: f"{row['case']}, {row['mpi']}, {row['gpus']} GPUs",
            "x_label": "bytes",
            **more,
        },
    )


FIGURES = [
    pingpong(
        "000-fig8",
        "000 figure 8, 002 figure 7, 003 figure 6: vectors from GPU to GPU and back",
        "^vector-(8|32|128)/device-device/(automatic|memcpy2d)",
        [
            times_faster(
                "8 B blocks: much faster than cudaMemcpy2D and MPI (1 MiB and more)",
                "memcpy2d_send",
                {**AUTOMATIC, "case": "vector-8"},
                least=2,
                from_bytes=MIB,
                because="copy engines move short rows nearly as fast as the way between the GPUs",
            ),
            times_faster(
                "128 B blocks: cudaMemcpy2D and MPI are largely as fast",
                "memcpy2d_send",
                {**AUTOMATIC, "case": "vector-128"},
                least=0.8,
                most=1.25,
                because=THROUGH_HOST,
            ),
        ],
        40,
    ),
    pingpong(
        "001-fig5",
        "001 figure 5: vectors of floats between GPUs, by three designs",
        "^vector-4/device-device/(automatic|memcpy2d)",
        [
            times_faster(
                "At 4 MiB up to 88 % less time than cudaMemcpy2D and MPI_Send",
                "memcpy2d_send",
                {**AUTOMATIC, "case": "vector-4"},
                least=1 / (1 - 0.88),
                from_bytes=4 * MIB,
                to_bytes=4 * MIB,
                because="copy engines move short rows nearly as fast as the way between the GPUs",
            ),
            times_faster(
                "A hand-tuned pipeline is about as fast",
                "memcpy2d_pipelined",
                {**AUTOMATIC, "case": "vector-4"},
                least=0.8,
                most=1.25,
                from_bytes=65536,
                because=THROUGH_HOST,
            ),
        ],
        20,
        most=16 * MIB,
    ),
    Figure(
        "001-tuning",
        "001 section IV-B: the length of blocks of a pipeline, swept, and its model",
        [
            ratio(
                "The model predicts what a pipelined message takes",
                "measured_over_predicted",
                None,
                {"method": "pipelined"},
                least=0.8,
                most=1.25,
                rows="messages",
                because="what a fragment costs beside its bytes differs from what the model is given",
            ),
            ratio(
                "The length that is built in takes no longer than the best",
                "built_in_us",
                "best_us",
                {},
                most=1.1,
                every=True,
                rows="messages",
                because="what is built in, 256 KiB, was chosen by messages of 4 MiB; those of 64 MiB would gain from "
                "fragments of 512 KiB to 2 MiB, by up to a fifth, and runs of one MPI differ by as much",
            ),
        ],
        "fragments/run.py",
        (),
        45,
        2,
        panel=lambda row: f"{row['method']}, {row['mpi']}",
        x=lambda row: row.get("fragment", row["size"]),
        x_label="bytes of a fragment",
        line=lambda row: size_name(row["size"]),
        is_shown=lambda row: row["method"] in ("pipelined", "direct") and row["built_in"] == "no",
    ),
    pingpong(
        "004-table",
        "004: latency and bandwidth between memory of hosts (H) and devices (D) of one node",
        "^contiguous/.*/automatic/(8|512|2048|1048576)$",
        [
            *(
                compared(
                    f"D-D has less latency than {name} (14.5 and 21.5 us)",
                    "memory",
                    "device-device",
                    memory,
                    {"method": "automatic"},
                    most=1,
                    every=True,
                    to_bytes=512,
                    because="both ends of such a message work on a GPU here, one after the other, and only one of "
                    f"{name}; no network adaptor stands between host and GPU",
                )
                for name, memory in (("H-D", "host-device"), ("D-H", "device-host"))
            ),
            compared(
                "H-H has a fraction of the latency of D-D",
                "memory",
                "host-host",
                "device-device",
                {"method": "automatic"},
                most=0.1,
                to_bytes=512,
                because="messages between devices are nearly as quick as those between processes",
            ),
            compared(
                "1 MiB: D-D is slower than H-H (5.8 and 8.8 GB/s)",
                "memory",
                "device-device",
                "host-host",
                {"method": "automatic"},
                least=1,
                from_bytes=MIB,
                to_bytes=MIB,
                because="GPUs of a node are linked by more than its processors copy: NVLink, or the memory of one GPU",
            ),
        ],
        12,
        panel=lambda row: f"{row['mpi']}, {row['gpus']} GPUs",
        line=lambda row: row["memory"],
    ),
]
