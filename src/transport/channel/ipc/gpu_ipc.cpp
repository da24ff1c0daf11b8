// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/ipc/gpu_ipc.hpp"

#include "base/never_destroyed.hpp"
#include "engine/runtime/displaced.hpp"
#include "engine/runtime/gpu_sharing.hpp"
#include "transport/tuning/policy.hpp"
#include "plan/state.hpp"

#include <utility>

namespace typewarp::transport {
namespace {

class GpuReading final : public IpcCopy {
 public:
  GpuReading(gpu::ImportedMemory memory, const MessageBuffer& destination)
      : memory_(std::move(memory)), destination_(destination) {}

  // The destination's device reads over the link: that is as fast as writing, and orders the bytes with its
  // later work.
  void start(const Plan& plan, std::int64_t count, const plan::Bounds& span, std::int64_t bytes,
             CopyCoalescer::Candidate& message) override {
    const gpu::Side from{&plan, count, gpu::displaced(memory_.address(), -span.lowest), MemoryKind::device,
                         memory_.device()};
    copy_ = message.copy(destination_.at_home(), from, bytes);
  }

  void withdraw() noexcept override { copy_.withdraw(); }
  bool done() override { return copy_.reached(); }

 private:
  gpu::ImportedMemory memory_;
  const MessageBuffer& destination_;
  CopyCoalescer::Copy copy_;
};

/// Whether unpacking gathers small words in shared memory, where threads wait for each other's loads. That
/// takes long over a link: structs of 17 bytes, 64 MiB between two H200, take 360 us, and 276 by way of near
/// memory.
bool small_words(const MessageBuffer& side) {
  constexpr std::int64_t word = 4;
  constexpr std::int64_t long_run = 64;
  const std::int64_t grain =
      plan::state_of(side.plan).encoding.grain | (side.count > 1 ? side.plan.extent() : 0);
  return grain % word != 0 && plan::average_run(side.plan, side.count) < long_run;
}

class GpuMappedChunks final : public IpcMapping {
 public:
  GpuMappedChunks(gpu::ImportedMemory memory, const MessageBuffer& destination)
      : memory_(std::move(memory)), destination_(destination), wants_near_(small_words(destination)) {}

  bool wants_near() const override { return wants_near_; }

  void unpack(ByteRange range, std::int64_t place, std::byte* near, std::optional<gpu::Event>& done,
              std::int64_t number) override {
    const int device = destination_.route.device;
    const std::int64_t bytes = range.end - range.begin;
    const gpu::Side chunk{nullptr, bytes, memory_.address() + place, MemoryKind::device, memory_.device()};
    const gpu::Side staged{nullptr, bytes, near, MemoryKind::device, device};
    follow(device, own_stream(destination_, device, gpu::unpacking_role(number)), done,
           [&](const gpu::LaunchContext& own) {
             if (near != nullptr) gpu::copy(staged, chunk, {0, bytes}, own);
             gpu::copy(destination_.at_home(), near != nullptr ? staged : chunk, range, own);
           });
  }

 private:
  gpu::ImportedMemory memory_;
  const MessageBuffer& destination_;
  bool wants_near_;
};

class GpuIpc final : public Ipc {
 public:
  bool present() const override { return gpu::present(); }

  std::optional<gpu::SharedMemory> name(const MessageBuffer& side, const plan::Bounds& span) const override {
    if (!side.on_device()) return std::nullopt;
    return gpu::export_memory(gpu::displaced(side.buffer, span.lowest), span.span());
  }

  bool shares(const MessageBuffer& side) const override { return side.on_device(); }

  std::unique_ptr<IpcCopy> map(const gpu::SharedMemory& memory,
                               const MessageBuffer& destination) const override {
    auto imported = gpu::import_memory(memory, destination.route.device);
    if (!imported) return nullptr;
    return std::make_unique<GpuReading>(*std::move(imported), destination);
  }

  std::optional<PoolMemory> allocate(const MessageBuffer& side, std::int64_t bytes) const override {
    if (!side.on_device()) return std::nullopt;
    try {
      const auto buffer = std::make_shared<gpu::DeviceAllocation>(side.route.device, bytes);
      const auto name = gpu::export_memory(buffer->data(), bytes);
      return name ? std::optional(PoolMemory{buffer->data(), buffer, name}) : std::nullopt;
    } catch (const GpuError&) {
      return std::nullopt;
    }
  }

  std::unique_ptr<IpcMapping> map_chunks(const gpu::SharedMemory& memory,
                                         const MessageBuffer& destination) const override {
    auto imported = gpu::import_memory(memory, destination.route.device);
    if (!imported) return nullptr;
    return std::make_unique<GpuMappedChunks>(*std::move(imported), destination);
  }

  bool near(const gpu::SharedMemory& memory, const MessageBuffer& side) const override {
    return side.on_device() && side.route.device >= 0 && gpu::device_has(side.route.device, memory);
  }

  bool prefers_engines(const MessageBuffer& side, std::int64_t bytes,
                       const gpu::SharedMemory* of_another) const override {
    if (of_another != nullptr && near(*of_another, side)) gpu::tell_of_sharing(side.route.device);
    if (!side.on_device()) return false;
    const gpu::Sharing sharing = gpu::sharing(side.route.device);
    // Where all ranks are in one call, kernels do not wait for a program's own (decision 105).
    if (side.is_of_collective && sharing == gpu::Sharing::mps) return false;
    return engines_come_first(sharing, bytes) &&
           gpu::suits_copy_engines(side.at_home(), bytes, side.route.device);
  }
};

}  // namespace

// Never destroyed, as ranks may finalize MPI after static objects are destroyed. Allocates nothing, as this
// must not fail in one rank alone.
const Ipc& gpu_ipc() {
  static NeverDestroyed<GpuIpc> instance;
  return instance.get();
}

}  // namespace typewarp::transport
