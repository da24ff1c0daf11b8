// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/buffers/members.hpp"

#include "datatype/node.hpp"
#include "engine/gpu/gpu.hpp"

#include <typewarp/engine.hpp>

#include <algorithm>
#include <vector>

namespace typewarp::interpose {
namespace {

/// Null if the datatype is none.
const datatype::Struct* struct_of(const Datatype& type) {
  const datatype::Constructor* constructor = &datatype::node_of(type).constructor;
  while (true) {
    if (const auto* dup = std::get_if<datatype::Dup>(constructor)) {
      constructor = &datatype::node_of(dup->child).constructor;
    } else if (const auto* resized = std::get_if<datatype::Resized>(constructor)) {
      constructor = &datatype::node_of(resized->child).constructor;
    } else {
      return std::get_if<datatype::Struct>(constructor);
    }
  }
}

bool has_data(const datatype::Struct& of, std::size_t i) {
  return of.blocklengths[i] * of.children[i].size() != 0;
}

/// Each member of one item, with data, as a datatype of its own.
std::vector<Plan> members_of(const Plan& plan) {
  const datatype::Struct& whole = *struct_of(plan.datatype());
  std::vector<Plan> members;
  for (std::size_t i = 0; i < whole.children.size(); ++i) {
    if (!has_data(whole, i)) continue;
    members.push_back(
        commit(structure({whole.blocklengths[i]}, {whole.displacements[i]}, {whole.children[i]}))
            .with(plan.hints()));
  }
  return members;
}

}  // namespace

bool has_members(const Plan& plan) noexcept { return struct_of(plan.datatype()) != nullptr; }

bool lies_in_several_memories(const void* address, const Plan& plan) noexcept {
  const datatype::Struct* const whole = gpu::in_use() ? struct_of(plan.datatype()) : nullptr;
  bool some = false;
  bool all = true;
  for (std::size_t i = 0; whole != nullptr && i < whole->children.size(); ++i) {
    if (!has_data(*whole, i)) continue;
    const bool there = gpu::on_device(at(address, whole->displacements[i] + whole->children[i].true_lb()));
    some = some || there;
    all = all && there;
  }
  return some && !all;
}

std::vector<const void*> members(const Data& data) {
  std::vector<const void*> found;
  const std::vector<Plan> members = members_of(data.plan);
  for (std::int64_t i = 0; i < data.count; ++i) {
    for (const Plan& member : members) {
      found.push_back(at(data.address, i * data.plan.extent() + member.layout().offset));
    }
  }
  return found;
}

void pack_members(const Data& data, std::byte* packed) {
  const std::vector<Plan> members = members_of(data.plan);
  for (std::int64_t i = 0; i < data.count; ++i) {
    void* const item = at(data.address, i * data.plan.extent());
    for (const Plan& member : members) {
      typewarp::pack(item, 1, member, packed, data.stream);
      packed += member.size();
    }
  }
}

void unpack_members(const std::byte* packed, std::int64_t bytes, const Data& data) {
  const std::vector<Plan> members = members_of(data.plan);
  for (std::int64_t i = 0; bytes > 0; ++i) {
    void* const item = at(data.address, i * data.plan.extent());
    for (const Plan& member : members) {
      const std::int64_t part = std::min(bytes, member.size());
      if (part > 0) typewarp::unpack(packed, item, 1, member, {0, part}, data.stream);
      packed += part;
      bytes -= part;
    }
  }
}

}  // namespace typewarp::interpose
