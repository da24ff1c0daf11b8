// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "mover.hpp"

#include "check.hpp"

#include <typewarp/error.hpp>
#include <typewarp/layout.hpp>

#include <algorithm>
#include <sstream>

namespace typewarp::contention {
namespace {

using bench::check;

constexpr std::int64_t line = 256;
/// In one call: 4,096 from host memory once ended in a failure (bench/pack/baselines.cpp).
constexpr std::size_t most_batched = 1024;

std::int64_t lines(std::int64_t bytes) { return (bytes + line - 1) / line * line; }

template <typename Bytes>
std::int64_t most(Bytes bytes) {
  std::int64_t result = 0;
  for (const Case& subject : every_case()) result = std::max(result, lines(bytes(subject.type)));
  return result;
}
std::int64_t most_packed() {
  return most([](const Datatype& type) { return type.size(); });
}
std::int64_t most_spanned() {
  return most([](const Datatype& type) { return type.true_ub(); });
}

/// A seed and the next are no other fill's.
std::uint64_t new_seeds() {
  static std::uint64_t last = 0;
  return (last += 2) - 1;
}

/// Reads what Hints::to_string() writes.
Hints hints_of(const std::string& text) {
  Hints hints;
  std::istringstream list(text);
  for (std::string hint; std::getline(list >> std::ws, hint, ',');) {
    const std::size_t equals = hint.find('=');
    hints.set(hint.substr(0, equals), hint.substr(equals + 1));
  }
  return hints;
}

}  // namespace

Workshop::Workshop()
    : layout(bench::allocate_device(most_spanned())),
      packed(bench::allocate_device(most_packed())),
      staging(bench::allocate_device(most_packed())),
      pinned(bench::allocate_pinned(most_packed())),
      pinned_extent(bench::allocate_pinned(most_spanned())) {}

const Workshop::Layout& Workshop::prepared(const Case& subject) {
  const std::pair key(subject.name, subject.type.size());
  if (const auto found = layouts_.find(key); found != layouts_.end()) return found->second;
  const Plan plan = commit(subject.type);
  const auto address = static_cast<std::int64_t>(reinterpret_cast<std::intptr_t>(layout.get()));
  const auto in_segments = [](std::int64_t segments) {
    return static_cast<double>(segments * segment_bytes);
  };
  return layouts_
      .emplace(key, Layout{plan, bench::DevicePlaces(plan.layout()),
                           bench::DevicePlaces(bench::run_of(plan.size())), subject.type.true_ub(),
                           in_segments(touched_segments(plan.layout(), address)),
                           in_segments((plan.size() + segment_bytes - 1) / segment_bytes)})
      .first->second;
}

Mover::Mover(Workshop& workshop, const Item& item)
    : workshop_(workshop),
      layout_(workshop.prepared(item.subject)),
      item_(item),
      plan_(layout_.plan.with(hints_of(item.method.hints))) {}

std::byte* Mover::packed() const {
  return (item_.place == Place::device ? static_cast<std::byte*>(workshop_.packed.get())
                                       : static_cast<std::byte*>(workshop_.pinned.get()));
}

bench::Side Mover::user() const { return {layout_.places, workshop_.layout.get()}; }
bench::Side Mover::other() const { return {layout_.packed_places, packed(), item_.place == Place::device}; }

void Mover::fill() {
  filled_ = new_seeds();
  bench::fill(item_.packs ? user() : other(), {filled_}, workshop_.queue, workshop_.checked);
  bench::fill(item_.packs ? other() : user(), {filled_ + 1}, workshop_.queue, workshop_.checked);
}

void Mover::verify() {
  if (item_.method.way == Way::extent) {
    pack(workshop_.pinned_extent.get(), 1, layout_.plan, packed(), workshop_.queue.get());
    workshop_.queue.wait();
  }
  const bench::Counts found =
      bench::count_wrong(item_.packs ? user() : other(), {filled_}, item_.packs ? other() : user(),
                         {filled_ + 1}, workshop_.queue, workshop_.checked);
  if (found.wrong > 0) throw Error("wrong bytes: " + std::to_string(found.wrong));
  if (found.changed > 0) throw Error("writes beside the layout: " + std::to_string(found.changed));
}

Demand Mover::demand() const {
  const auto bytes = static_cast<double>(layout_.plan.size());
  if (item_.place == Place::device) return {layout_.touched + layout_.packed};
  return {layout_.touched, item_.packs ? bytes : 0, item_.packs ? 0 : bytes};
}

void Mover::enqueue(cudaStream_t stream) const {
  const std::int64_t bytes = layout_.plan.size();
  switch (item_.method.way) {
    case Way::library:
    case Way::high_stream:
      return library(packed(), stream);
    case Way::staged:
      if (!item_.packs) copy(workshop_.staging.get(), packed(), bytes, stream);
      library(workshop_.staging.get(), stream);
      if (item_.packs) copy(packed(), workshop_.staging.get(), bytes, stream);
      return;
    case Way::memcpy2d:
      return rows(packed(), stream);
    case Way::through_host:
      if (!item_.packs) copy(workshop_.pinned_extent.get(), packed(), bytes, stream);
      rows(workshop_.pinned_extent.get(), stream);
      if (item_.packs) copy(packed(), workshop_.pinned_extent.get(), bytes, stream);
      return;
    case Way::extent:
      return copy(workshop_.pinned_extent.get(), workshop_.layout.get(), layout_.extent, stream);
    case Way::blocks:
      for (std::int64_t row = 0; row < item_.subject.rows.height; ++row) {
        const Ends ends = ends_of(row);
        copy(ends.to, ends.from, item_.subject.rows.width, stream);
      }
      return;
    case Way::batch:
      return batch(stream);
  }
}

void Mover::library(void* packed, cudaStream_t stream) const {
  if (item_.packs) {
    pack(workshop_.layout.get(), 1, plan_, packed, stream);
  } else {
    unpack(packed, workshop_.layout.get(), 1, plan_, stream);
  }
}

void Mover::rows(std::byte* packed, cudaStream_t stream) const {
  const auto width = static_cast<std::size_t>(item_.subject.rows.width);
  const auto height = static_cast<std::size_t>(item_.subject.rows.height);
  const auto pitch = static_cast<std::size_t>(item_.subject.rows.pitch);
  std::byte* const user = workshop_.layout.get();
  check(item_.packs ? cudaMemcpy2DAsync(packed, width, user, pitch, width, height, cudaMemcpyDefault, stream)
                    : cudaMemcpy2DAsync(user, pitch, packed, width, width, height, cudaMemcpyDefault, stream),
        "cudaMemcpy2DAsync");
}

Mover::Ends Mover::ends_of(std::int64_t row) const {
  const Rows& rows = item_.subject.rows;
  std::byte* const user = workshop_.layout.get() + row * rows.pitch;
  std::byte* const other = packed() + row * rows.width;
  return item_.packs ? Ends{other, user} : Ends{user, other};
}

void Mover::batch(cudaStream_t stream) const {
  const std::int64_t height = item_.subject.rows.height;
  std::vector<void*> to;
  std::vector<const void*> from;
  for (std::int64_t row = 0; row < height; ++row) {
    const Ends ends = ends_of(row);
    to.push_back(ends.to);
    from.push_back(ends.from);
  }
  const std::vector<std::size_t> sizes(to.size(), static_cast<std::size_t>(item_.subject.rows.width));
  cudaMemcpyAttributes attributes{};
  attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  attributes.flags = cudaMemcpyFlagPreferOverlapWithCompute;
  std::size_t first = 0;
  for (std::size_t begin = 0; begin < to.size(); begin += most_batched) {
    const std::size_t count = std::min(most_batched, to.size() - begin);
    check(cudaMemcpyBatchAsync(to.data() + begin, from.data() + begin, sizes.data() + begin, count,
                               &attributes, &first, 1, stream),
          "cudaMemcpyBatchAsync");
  }
}

void Mover::copy(void* to, const void* from, std::int64_t bytes, cudaStream_t stream) const {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, stream),
        "cudaMemcpyAsync");
}

}  // namespace typewarp::contention
