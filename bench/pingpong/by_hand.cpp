// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "by_hand.hpp"

#include "harness/device.hpp"

#include "check.hpp"

#include <algorithm>
#include <memory>

#include <cuda_runtime_api.h>

namespace typewarp::pingpong {
namespace {

namespace device = harness::device;

using bench::check;

constexpr int tag = 7;
/// Of a pipelined message. 001 tunes this by hand; half a mebibyte is where a copy over PCIe gen 5 takes as
/// long as a launch.
constexpr std::int64_t chunk_bytes = std::int64_t{512} << 10;

std::size_t size(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

/// Rows from `first` on, of which `count` are moved, to or from packed rows.
struct Rows {
  Pitched shape;

  void pack(std::byte* packed, const std::byte* buffer, std::int64_t first, std::int64_t count,
            cudaStream_t stream) const {
    check(cudaMemcpy2DAsync(packed, size(shape.width), at(buffer, first), size(shape.pitch),
                            size(shape.width), size(count), cudaMemcpyDefault, stream),
          "cudaMemcpy2DAsync");
  }
  void unpack(std::byte* buffer, const std::byte* packed, std::int64_t first, std::int64_t count,
              cudaStream_t stream) const {
    check(cudaMemcpy2DAsync(const_cast<std::byte*>(at(buffer, first)), size(shape.pitch), packed,
                            size(shape.width), size(shape.width), size(count), cudaMemcpyDefault, stream),
          "cudaMemcpy2DAsync");
  }
  const std::byte* at(const std::byte* buffer, std::int64_t row) const {
    return buffer + shape.offset + row * shape.pitch;
  }
  std::int64_t bytes() const { return shape.width * shape.height; }
};

struct DestroyEvent {
  void operator()(cudaEvent_t event) const { cudaEventDestroy(event); }
};
using Event = std::unique_ptr<CUevent_st, DestroyEvent>;
Event make_event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), "cudaEventCreateWithFlags");
  return Event(event);
}

/// Memory and streams of one problem, allocated before anything is timed.
struct Bench {
  Peers peers;
  Rows rows;
  const std::byte* from;
  std::byte* to;
  HandMemory memory;  ///< for the whole message
  std::shared_ptr<CUstream_st> packing, copying;
  std::vector<Event> packed, copied;  ///< of each chunk

  std::int64_t rows_a_chunk() const { return std::max<std::int64_t>(1, chunk_bytes / rows.shape.width); }
  std::int64_t chunks() const { return (rows.shape.height + rows_a_chunk() - 1) / rows_a_chunk(); }
};

/// Rows of one chunk, and its place in the packed message.
struct Chunk {
  std::int64_t first, count, at, bytes;
};
Chunk chunk(const Bench& bench, std::int64_t index) {
  const std::int64_t first = index * bench.rows_a_chunk();
  const std::int64_t count = std::min(bench.rows_a_chunk(), bench.rows.shape.height - first);
  const std::int64_t width = bench.rows.shape.width;
  return {first, count, first * width, count * width};
}

// (a): blocking copies, blocking messages.

void send_blocking(const Bench& bench) {
  const Pitched& shape = bench.rows.shape;
  check(cudaMemcpy2D(bench.memory.host_from.get(), size(shape.width), bench.rows.at(bench.from, 0),
                     size(shape.pitch), size(shape.width), size(shape.height), cudaMemcpyDeviceToHost),
        "cudaMemcpy2D");
  MPI_Send(bench.memory.host_from.get(), static_cast<int>(bench.rows.bytes()), MPI_BYTE, bench.peers.other(),
           tag, bench.peers.comm);
}

void receive_blocking(const Bench& bench) {
  const Pitched& shape = bench.rows.shape;
  MPI_Recv(bench.memory.host_to.get(), static_cast<int>(bench.rows.bytes()), MPI_BYTE, bench.peers.other(),
           tag, bench.peers.comm, MPI_STATUS_IGNORE);
  check(cudaMemcpy2D(bench.to + shape.offset, size(shape.pitch), bench.memory.host_to.get(),
                     size(shape.width), size(shape.width), size(shape.height), cudaMemcpyHostToDevice),
        "cudaMemcpy2D");
  // For small copies the call may return before the bytes are in place.
  check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
}

// (b): packed within the device, copied and sent in chunks, each as soon as the step before is done.

void send_pipelined(const Bench& bench) {
  std::vector<MPI_Request> requests(size(bench.chunks()));
  for (std::int64_t i = 0; i < bench.chunks(); ++i) {
    const Chunk part = chunk(bench, i);
    std::byte* const packed = bench.memory.device_from.get() + part.at;
    bench.rows.pack(packed, bench.from, part.first, part.count, bench.packing.get());
    check(cudaEventRecord(bench.packed[size(i)].get(), bench.packing.get()), "cudaEventRecord");
    check(cudaStreamWaitEvent(bench.copying.get(), bench.packed[size(i)].get(), 0), "cudaStreamWaitEvent");
    check(cudaMemcpyAsync(bench.memory.host_from.get() + part.at, packed, size(part.bytes),
                          cudaMemcpyDeviceToHost, bench.copying.get()),
          "cudaMemcpyAsync");
    check(cudaEventRecord(bench.copied[size(i)].get(), bench.copying.get()), "cudaEventRecord");
  }
  for (std::int64_t i = 0; i < bench.chunks(); ++i) {
    const Chunk part = chunk(bench, i);
    check(cudaEventSynchronize(bench.copied[size(i)].get()), "cudaEventSynchronize");
    MPI_Isend(bench.memory.host_from.get() + part.at, static_cast<int>(part.bytes), MPI_BYTE,
              bench.peers.other(), tag, bench.peers.comm, &requests[size(i)]);
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

void receive_pipelined(const Bench& bench) {
  std::vector<MPI_Request> requests(size(bench.chunks()));
  for (std::int64_t i = 0; i < bench.chunks(); ++i) {
    const Chunk part = chunk(bench, i);
    MPI_Irecv(bench.memory.host_to.get() + part.at, static_cast<int>(part.bytes), MPI_BYTE,
              bench.peers.other(), tag, bench.peers.comm, &requests[size(i)]);
  }
  for (std::int64_t i = 0; i < bench.chunks(); ++i) {
    const Chunk part = chunk(bench, i);
    std::byte* const packed = bench.memory.device_to.get() + part.at;
    MPI_Wait(&requests[size(i)], MPI_STATUS_IGNORE);
    check(cudaMemcpyAsync(packed, bench.memory.host_to.get() + part.at, size(part.bytes),
                          cudaMemcpyHostToDevice, bench.copying.get()),
          "cudaMemcpyAsync");
    check(cudaEventRecord(bench.copied[size(i)].get(), bench.copying.get()), "cudaEventRecord");
    check(cudaStreamWaitEvent(bench.packing.get(), bench.copied[size(i)].get(), 0), "cudaStreamWaitEvent");
    bench.rows.unpack(bench.to, packed, part.first, part.count, bench.packing.get());
  }
  check(cudaStreamSynchronize(bench.packing.get()), "cudaStreamSynchronize");
}

void grow(HandMemory& memory, std::int64_t bytes) {
  if (bytes <= memory.bytes) return;
  memory = {};  // before more is taken
  const auto pinned = [&] { return device::allocate_pinned(bytes); };
  const auto packed = [&] { return device::allocate(bytes); };
  memory = {bytes, pinned(), pinned(), packed(), packed()};
}

}  // namespace

std::vector<HandMade> hand_made(const Peers& peers, const Pitched& shape, const std::byte* from,
                                std::byte* to, HandMemory& memory) {
  const Rows rows{shape};
  grow(memory, rows.bytes());
  auto bench = std::make_shared<Bench>(
      Bench{peers, rows, from, to, memory, device::make_stream(), device::make_stream(), {}, {}});
  for (std::int64_t i = 0; i < bench->chunks(); ++i) {
    bench->packed.push_back(make_event());
    bench->copied.push_back(make_event());
  }
  return {{blocking_2d, {[=] { send_blocking(*bench); }, [=] { receive_blocking(*bench); }}},
          {pipelined_2d, {[=] { send_pipelined(*bench); }, [=] { receive_pipelined(*bench); }}}};
}

}  // namespace typewarp::pingpong
