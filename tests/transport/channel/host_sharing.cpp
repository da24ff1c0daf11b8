// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/host_sharing.hpp"

#include "engine/runtime/displaced.hpp"

#include <sys/uio.h>
#include <unistd.h>

#include <utility>
#include <vector>

namespace typewarp::test {
namespace {

using plan::Bounds;
using transport::MessageBuffer;

[[noreturn]] void fail() { throw GpuError("HostSharing", 1, "a failure that the test asked for"); }

bool read_from(pid_t process, std::uint64_t address, std::byte* data, std::size_t bytes) {
  const iovec local{data, bytes};
  const iovec remote{reinterpret_cast<void*>(address), bytes};
  return process_vm_readv(process, &local, 1, &remote, 1, 0) == static_cast<ssize_t>(bytes);
}

class HostReading final : public transport::IpcCopy {
 public:
  HostReading(const HostSharing& sharing, const gpu::SharedMemory& memory, const MessageBuffer& destination)
      : sharing_(sharing), memory_(memory), destination_(destination) {}

  void start(const Plan& plan, std::int64_t count, const Bounds& span, std::int64_t bytes,
             transport::CopyCoalescer::Candidate&) override {
    if (sharing_.fails_early) fail();
    std::vector<std::byte> image(static_cast<std::size_t>(span.span()));
    const auto process = static_cast<pid_t>(memory_.process[0]);
    const auto address = memory_.base + static_cast<std::uint64_t>(memory_.offset);
    if (!read_from(process, address, image.data(), image.size())) fail();
    std::vector<std::byte> packed(static_cast<std::size_t>(bytes));
    pack(gpu::displaced(image.data(), -span.lowest), count, plan, packed.data(), {0, bytes}, nullptr);
    unpack(packed.data(), destination_.buffer, destination_.count, destination_.plan, {0, bytes}, nullptr);
    fails_ = sharing_.fails_late;
  }

  bool done() override {
    if (std::exchange(fails_, false)) fail();
    return !sharing_.holds;
  }

 private:
  const HostSharing& sharing_;
  gpu::SharedMemory memory_;
  const MessageBuffer& destination_;
  bool fails_ = false;
};

class HostMappedChunks final : public transport::IpcMapping {
 public:
  HostMappedChunks(const HostSharing& sharing, const gpu::SharedMemory& memory,
                   const MessageBuffer& destination)
      : sharing_(sharing), memory_(memory), destination_(destination) {}

  bool wants_near() const override { return sharing_.wants_near; }

  void unpack(ByteRange range, std::int64_t place, std::byte* near, std::optional<gpu::Event>& done,
              std::int64_t number) override {
    ++sharing_.unpacked;
    if (near != nullptr) ++sharing_.staged;
    if (sharing_.fails_early) fail();
    const auto bytes = static_cast<std::size_t>(range.end - range.begin);
    std::vector<std::byte> own(near != nullptr ? 0 : bytes);
    std::byte* const packed = near != nullptr ? near : own.data();
    const auto address = memory_.base + static_cast<std::uint64_t>(place);
    if (!read_from(static_cast<pid_t>(memory_.process[0]), address, packed, bytes)) fail();
    destination_.unpack(range, packed, done, number);
  }

 private:
  const HostSharing& sharing_;
  gpu::SharedMemory memory_;
  const MessageBuffer& destination_;
};

gpu::SharedMemory named(const std::byte* memory, std::int64_t bytes) {
  return {gpu::SharedMemory::Kind::ipc,
          {static_cast<std::uint64_t>(getpid()), 0},
          1,
          reinterpret_cast<std::uint64_t>(memory),
          bytes,
          0,
          {},
          {}};
}

}  // namespace

bool HostSharing::possible() {
  int there = 42;
  int here = 0;
  return read_from(getpid(), reinterpret_cast<std::uint64_t>(&there), reinterpret_cast<std::byte*>(&here),
                   sizeof(here)) &&
         here == there;
}

std::optional<gpu::SharedMemory> HostSharing::name(const MessageBuffer& side, const Bounds& span) const {
  // CUDA names one allocation. Several lie as far apart as this under AddressSanitizer.
  constexpr std::int64_t several = std::int64_t{1} << 30;
  if (!names || span.span() > several) return std::nullopt;
  return named(gpu::displaced(side.buffer, span.lowest), span.span());
}

std::optional<transport::PoolMemory> HostSharing::allocate(const MessageBuffer&, std::int64_t bytes) const {
  const auto memory = std::make_shared<std::vector<std::byte>>(static_cast<std::size_t>(bytes));
  return transport::PoolMemory{memory->data(), memory, named(memory->data(), bytes)};
}

std::unique_ptr<transport::IpcMapping> HostSharing::map_chunks(const gpu::SharedMemory& memory,
                                                               const MessageBuffer& destination) const {
  if (!maps) return nullptr;
  return std::make_unique<HostMappedChunks>(*this, memory, destination);
}

std::unique_ptr<transport::IpcCopy> HostSharing::map(const gpu::SharedMemory& memory,
                                                     const MessageBuffer& destination) const {
  if (!maps) return nullptr;
  ++mapped;
  return std::make_unique<HostReading>(*this, memory, destination);
}

}  // namespace typewarp::test
