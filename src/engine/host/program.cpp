// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/host/program.hpp"

#include "engine/host/step.hpp"
#include "engine/host/policy.hpp"
#include "layout/node.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>

namespace typewarp::host {
namespace {

constexpr double cache_line = 64;

std::int64_t saturating_product(std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<std::int64_t>::max() : product;
}

/// Of all the members of the encoding, how many entries the table of member pointers has.
std::size_t member_entries(const plan::Encoding& encoding) {
  std::int64_t entries = 0;
  for (const plan::EncodedNode& node : encoding.nodes) {
    if (node.kind == plan::Kind::sequence) entries += node.count;
  }
  return static_cast<std::size_t>(entries);
}

Step make_step(const plan::EncodedNode& node, const std::byte* lookaside) {
  Step step;
  step.kind = node.kind;
  step.width = node.width;
  step.size = node.size;
  step.count = node.kind == plan::Kind::run ? node.size : node.count;
  step.stride = node.stride;
  step.child_size = node.kind == plan::Kind::run ? 1 : node.child_size;
  step.displacements = lookaside + node.displacements;
  step.prefix = lookaside + node.prefix;
  return step;
}

/// The largest unit of bytes that all blocks of a varying list of bytes consist of, or 0 if there would be
/// too many of it.
std::int64_t common_unit(const Step& step) {
  std::int64_t unit = 0;
  for (std::int64_t i = 0; i < step.count && unit != 1; ++i) {
    unit = std::gcd(unit, entry(step.prefix, step.width, i + 1) - entry(step.prefix, step.width, i));
  }
  return step.size / unit <= Policy::most_units * step.count ? unit : 0;
}

/// The displacement of every unit of a varying list of bytes.
std::vector<std::int64_t> unit_displacements(const Step& step, std::int64_t unit) {
  std::vector<std::int64_t> list;
  list.reserve(static_cast<std::size_t>(step.size / unit));
  for (std::int64_t i = 0; i < step.count; ++i) {
    const std::int64_t first = entry(step.displacements, step.width, i);
    const std::int64_t length = entry(step.prefix, step.width, i + 1) - entry(step.prefix, step.width, i);
    for (std::int64_t at = 0; at < length; at += unit) list.push_back(first + at);
  }
  return list;
}

/// Stores `list` in entries of the least width that holds them all; returns that width.
std::int32_t store(const std::vector<std::int64_t>& list, std::vector<std::byte>& bytes) {
  const auto fits = [](std::int64_t value) { return value == static_cast<std::int32_t>(value); };
  const bool narrow = std::all_of(list.begin(), list.end(), fits);
  bytes.resize(list.size() * (narrow ? sizeof(std::int32_t) : sizeof(std::int64_t)));
  if (narrow) {
    std::transform(list.begin(), list.end(), reinterpret_cast<std::int32_t*>(bytes.data()),
                   [](std::int64_t value) { return static_cast<std::int32_t>(value); });
  } else {
    std::copy(list.begin(), list.end(), reinterpret_cast<std::int64_t*>(bytes.data()));
  }
  return narrow ? 4 : 8;
}

/// Turns a varying list of bytes into blocks of `unit` bytes each, whose child is `run` and whose list is
/// `bytes`.
void make_equal(Step& step, Step& run, std::int64_t unit, std::vector<std::byte>& bytes) {
  const std::vector<std::int64_t> list = unit_displacements(step, unit);
  step.width = store(list, bytes);
  step.displacements = bytes.data();
  step.kind = plan::Kind::blocks;
  step.count = static_cast<std::int64_t>(list.size());
  step.child_size = unit;
  run.size = unit;
  run.count = unit;
}

}  // namespace

Program::Program(const plan::State& state)
    : offset_(state.layout.offset),
      size_(state.size),
      runs_(size_ == 0 ? 0 : layout::runs(*state.layout.root)) {
  const plan::Encoding& encoding = state.encoding;
  const std::size_t nodes = encoding.nodes.size();
  steps_.resize(2 * nodes);  // second half: the repeat inside a varying list
  members_.resize(member_entries(encoding));
  const Step** members = members_.data();

  // Children come after their parent in preorder, and kernels look at children.
  for (std::size_t i = nodes; i-- > 0;) {
    const plan::EncodedNode& node = encoding.nodes[i];
    Step& step = steps_[i];
    step = make_step(node, encoding.lookaside.data());
    const Step* const next = i + 1 < nodes ? &steps_[i + 1] : nullptr;
    if (node.kind == plan::Kind::varying) {
      Step& block = steps_[nodes + i];
      step.child = &block;
      if (next->kind != plan::Kind::run || node.stride != node.child_size) {
        block.kind = plan::Kind::repeat;
        block.stride = node.stride;
        block.child_size = node.child_size;
        block.child = next;
      } else if (const std::int64_t unit = common_unit(step); unit > 0) {
        make_equal(step, block, unit, expanded_.emplace_back());
      }
      choose_kernels(block);
    } else if (node.kind == plan::Kind::sequence) {
      const auto* const indices =
          reinterpret_cast<const std::int32_t*>(encoding.lookaside.data() + node.members);
      step.members = members;
      for (std::int64_t member = 0; member < node.count; ++member)
        *members++ = &steps_[static_cast<std::size_t>(indices[member])];
    } else if (node.kind != plan::Kind::run) {
      step.child = next;
    }
    choose_kernels(step);
  }

  const Step& root = steps_.front();
  if (size_ > 0) work_per_byte_ = 1 + cache_line * static_cast<double>(runs_) / static_cast<double>(size_);
  const bool goes_on =
      (root.kind == plan::Kind::run && state.extent == root.size) ||
      (root.kind == plan::Kind::repeat && state.extent == saturating_product(root.count, root.stride));
  if (goes_on) {
    outer_ = root;
    children_per_item_ = root.count;
  } else {
    outer_.kind = plan::Kind::repeat;
    outer_.stride = state.extent;
    outer_.child_size = root.size;
    outer_.child = &root;
    choose_kernels(outer_);
  }
}

const Program& Program::of(const Plan& plan) {
  const plan::State& state = plan::state_of(plan);
  return plan::attached<Program>(state, plan::host_slot, [&] { return std::make_unique<Program>(state); });
}

Step Program::items(std::int64_t count) const {
  if (count == 1) return steps_.front();
  Step step = outer_;
  step.count = saturating_product(count, children_per_item_);
  step.size = saturating_product(count, size_);
  return step;
}

}  // namespace typewarp::host
