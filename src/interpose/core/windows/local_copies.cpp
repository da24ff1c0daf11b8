// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/windows/local_copies.hpp"

#include "base/never_destroyed.hpp"
#include "interpose/core/buffers/byte_type.hpp"
#include "interpose/core/buffers/plans.hpp"
#include "interpose/core/observe/observed.hpp"
#include "mpi/contents.hpp"

#include <typewarp/mpi.hpp>

#include <exception>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

namespace typewarp::interpose {
namespace {

bool computes(const LocalMemory& memory) { return memory.use == Use::operand || memory.use == Use::result; }
bool is_read(const LocalMemory& memory) { return memory.use == Use::sent || memory.use == Use::operand; }

struct Elements {
  MPI_Datatype type = MPI_DATATYPE_NULL;
  bool differ = false;

  void add(MPI_Datatype of) {
    if (mpi::is_named(of)) return add_predefined(of);
    mpi::Contents contents(of);
    if (contents.predefined()) return add_predefined(of);
    const std::vector<MPI_Datatype>& children = contents.children();
    if (contents.combiner() != MPI_COMBINER_STRUCT) return add(children.at(0));
    const std::vector<std::int64_t> lengths = contents.counts(contents.count());
    for (std::size_t i = 0; i < children.size(); ++i) {
      if (lengths[i] > 0) add(children[i]);
    }
  }
  void add_predefined(MPI_Datatype of) {
    differ = differ || (type != MPI_DATATYPE_NULL && type != of);
    type = of;
  }
};

/// A committed datatype of the packed elements of one item; null where they differ, have gaps, or are more
/// than an int counts: then the MPI is to judge.
MPI_Datatype packed_elements(MPI_Datatype type) {
  MPI_Datatype made = MPI_DATATYPE_NULL;
  const std::optional<MPI_Datatype> element = element_of(type);
  if (!element) return made;
  int size = 0;
  MPI_Aint lb = 0, extent = 0;
  mpi::check(PMPI_Type_size(*element, &size), "MPI_Type_size");
  mpi::check(PMPI_Type_get_extent(*element, &lb, &extent), "MPI_Type_get_extent");
  const std::int64_t elements = size > 0 ? plan_needed(type).size() / size : 0;
  if (extent != size || elements > std::numeric_limits<int>::max()) return made;
  mpi::check(PMPI_Type_contiguous(static_cast<int>(elements), *element, &made), "MPI_Type_contiguous");
  mpi::check(PMPI_Type_commit(&made), "MPI_Type_commit");
  return made;
}

}  // namespace

Given as_they_are(std::initializer_list<LocalMemory> memories) noexcept {
  Given given{};
  std::size_t i = 0;
  for (const LocalMemory& memory : memories)
    given[i++] = {const_cast<void*>(memory.buffer), memory.count, memory.type};
  return given;
}

std::optional<MPI_Datatype> element_of(MPI_Datatype type) {
  Elements elements;
  elements.add(type);
  return elements.differ || elements.type == MPI_DATATYPE_NULL ? std::nullopt : std::optional(elements.type);
}

LocalCopies::LocalCopies(std::initializer_list<LocalMemory> memories, std::int64_t bytes, bool fills)
    : given_(as_they_are(memories)), fills_(fills) {
  std::size_t i = 0;
  for (const LocalMemory& memory : memories) {
    if (items_are_ours(memory.buffer, memory.count, memory.type, MPI_COMM_NULL))
      add(copies_[i], given_[i], memory, bytes);
    ++i;
  }
}

LocalCopies::~LocalCopies() {
  for (Copy& copy : copies_) {
    if (copy.type != MPI_DATATYPE_NULL) PMPI_Type_free(&copy.type);
  }
}

void LocalCopies::add(Copy& copy, GivenMemory& given, const LocalMemory& memory, std::int64_t bytes) {
  copy.is_written = !is_read(memory);
  if (computes(memory)) copy.type = packed_elements(memory.type);
  if (computes(memory) && copy.type == MPI_DATATYPE_NULL) {
    copy.spread.emplace(one_block(memory.buffer, memory.count, memory.type));
    copy.arriving = copy.spread->bytes();
    copy.spread->pack();
    given.buffer = const_cast<void*>(copy.spread->given().buffer);
    return tell_taken(copy.arriving);
  }
  copy.packed.emplace(one_block(memory.buffer, memory.count, memory.type));
  const CallSide& packed = copy.packed->given();
  copy.arriving = copy.packed->bytes();
  given = {const_cast<void*>(packed.buffer), packed.count, computes(memory) ? copy.type : packed.type};
  if (memory.use == Use::received && bytes >= 0 && bytes < copy.arriving) {
    // Of consecutive bytes Open MPI brings as many as there is room for.
    copy.arriving = bytes;
    copy.type = byte_type(bytes);
    given.count = 1;
    given.type = copy.type;
  } else if (!copy.is_written || fills_ || bytes < copy.arriving) {
    copy.packed->pack();  // also of what is written: what does not come stays as it is
  }
  tell_taken(copy.arriving);
}

void LocalCopies::finish(Moves& moves) {
  const std::lock_guard lock(mutex_);
  if (!has_begun()) return;
  for (Copy& copy : copies_) {
    if (!copy.is_written) continue;
    if (copy.packed) copy.packed->unpack(moves, moved_ ? 0 : copy.arriving);
    if (copy.spread) copy.spread->unpack(moves, moved_ ? 0 : copy.arriving);
  }
  moved_ = true;
}

void Pending::sweep(Calls& kept) noexcept {
  const auto is_over = [](const Call& call) {
    const Copies copies = call.copies.lock();
    return !copies || copies->is_over();
  };
  kept_.fetch_sub(std::erase_if(kept, is_over), std::memory_order_release);
}

void Pending::keep(MPI_Win window, int target, const Copies& copies) {
  const std::lock_guard lock(mutex_);
  Calls& kept = calls_[window];
  if (kept.size() == kept.capacity()) {
    sweep(kept);  // of requests that are complete nothing stays
    if (kept.size() > kept.capacity() / 2) kept.reserve(2 * kept.capacity());
  }
  kept.push_back({target, copies, copies});
  kept_.fetch_add(1, std::memory_order_release);
}

void Pending::let_go(MPI_Win window, const Copies& copies) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(window);
  if (found == calls_.end()) return;
  for (auto call = found->second.rbegin(); call != found->second.rend(); ++call) {
    if (call->held == copies) return call->held.reset();
  }
}

std::vector<Pending::Copies> Pending::begun(MPI_Win window, std::optional<int> target) {
  std::vector<Copies> all;
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(window);
  if (found == calls_.end()) return all;
  for (const Call& call : found->second) {
    if (target && call.target != *target) continue;
    Copies copies = call.copies.lock();
    if (copies && copies->has_begun()) all.push_back(std::move(copies));
  }
  return all;
}

void Pending::sweep(MPI_Win window) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(window);
  if (found == calls_.end()) return;
  sweep(found->second);
  if (found->second.empty()) calls_.erase(found);
}

Pending::Table::node_type Pending::take(MPI_Win window) noexcept {
  const std::lock_guard lock(mutex_);
  const auto found = calls_.find(window);
  if (found == calls_.end()) return {};
  kept_.fetch_sub(found->second.size(), std::memory_order_release);
  return calls_.extract(found);
}

void Pending::put_back(Table::node_type taken) noexcept {
  if (taken.empty()) return;
  const std::lock_guard lock(mutex_);
  kept_.fetch_add(taken.mapped().size(), std::memory_order_release);
  calls_.insert(std::move(taken));
}

Pending& pending() {
  static NeverDestroyed<Pending> instance;
  return instance.get();
}

void finish(const std::vector<Pending::Copies>& complete) {
  std::exception_ptr failure;
  for (const Pending::Copies& copies : complete) {
    try {
      Moves moves;
      copies->finish(moves);
      moves.reached(true);
      copies->end();
    } catch (const std::exception&) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
}

}  // namespace typewarp::interpose
