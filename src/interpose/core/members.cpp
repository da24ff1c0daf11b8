// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/members.hpp"

#include "datatype/node.hpp"
#include "engine/cuda/cuda.hpp"
#include "interpose/core/streams.hpp"

#include <typewarp/engine.hpp>

#include <mpi.h>

#include <algorithm>
#include <vector>

namespace typewarp::interpose {
namespace {

/// The struct that a datatype is, if need be under another name or with other bounds; null if it is none.
const datatype::Struct* struct_of(const Datatype& type) {
  const datatype::Constructor& constructor = type.node().constructor;
  if (const auto* dup = std::get_if<datatype::Dup>(&constructor)) return struct_of(dup->child);
  if (const auto* resized = std::get_if<datatype::Resized>(&constructor)) return struct_of(resized->child);
  return std::get_if<datatype::Struct>(&constructor);
}

bool is_on_device(const datatype::Struct& of, std::size_t i) {
  const auto address = static_cast<std::uintptr_t>(of.displacements[i] + of.children[i].true_lb());
  return cuda::on_device(reinterpret_cast<const void*>(address));
}

/// Each member of one item, with data, as a datatype of its own.
std::vector<Plan> members_of(const Plan& plan) {
  const datatype::Struct& whole = *struct_of(plan.datatype());
  std::vector<Plan> members;
  for (std::size_t i = 0; i < whole.children.size(); ++i) {
    if (whole.blocklengths[i] * whole.children[i].size() == 0) continue;
    members.push_back(
        commit(structure({whole.blocklengths[i]}, {whole.displacements[i]}, {whole.children[i]})));
  }
  return members;
}

/// Where item `number` of a type of absolute addresses stands.
void* item(const Plan& plan, std::int64_t number) {
  return reinterpret_cast<void*>(static_cast<std::uintptr_t>(number * plan.extent()));
}

}  // namespace

bool lies_in_several_memories(const void* buffer, const Plan& plan) noexcept {
  if (buffer != MPI_BOTTOM || !cuda::in_use()) return false;
  const datatype::Struct* const whole = struct_of(plan.datatype());
  bool some = false;
  bool all = true;
  for (std::size_t i = 0; whole != nullptr && i < whole->children.size(); ++i) {
    if (whole->blocklengths[i] * whole->children[i].size() == 0) continue;
    const bool there = is_on_device(*whole, i);
    some = some || there;
    all = all && there;
  }
  return some && !all;
}

void pack_members(std::int64_t count, const Plan& plan, std::byte* packed) {
  const std::vector<Plan> members = members_of(plan);
  for (std::int64_t i = 0; i < count; ++i) {
    for (const Plan& member : members) {
      pack(item(plan, i), 1, member, packed, stream());
      packed += member.size();
    }
  }
  wait_for_stream();
}

void unpack_members(const std::byte* packed, std::int64_t bytes, const Plan& plan) {
  const std::vector<Plan> members = members_of(plan);
  for (std::int64_t i = 0; bytes > 0; ++i) {
    for (const Plan& member : members) {
      const std::int64_t part = std::min(bytes, member.size());
      if (part > 0) unpack(packed, item(plan, i), 1, member, {0, part}, stream());
      packed += part;
      bytes -= part;
    }
  }
  wait_for_stream();
}

}  // namespace typewarp::interpose
