// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/buffer/staging.hpp"

#include "engine/runtime/displaced.hpp"

#include <cstdint>

namespace typewarp::transport {
namespace {

// Addresses below this are never mapped: a type map that starts there on a null buffer is a mistake.
constexpr std::uintptr_t lowest_address = 4096;

}  // namespace

bool consecutive(const Plan& plan, std::int64_t count) noexcept {
  return std::holds_alternative<layout::Run>(plan.layout().root->shape) &&
         (count == 1 || plan.extent() == plan.size());
}

BufferPath route(const char* call, const char* argument, const void* buffer, std::int64_t count,
                 const Plan& plan) {
  if (count == 0 || plan.size() == 0) return {};
  BufferPath result;
  result.first = gpu::displaced(buffer, plan.layout().offset);
  if (buffer == nullptr && reinterpret_cast<std::uintptr_t>(result.first) < lowest_address) {
    throw InvalidArgument(call, argument, "null",
                          "must not be null unless the plan holds absolute addresses");
  }
  result.consecutive = consecutive(plan, count);
  const PointerInfo info = gpu_present() ? pointer_info(result.first) : PointerInfo{};
  switch (info.kind) {
    case MemoryKind::host:
      break;
    case MemoryKind::pinned:
      result.in_stream_order = true;
      break;
    case MemoryKind::managed:
    case MemoryKind::device:
      result.kind = BufferPath::Kind::device;
      result.device = info.device;
      return result;
  }
  result.kind = result.consecutive ? BufferPath::Kind::direct : BufferPath::Kind::host;
  return result;
}

Staging::Staging(BufferPath::Kind kind, std::int64_t bytes) {
  if (kind == BufferPath::Kind::host) buffer_.emplace<HostBuffer>(bytes);
  if (kind == BufferPath::Kind::device) buffer_.emplace<gpu::PinnedBuffer>(bytes);
}

std::byte* Staging::data() const noexcept {
  if (const auto* host = std::get_if<HostBuffer>(&buffer_)) return host->data();
  if (const auto* pinned = std::get_if<gpu::PinnedBuffer>(&buffer_)) return pinned->data();
  return nullptr;
}

}  // namespace typewarp::transport
