// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "schedule/streams/parts.hpp"

#include "engine/arguments.hpp"
#include "engine/dispatch.hpp"

#include <string>

namespace typewarp::exchange {
namespace {

std::string member_of(std::string_view array, std::size_t index, std::string_view member) {
  return std::string(array) + "[" + std::to_string(index) + "]." + std::string(member);
}

void check(std::string_view array, Part& part, const ExchangeGroup& group) {
  if (part.peer < 0 || part.peer >= group.size()) {
    throw InvalidArgument(
        call, member_of(array, part.index, "peer"), part.peer,
        "must be " + std::string(group.nobody()) + " or a rank of " + std::to_string(group.size()));
  }
  part.bytes = engine::whole_size(call, member_of(array, part.index, "count"), part.count, part.plan);
  if (part.bytes == 0) return;
  const void* const data = engine::place_of(part.side()).address;
  if (data == nullptr) {
    throw InvalidArgument(call, member_of(array, part.index, "buffer"), "null", "must not be null");
  }
  if (gpu::present()) part.memory = gpu::pointer_info(data);
}

template <typename Given>
std::vector<Part> parts_of(std::string_view array, std::span<const Given> given, const ExchangeGroup& group) {
  std::vector<Part> parts;
  for (std::size_t i = 0; i < given.size(); ++i) {
    if (group.is_nobody(given[i].peer)) continue;
    parts.push_back({const_cast<void*>(given[i].buffer), given[i].count, given[i].plan, given[i].peer, i});
    check(array, parts.back(), group);
  }
  return parts;
}

/// The device of the first part in memory of one; -1 if there is none.
int device_of(const Schedule& parts) {
  for (const MemoryKind kind : {MemoryKind::device, MemoryKind::managed}) {
    for (const auto* const side : {&parts.sends, &parts.receives}) {
      for (const Part& part : *side) {
        if (part.memory.kind == kind) return part.memory.device;
      }
    }
  }
  return -1;
}

void check_reach(std::string_view array, const Part& part, int device) {
  if (!part.on_stream() || engine::place_of(part.side()).reachable(device)) return;
  throw InvalidArgument(
      call, member_of(array, part.index, "buffer"), "memory of device " + std::to_string(part.memory.device),
      "must be within reach of device " + std::to_string(device) + ", which has the first part");
}

}  // namespace

std::string_view text(NotDirectReason reason) noexcept {
  switch (reason) {
    case NotDirectReason::none:
      break;
    case NotDirectReason::sender:
      return "the sender has it in memory of the host";
    case NotDirectReason::receiver:
      return "the receiver wants it in memory that is not a GPU's own";
    case NotDirectReason::host:
      return "sender and receiver are on different hosts";
    case NotDirectReason::allocation:
      return "the receiver's memory cannot be mapped by other processes: it is not of a plain allocation, "
             "such as cudaMalloc's";
    case NotDirectReason::layout:
      return "the receiver's layout takes too many bytes to tell";
    case NotDirectReason::reach:
      return "the GPUs of sender and receiver do not reach each other's memory";
  }
  return {};
}

Schedule checked(std::span<const OutgoingPart> sends, std::span<const IncomingPart> receives,
                 const ExchangeGroup& group) {
  Schedule parts{parts_of("sends", sends, group), parts_of("receives", receives, group), group.rank()};
  parts.device = device_of(parts);
  if (parts.device >= 0) {
    for (const Part& part : parts.sends) check_reach("sends", part, parts.device);
    for (const Part& part : parts.receives) check_reach("receives", part, parts.device);
    return parts;
  }
  for (Part& part : parts.sends) part.memory = {};
  for (Part& part : parts.receives) part.memory = {};
  return parts;
}

}  // namespace typewarp::exchange
