// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nixl/memory.hpp"

#include "engine/runtime/memory.hpp"

#include <typewarp/error.hpp>

#include <array>
#include <cstring>
#include <limits>
#include <span>
#include <utility>

namespace typewarp::nixl {
namespace {

std::int64_t signed_bytes(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()))
    throw InvalidArgument(caller, "len", "2^63 and more", "must be less");
  return static_cast<std::int64_t>(bytes);
}

RegisteredMemory registered(std::byte* address, std::int64_t bytes) {
  const std::array<MemoryRange, 1> range{{{address, bytes}}};
  return RegisteredMemory(range);
}

}  // namespace

OwnMemory::OwnMemory(const NixlDescriptor& memory)
    : NixlMetadata(true),
      address_(reinterpret_cast<std::byte*>(memory.address)),
      bytes_(signed_bytes(memory.bytes)),
      device_(gpu::pointer_info(address_).device),
      registration_(registered(address_, bytes_)) {}

std::string OwnMemory::handle() const {
  const std::span<const std::byte> bytes = registration_.handle();
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

OtherMemory::OtherMemory(const OwnMemory& own)
    : NixlMetadata(false),
      begin_(reinterpret_cast<std::uintptr_t>(own.address())),
      bytes_(own.bytes()),
      own_{own.address(), own.device(), nullptr} {}

OtherMemory::OtherMemory(const DescribedMemory& memory)
    : NixlMetadata(false),
      begin_(memory.address),
      bytes_(signed_bytes(memory.bytes)),
      handle_(memory.text.size()) {
  if (handle_.empty())
    throw InvalidArgument(caller, "metadata", "nothing", "must be the handle of memory of a peer");
  std::memcpy(handle_.data(), memory.text.data(), memory.text.size());
}

const MappedMemory& OtherMemory::find(int device) {
  if (handle_.empty()) return own_;
  MappedMemory& found = found_[device];
  if (!found.peer) {
    auto peer = std::make_shared<RemoteMemory>(handle_, device);
    if (peer->ranges().size() != 1 || peer->ranges().front().bytes != bytes_)
      throw InvalidArgument(caller, "metadata", "a handle of other memory", "must be that of the memory");
    auto* const address = static_cast<std::byte*>(peer->ranges().front().address);
    // That of another GPU of this process is not mapped, and read there.
    found = {address, gpu::pointer_info(address).device, std::move(peer)};
  }
  return found;
}

}  // namespace typewarp::nixl
