// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/channel/ipc/gpu_ipc.hpp"

#include <atomic>
#include <memory>
#include <optional>

namespace typewarp::test {

/// As CUDA's, and counts what is mapped.
class Counting final : public transport::Ipc {
 public:
  bool present() const override { return transport::gpu_ipc().present(); }
  std::optional<gpu::SharedMemory> name(const transport::MessageBuffer& side,
                                        const plan::Bounds& span) const override {
    return transport::gpu_ipc().name(side, span);
  }
  bool shares(const transport::MessageBuffer& side) const override {
    return transport::gpu_ipc().shares(side);
  }
  std::unique_ptr<transport::IpcCopy> map(const gpu::SharedMemory& memory,
                                          const transport::MessageBuffer& side) const override {
    auto reading = transport::gpu_ipc().map(memory, side);
    if (reading) ++mapped;
    return reading;
  }

  std::optional<transport::PoolMemory> allocate(const transport::MessageBuffer& side,
                                                std::int64_t bytes) const override {
    return transport::gpu_ipc().allocate(side, bytes);
  }
  std::unique_ptr<transport::IpcMapping> map_chunks(const gpu::SharedMemory& memory,
                                                    const transport::MessageBuffer& side) const override {
    auto chunks = transport::gpu_ipc().map_chunks(memory, side);
    if (chunks) ++in_fragments;
    return chunks;
  }
  bool near(const gpu::SharedMemory& memory, const transport::MessageBuffer& side) const override {
    return !far && transport::gpu_ipc().near(memory, side);
  }

  bool prefers_engines(const transport::MessageBuffer& side, std::int64_t bytes,
                       const gpu::SharedMemory* of_another) const override {
    return turns && transport::gpu_ipc().prefers_engines(side, bytes, of_another);
  }

  bool turns = false;  ///< false: as if no device were taken by turns
  bool far = false;    ///< as if there were a link between all devices, and one to itself

  mutable std::atomic<int> mapped{0};        ///< messages that were read where they lie
  mutable std::atomic<int> in_fragments{0};  ///< messages that came in shared chunks
};

}  // namespace typewarp::test
