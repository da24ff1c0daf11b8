// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nixl/memory.hpp"

#include "engine/runtime/memory.hpp"
#include "nixl/mailbox.hpp"

#include <typewarp/error.hpp>

#include <algorithm>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

namespace typewarp::nixl {
namespace {

std::int64_t signed_bytes(std::size_t bytes) {
  if (bytes > static_cast<std::size_t>(std::numeric_limits<std::int64_t>::max()))
    throw InvalidArgument(caller, "len", "2^63 and more", "must be less");
  return static_cast<std::int64_t>(bytes);
}

static_assert(std::has_unique_object_representations_v<MemoryTicket>, "it travels as bytes");

gpu::SharedMemory exported(std::byte* address, std::int64_t bytes) {
  std::string reason;
  if (const auto memory = gpu::export_memory(address, bytes, &reason)) return *memory;
  throw InvalidArgument(caller, "addr", reinterpret_cast<std::intptr_t>(address),
                        "cannot be shared: " + reason);
}

std::shared_ptr<RemoteMemory> opened(PeersWords& all, const std::string& handle, int device) {
  std::erase_if(all, [](const auto& each) { return each.second.expired(); });
  std::weak_ptr<RemoteMemory>& known = all[{handle, device}];
  std::shared_ptr<RemoteMemory> words = known.lock();
  if (!words) known = words = std::make_shared<RemoteMemory>(std::as_bytes(std::span(handle)), device);
  return words;
}

}  // namespace

// Numbers of registered memory are odd, and none comes twice: a peer's old ticket never becomes valid again.
// Which signals are used is kept here, as peers could store theirs.
MemoryTicket AgentWords::ticket(const gpu::SharedMemory& memory) {
  const std::lock_guard lock(mutex_);
  for (int i = 0; i < RegisteredMemory::most_signals; ++i) {
    const auto signal = static_cast<int>(given_++ % RegisteredMemory::most_signals);
    if (used_[static_cast<std::size_t>(signal)]) continue;
    words_.raise(signal, 2 * given_ + 1);
    used_[static_cast<std::size_t>(signal)] = true;
    return {memory, signal, 2 * given_ + 1};
  }
  throw Error(std::string(caller) + ": more memory is registered than there are signals");
}

void AgentWords::end(const MemoryTicket& ticket) {
  {
    const std::lock_guard lock(mutex_);
    words_.raise(static_cast<int>(ticket.signal), ticket.number + 1);
    used_[static_cast<std::size_t>(ticket.signal)] = false;
  }
  words_.wait_for_peers();
}

OwnMemory::OwnMemory(const NixlDescriptor& memory, AgentWords& words)
    : NixlMetadata(true),
      address_(reinterpret_cast<std::byte*>(memory.address)),
      bytes_(signed_bytes(memory.bytes)),
      device_(gpu::pointer_info(address_).device),
      words_(words),
      ticket_(words.ticket(exported(address_, bytes_))) {}

std::string OwnMemory::handle() const {
  const std::span<const std::byte> words = words_.handle();
  return std::string(reinterpret_cast<const char*>(&ticket_), sizeof ticket_)
      .append(reinterpret_cast<const char*>(words.data()), words.size());
}

OtherMemory::OtherMemory(const OwnMemory& own)
    : NixlMetadata(false),
      begin_(reinterpret_cast<std::uintptr_t>(own.address())),
      bytes_(own.bytes()),
      own_{own.address(), own.device(), nullptr} {}

OtherMemory::OtherMemory(const DescribedMemory& memory, PeersWords& words)
    : NixlMetadata(false),
      begin_(memory.address),
      bytes_(signed_bytes(memory.bytes)),
      words_(&words),
      handle_(memory.text) {}

const MappedMemory& OtherMemory::find(int device) {
  if (words_ == nullptr) return own_;
  MappedMemory& found = found_[device];
  if (!found.peer) {
    MemoryTicket ticket{};
    if (handle_.size() >= sizeof ticket) std::memcpy(&ticket, handle_.data(), sizeof ticket);
    auto words = opened(*words_, handle_.substr(std::min(sizeof ticket, handle_.size())), device);
    std::string reason;
    auto memory = gpu::import_memory(ticket.memory, device, &reason);
    if (!memory) throw Error(std::string(caller) + ": memory of a peer: " + reason);
    if (ticket.memory.size - ticket.memory.offset < bytes_)
      throw InvalidArgument(caller, "metadata", "a handle of other memory", "must be that of the memory");
    std::byte* const address = memory->address();
    // That of another GPU of this process is not mapped, and read there.
    found = {address, gpu::pointer_info(address).device,
             std::make_shared<MemoryOfPeer>(std::move(words), std::move(*memory), ticket)};
  }
  return found;
}

}  // namespace typewarp::nixl
