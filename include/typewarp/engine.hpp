// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/plan.hpp>
#include <typewarp/stream.hpp>

namespace typewarp {

/// What a pointer points to.
enum class MemoryKind : std::uint8_t {
  host,     ///< pageable host memory: not known to the GPU's driver
  pinned,   ///< page-locked host memory that the device can address
  managed,  ///< what moves between host and devices by itself
  device,   ///< device memory
};

/// As the enumerator is spelled.
std::string_view name(MemoryKind) noexcept;

/// Which memory a pointer points to.
struct PointerInfo {
  MemoryKind kind = MemoryKind::host;
  int device = -1;  ///< where it lives; -1 for host memory
};

/// What kind of memory `pointer` points to; host for everything in a process without a usable GPU.
PointerInfo pointer_info(const void* pointer);

/// Whether this library was built for GPUs, and whether a usable GPU is present.
bool built_with_gpu() noexcept;
bool gpu_present() noexcept;

// One operation in three shapes (design: docs/internals/architecture.md). `buffer` is what the datatype's
// displacements are relative to (null for a type of absolute addresses); `packed` is the byte
// `range.begin` of the packed stream of `count` items. The sides may lie in different kinds of memory, but
// each side lies in one kind and on one device, judged by its first byte of data: a struct of absolute
// addresses that has members in host and in device memory is not supported.
//
// Stream semantics: work that involves a device is enqueued on `stream` and the call returns without
// waiting for it; if either side is pageable host memory and the other a device's,
// the call returns when all bytes are in place. Host-to-host work is done when the call returns, and orders
// with no stream. Managed memory counts as a device's. Between two devices the call also returns when all
// bytes are in place, unless the executing device reaches the other's memory: it has peer access, and the
// memory is a plain allocation (cudaMalloc's) and not a memory pool's or mapped virtual memory.
// The device of `stream` executes; of the default streams, that of the source if it is a device's, else that
// of the destination, on its default stream.
//
// Beyond that a call waits for a device in two cases: the first operation on a device loads kernels, for
// which the driver may wait for that device; and the first use of a plan on a device frees what plans dropped
// before have left there (which waits for that device) once this exceeds 64 MiB or no other memory is
// left.
//
// An operation may be captured into a GPU graph, whose replays need the plans to live, unless the call would
// return only when all bytes are in place: InvalidArgument then, and the capture stays valid.
//
// Throws InvalidArgument for a negative count, a count whose items do not fit 64 bits of bytes in a call
// without a range, a range outside [0, count * size], or a null pointer to the packed bytes of a range that
// is not empty; with the first bytes that the host moves, for a malformed TYPEWARP_HOST_THREADS (host.hpp);
// GpuError for a failing launch.
//
// Source and destination must not overlap, and what is written must not overlap itself: what it holds then
// depends on the method, the length and the number of threads, however right it looks for short ones. Where
// neither side has gaps that is InvalidArgument; for others it would take too long to tell. Bytes may be
// copied onto themselves in the same order. The calls of Python tell, and copy through memory between.

void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed, Stream stream = {});
void pack(const void* buffer, std::int64_t count, const Plan& plan, void* packed, ByteRange range,
          Stream stream = {});

/// Touches no byte outside the type map.
void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan, Stream stream = {});
void unpack(const void* packed, void* buffer, std::int64_t count, const Plan& plan, ByteRange range,
            Stream stream = {});

/// Layout to layout: moves bytes `range` of the packed stream, which is the same for both sides. Without a
/// range, both sides must hold equally many bytes.
void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
          std::int64_t destination_count, const Plan& destination_plan, Stream stream = {});
void copy(const void* source, std::int64_t source_count, const Plan& source_plan, void* destination,
          std::int64_t destination_count, const Plan& destination_plan, ByteRange range, Stream stream = {});

}  // namespace typewarp
