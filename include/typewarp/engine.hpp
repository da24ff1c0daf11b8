// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>
#include <typewarp/stream.hpp>

namespace typewarp {

/// The kinds of memory.
enum class MemoryKind : std::uint8_t {
  host,     ///< pageable host memory: not known to the GPU's driver
  pinned,   ///< page-locked host memory that the device can address
  managed,  ///< migrates between host and devices automatically
  device,   ///< device memory
};

/// As the enumerator is spelled.
std::string_view name(MemoryKind) noexcept;

/// Which memory a pointer points to.
struct PointerInfo {
  MemoryKind kind = MemoryKind::host;
  int device = -1;  ///< where it lives; -1 for host memory
};

/// The kind of memory that `pointer` points to; always host in a process without a usable GPU.
PointerInfo pointer_info(const void* pointer);

/// Whether this library was built for GPUs, and whether a usable GPU is present.
bool built_with_gpu() noexcept;
bool gpu_present() noexcept;

/// Kernels that the library has launched in this process, except those of persistent operations and of Batch
/// objects. 0 without a GPU.
std::uint64_t kernel_launches() noexcept;

// One operation in three forms (design: docs/internals/architecture.md). `buffer` is what the datatype's
// displacements are relative to (null for a type of absolute addresses); `packed` is byte `range.begin` of
// the packed stream of `count` items. The two sides may be in different kinds of memory, but each side must
// be in one kind and on one device, determined by its first byte of data: a struct of absolute addresses with
// members in both host and device memory is not supported.
//
// Stream semantics: work that involves a device is enqueued on `stream`, and the call returns without waiting
// for it. If one side is pageable host memory and the other device memory, the call returns when all bytes
// are in place. Host-to-host work is done when the call returns, and is not ordered by any stream. Managed
// memory counts as device memory. Between two devices the call also returns when all bytes are in place,
// unless the executing device can access the other's memory: it has peer access, and the memory was allocated
// by cudaMalloc or the like, not from a memory pool or as mapped virtual memory. The device of `stream`
// executes. For a default stream it is the source's device if the source is device memory, else the
// destination's, on its default stream.
//
// In two more cases a call waits for a device. The first operation on a device loads kernels, for which the
// driver may wait for that device. The first use of a plan on a device frees the tables of dropped plans
// there (which waits for that device) if they exceed 64 MiB or no other memory is left.
//
// An operation may be captured into a GPU graph, whose replays need the plans to live, unless the call would
// return only when all bytes are in place: it then throws InvalidArgument, and the capture stays valid.
//
// Throws InvalidArgument for a negative count, a count whose items exceed 64 bits of bytes in a call without
// a range, a range outside [0, count * size], or a null pointer to the packed bytes of a nonempty range; for
// an invalid TYPEWARP_HOST_THREADS (host.hpp), when the host first moves bytes; GpuError for a failing
// launch.
//
// Source and destination must not overlap, and a destination must not overlap itself: its contents would then
// depend on the method, the length and the number of threads, even if they look right for short data. If
// neither side has gaps, that is an InvalidArgument; for other layouts it would take too long to find out.
// Bytes may be copied onto themselves in the same order. The Python calls do find out, and copy through
// temporary memory.

void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed, Stream stream = {});
void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed, ByteRange range,
          Stream stream = {});

/// Writes no byte outside the type map.
void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan, Stream stream = {});
void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan, ByteRange range,
            Stream stream = {});

/// From layout to layout: moves bytes `range` of the packed stream, which is the same for both sides. Without
/// a range, both sides must have the same number of bytes.
void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
          std::int64_t destination_count, const Plan& destination_plan, Stream stream = {});
void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
          std::int64_t destination_count, const Plan& destination_plan, ByteRange range, Stream stream = {});

}  // namespace typewarp
