// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/sharing.hpp"

#include "engine/cuda/displaced.hpp"

#include <utility>

namespace typewarp::transport {
namespace {

class CudaReading final : public Reading {
 public:
  CudaReading(cuda::ImportedMemory memory, const Side& destination)
      : memory_(std::move(memory)), destination_(destination) {}

  // By the device that has the destination, which reads over the link: that is as fast as to write over it,
  // and makes what follows see the bytes.
  void start(const Plan& plan, std::int64_t count, const Bounds& span, std::int64_t bytes) override {
    const int device = destination_.route.device;
    const cuda::Side to{&destination_.plan, destination_.count, destination_.buffer, MemoryKind::device,
                        device};
    const cuda::Side from{&plan, count, cuda::displaced(memory_.address(), -span.lowest), MemoryKind::device,
                          memory_.device()};
    follow(device, cuda::private_stream(device, cuda::Lane::unpacking), copied_,
           [&](Stream own) { cuda::copy(to, from, {0, bytes}, device, own); });
  }

  bool done() override { return reached(copied_, false); }

 private:
  cuda::ImportedMemory memory_;
  const Side& destination_;
  std::optional<cuda::Event> copied_;
};

class CudaSharing final : public Sharing {
 public:
  bool present() const override { return cuda::present(); }

  std::optional<cuda::SharedMemory> name(const Side& side, const Bounds& span) const override {
    if (!side.on_device()) return std::nullopt;
    return cuda::export_memory(cuda::displaced(side.buffer, span.lowest), span.span());
  }

  bool can_write(const Side& destination) const override { return destination.on_device(); }

  std::unique_ptr<Reading> map(const cuda::SharedMemory& memory, const Side& destination) const override {
    auto imported = cuda::import_memory(memory, destination.route.device);
    if (!imported) return nullptr;
    return std::make_unique<CudaReading>(*std::move(imported), destination);
  }
};

}  // namespace

const Sharing& cuda_sharing() {
  static const CudaSharing instance;
  return instance;
}

}  // namespace typewarp::transport
