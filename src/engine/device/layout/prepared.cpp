// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/device/layout/prepared.hpp"

#include "engine/device/layout/lists.hpp"

#include <algorithm>
#include <bit>
#include <memory>

namespace typewarp::gpu {
namespace {

constexpr std::size_t list_alignment = 16;

std::size_t aligned(std::size_t bytes) {
  return (bytes + list_alignment - 1) / list_alignment * list_alignment;
}

}  // namespace

Prepared::Prepared(const plan::State& plan, Shape shape, Device& device) : shape_(shape) {
  const plan::Encoding& encoding = plan.encoding;
  if (shape_.lookup != Lookup::generic) prepare_patterns(plan);
  switch (shape_.lookup) {
    case Lookup::none:
      return;
    case Lookup::list:
      prepare_list(encoding, device);
      break;
    case Lookup::rank:
      prepare_rank(encoding, device);
      break;
    case Lookup::search:
      prepare_search(encoding, device);
      break;
    case Lookup::generic:
      prepare_generic(encoding, device);
      break;
  }
}

void Prepared::prepare_patterns(const plan::State& plan) {
  const auto make = [&plan](const Shape& shape) {
    std::optional<Pattern> pattern = pattern_of(plan.encoding, shape, plan.extent);
    return pattern ? std::make_unique<const Pattern>(*pattern) : nullptr;
  };
  single_ = make(shape_);
  Shape twice = shape_;
  if (twice.repeat(2, plan.extent)) repeated_ = make(twice);
}

const Pattern* Prepared::pattern(const Shape& shape) const noexcept {
  if (single_ && single_->is_of(shape)) return single_.get();
  return repeated_ && repeated_->is_of(shape) ? repeated_.get() : nullptr;
}

void Prepared::prepare_list(const plan::Encoding& encoding, Device& device) {
  const plan::EncodedNode& node = encoding.nodes[shape_.node];
  if (!shape_.lists_units) {
    return upload_list(block_list(node, encoding.lookaside.data(), encoding.grain), device);
  }
  with_runs(encoding, shape_.node, [&](const plan::EncodedNode& runs, const plan::Encoding& listed) {
    upload_list(unit_list(runs, listed.lookaside.data(), encoding.grain), device);
  });
}

void Prepared::upload_list(const Offsets& list, Device& device) {
  lists_.width = list.width();
  lists_.scale = list.scale();
  upload({{list.bytes().data(), list.bytes().size(), &lists_.displacements}}, device);
}

void Prepared::prepare_rank(const plan::Encoding& encoding, Device& device) {
  with_runs(encoding, shape_.node, [&](const plan::EncodedNode& node, const plan::Encoding& runs) {
    const RankTable table =
        rank_table(node, runs.lookaside.data(), std::countr_zero(static_cast<std::uint64_t>(encoding.grain)));
    run_ = average_run(node);
    lists_.width = table.displacements.width();
    lists_.scale = table.displacements.scale();
    lists_.unit_log2 = table.unit_log2;
    const std::byte* entries = nullptr;
    upload({{table.displacements.bytes().data(), table.displacements.bytes().size(), &lists_.displacements},
            {table.entries.data(), table.entries.size() * sizeof(RankEntry), &entries}},
           device);
    lists_.entries = reinterpret_cast<const RankEntry*>(entries);
  });
}

void Prepared::prepare_search(const plan::Encoding& encoding, Device& device) {
  with_runs(encoding, shape_.node, [&](const plan::EncodedNode& node, const plan::Encoding& runs) {
    run_ = average_run(node);
    lists_.node = node;
    upload({{runs.lookaside.data(), runs.lookaside.size(), &lists_.lookaside}}, device);
  });
}

void Prepared::prepare_generic(const plan::Encoding& encoding, Device& device) {
  const std::byte* nodes = nullptr;
  upload({{encoding.nodes.data(), encoding.nodes.size() * sizeof(plan::EncodedNode), &nodes},
          {encoding.lookaside.data(), encoding.lookaside.size(), &lists_.lookaside}},
         device);
  run_ = shortest_run(encoding);
  lists_.nodes = reinterpret_cast<const plan::EncodedNode*>(nodes);
}

void Prepared::upload(const std::vector<ListSource>& sources, Device& device) {
  std::size_t bytes = 0;
  for (const ListSource& source : sources) bytes += aligned(source.bytes);
  memory_.emplace(device, static_cast<std::int64_t>(bytes));
  std::vector<Upload> parts;
  std::byte* place = memory_->data();
  for (const ListSource& source : sources) {
    *source.place = place;
    parts.push_back({place, source.from, source.bytes});
    place += aligned(source.bytes);
  }
  gpu::upload(device, parts);
}

const Prepared& prepared(const plan::State& state, int id) {
  return plan::attached<Prepared>(state, plan::device_slot(id), [&] {
    return std::make_unique<Prepared>(state, shape_of(state.encoding), device(id));
  });
}

const Prepared& prepared_generic(const plan::State& state, int id) {
  return plan::attached<Prepared>(state, plan::generic_slot(id), [&] {
    Shape generic;
    generic.lookup = Lookup::generic;
    return std::make_unique<Prepared>(state, generic, device(id));
  });
}

}  // namespace typewarp::gpu
