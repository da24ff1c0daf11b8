// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "by_hand_gpu.hpp"

#include "check.hpp"
#include "gpu.hpp"
#include "hand/hand.hpp"
#include "memory.hpp"

#include <exception>

namespace typewarp::halo_bench {
namespace {

using bench::check;

constexpr std::int64_t real = sizeof(double);

double* doubles(std::byte* memory) { return reinterpret_cast<double*>(memory); }
std::size_t bytes(std::int64_t count) { return static_cast<std::size_t>(real * count); }

void copy(void* to, const void* from, std::int64_t count, Stream stream) {
  check(cudaMemcpyAsync(to, from, bytes(count), cudaMemcpyDefault, stream), "cudaMemcpyAsync");
}

class OnDevice : public Wire {
 public:
  explicit OnDevice(const Subject& subject)
      : pattern_(subject.pattern),
        comm_(subject.peers.comm),
        sent_(bench::allocate_device(real * pattern_.packed)),
        received_(bench::allocate_device(real * pattern_.packed_others)) {}

  double* sent() override { return doubles(sent_.get()); }
  double* received() override { return doubles(received_.get()); }
  void run() override { send_parts(pattern_, comm_, sent(), received()); }

 private:
  const Pattern& pattern_;
  MPI_Comm comm_;
  bench::DeviceMemory sent_, received_;
};

class Staged : public Wire {
 public:
  explicit Staged(const Subject& subject)
      : pattern_(subject.pattern),
        comm_(subject.peers.comm),
        stream_(subject.stream),
        sent_(bench::allocate_device(real * pattern_.packed)),
        received_(bench::allocate_device(real * pattern_.packed_others)),
        host_sent_(bench::allocate_pinned(real * pattern_.packed_others)),
        host_received_(bench::allocate_pinned(real * pattern_.packed_others)) {}

  double* sent() override { return doubles(sent_.get()); }
  double* received() override { return doubles(received_.get()); }
  void run() override {
    copy(host_sent_.get(), sent(), pattern_.packed_others, stream_);
    // Also the copy that the exchange before has enqueued from what now is received into.
    gpu::wait(stream_);
    send_parts(pattern_, comm_, doubles(host_sent_.get()), doubles(host_received_.get()));
    copy(received(), host_received_.get(), pattern_.packed_others, stream_);
  }

 private:
  const Pattern& pattern_;
  MPI_Comm comm_;
  Stream stream_;
  bench::DeviceMemory sent_, received_;
  bench::PinnedMemory host_sent_, host_received_;
};

/// Receives by turns into two halves: when all copies of an exchange have come, the other rank has unpacked
/// the exchange before that, and its memory is free.
class PeerCopies : public Wire {
 public:
  explicit PeerCopies(const Subject& subject)
      : pattern_(subject.pattern),
        peers_(subject.peers),
        stream_(subject.stream),
        sent_(bench::allocate_device(real * pattern_.packed)),
        received_(bench::allocate_device(2 * real * pattern_.packed_others)) {
    cudaIpcMemHandle_t mine{};
    cudaIpcMemHandle_t theirs{};
    check(cudaIpcGetMemHandle(&mine, received_.get()), "cudaIpcGetMemHandle");
    MPI_Sendrecv(&mine, sizeof mine, MPI_BYTE, peers_.other(), tag, &theirs, sizeof theirs, MPI_BYTE,
                 peers_.other(), tag, peers_.comm, MPI_STATUS_IGNORE);
    check(cudaIpcOpenMemHandle(&mapped_, theirs, cudaIpcMemLazyEnablePeerAccess), "cudaIpcOpenMemHandle");
  }
  ~PeerCopies() override {
    cudaIpcCloseMemHandle(mapped_);
    // Memory must not go while the other rank has it mapped; where something was thrown, that may never come.
    if (std::uncaught_exceptions() == 0) MPI_Barrier(peers_.comm);
  }

  double* sent() override { return doubles(sent_.get()); }
  double* received() override { return doubles(received_.get()) + half_ * pattern_.packed_others; }
  void run() override {
    half_ = 1 - half_;
    double* const theirs = static_cast<double*>(mapped_) + half_ * pattern_.packed_others;
    for (std::size_t i = 0; i < pattern_.others; ++i) {
      const Part& part = pattern_.parts[i];
      copy(theirs + pattern_.parts[part.opposite].place, sent() + part.place, part.block * pattern_.fields,
           stream_);
    }
    gpu::wait(stream_);
    MPI_Sendrecv(nullptr, 0, MPI_BYTE, peers_.other(), tag, nullptr, 0, MPI_BYTE, peers_.other(), tag,
                 peers_.comm, MPI_STATUS_IGNORE);
  }

 private:
  static constexpr int tag = 26;  // that of no direction

  const Pattern& pattern_;
  Peers peers_;
  Stream stream_;
  bench::DeviceMemory sent_, received_;
  void* mapped_ = nullptr;
  std::int64_t half_ = 0;
};

cudaMemcpy3DParms copy_of(const Span3& cells, std::int64_t length, bool packs, double* array,
                          double* packed) {
  const auto size = [](std::int64_t value) { return static_cast<std::size_t>(value); };
  const cudaPitchedPtr in_array{array, bytes(length), bytes(length), size(length)};
  const cudaPitchedPtr in_packed{packed, bytes(cells.size[2]), bytes(cells.size[2]), size(cells.size[1])};
  cudaMemcpy3DParms parameters{};
  parameters.srcPtr = packs ? in_array : in_packed;
  parameters.dstPtr = packs ? in_packed : in_array;
  (packs ? parameters.srcPos : parameters.dstPos) =
      cudaPos{bytes(cells.begin[2]), size(cells.begin[1]), size(cells.begin[0])};
  parameters.extent = {bytes(cells.size[2]), size(cells.size[1]), size(cells.size[0])};
  parameters.kind = cudaMemcpyDeviceToDevice;
  return parameters;
}

}  // namespace

MoverOf kernels(const Subject& subject) {
  return [stream = subject.stream](const Span3& cells, std::int64_t length) -> Mover {
    const std::int64_t row = real * length;
    const std::int64_t offset = (cells.begin[0] * length + cells.begin[1]) * row + real * cells.begin[2];
    const bench::HandCoded hand = bench::hand_subarray(
        offset, {{{1, 0}, {cells.size[0], length * row}, {cells.size[1], row}}}, real * cells.size[2]);
    return [=](bool packs, double* array, double* packed) {
      hand(packs ? bench::Direction::pack : bench::Direction::unpack, reinterpret_cast<std::byte*>(array),
           reinterpret_cast<std::byte*>(packed), stream);
      check(cudaGetLastError(), "hand_subarray");
    };
  };
}

MoverOf memcpy3d(const Subject& subject) {
  return [stream = subject.stream](const Span3& cells, std::int64_t length) -> Mover {
    return [=](bool packs, double* array, double* packed) {
      const cudaMemcpy3DParms parameters = copy_of(cells, length, packs, array, packed);
      check(cudaMemcpy3DAsync(&parameters, stream), "cudaMemcpy3DAsync");
    };
  };
}

std::shared_ptr<Wire> messages_on_device(const Subject& subject) {
  return std::make_shared<OnDevice>(subject);
}
std::shared_ptr<Wire> staged(const Subject& subject) { return std::make_shared<Staged>(subject); }
std::shared_ptr<Wire> peer_copies(const Subject& subject) { return std::make_shared<PeerCopies>(subject); }

Way by_datatype_on_copies(const Subject& subject) {
  const std::int64_t count = subject.fields.bytes() / real;
  const std::shared_ptr<std::byte> copies{bench::allocate_pinned(real * count).release(),
                                          bench::FreePinned()};
  const Way exchange = by_datatype(subject, doubles(copies.get()));
  double* const arrays = subject.fields.data(0);
  const Stream stream = subject.stream;
  return {[=] { copy(copies.get(), arrays, count, stream); },
          [=] {
            gpu::wait(stream);
            exchange.wire();
          },
          [=] { copy(arrays, copies.get(), count, stream); }, exchange.messages};
}

}  // namespace typewarp::halo_bench
