// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/observe/statistics.hpp"

#include "base/never_destroyed.hpp"
#include "datatype/of_thread.hpp"
#include "interpose/core/observe/observed.hpp"
#include "interpose/core/observe/summary.hpp"
#include "transport/protocol/select/protocol_row.hpp"
#include "transport/session.hpp"

#include <typewarp/mpi.hpp>

#include <cstdio>
#include <exception>
#include <memory>
#include <mutex>
#include <vector>

namespace typewarp::interpose {
namespace {

/// Those of all threads. Threads that begin go on with what others have left.
class Shards {
 public:
  Counters* take() {
    const std::lock_guard lock(mutex_);
    if (free_.empty()) {
      free_.reserve(all_.size() + 1);
      all_.push_back(std::make_unique<Counters>());
      return all_.back().get();
    }
    Counters* const taken = free_.back();
    free_.pop_back();
    return taken;
  }
  void give_back(Counters* shard) noexcept {
    const std::lock_guard lock(mutex_);
    free_.push_back(shard);  // has room for all
  }
  template <class Act>
  void for_each(Act act) noexcept {
    const std::lock_guard lock(mutex_);
    for (const auto& shard : all_) act(*shard);
  }

 private:
  std::mutex mutex_;
  std::vector<std::unique_ptr<Counters>> all_;
  std::vector<Counters*> free_;
};

Shards& shards() {
  static NeverDestroyed<Shards> instance;  // threads may end after the library has
  return instance.get();
}

class Hold {
 public:
  Hold() : mine_(shards().take()) {}
  Hold(const Hold&) = delete;
  Hold& operator=(const Hold&) = delete;
  ~Hold() { shards().give_back(mine_); }

  Counters* get() const noexcept { return mine_; }

 private:
  Counters* mine_;
};

}  // namespace

Counters* counters() noexcept {
  try {
    return OfThread<const Hold>::get().get();
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

std::array<CallCounts<std::int64_t>, calls> counted() noexcept {
  std::array<CallCounts<std::int64_t>, calls> sums{};
  shards().for_each([&](const Counters& shard) {
    for (std::size_t i = 0; i < sums.size(); ++i)
      for (std::size_t k = 0; k < sums[i].size(); ++k) sums[i][k] += shard[i][k];
  });
  return sums;
}

namespace {

constexpr std::size_t types_reported = 10;
constexpr std::int64_t ns_of_us = 1000;

constexpr std::array<const char*, CountOf::left> labels{"calls", "us", "bytes", "ours", "bytes of ours"};

std::string label_of(std::size_t place) {
  if (place < labels.size()) return labels[place];
  return std::string("left to the MPI (") + reason_names[place - CountOf::left] + ")";
}

void add_calls(Summary& to) {
  auto sums = counted();
  for (std::size_t i = 0; i < sums.size(); ++i) {
    sums[i][CountOf::nanoseconds] /= ns_of_us;
    for (std::size_t k = 0; k < sums[i].size(); ++k) to.add(names[i], label_of(k), sums[i][k]);
  }
}

void add_messages(Summary& to) {
  for (const transport::ProtocolRow* const protocol : transport::protocols()) {
    const std::string heading = std::string("sent by ") + protocol->name;
    to.add(heading, "messages", protocol->sent->messages);
    to.add(heading, "bytes", protocol->sent->bytes);
  }
}

void add_types(Summary& to) {
  for (const UsedType* const type : most_used_types(types_reported)) {
    to.add("datatype " + type->text, "calls", type->calls);
    to.add("datatype " + type->text, "bytes", type->bytes);
  }
  to.add("datatypes", "planned", plan_counts.planned);
  to.add("datatypes", "not planned", plan_counts.not_planned);
  to.add("datatypes", "plans alive", plan_counts.alive);
}

Summary own_summary() {
  Summary summary;
  add_calls(summary);
  add_messages(summary);
  add_types(summary);
  return summary;
}

void tell(int rank, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    std::fputs(own_summary().text("typewarp: rank " + std::to_string(rank) + ": ", 1).c_str(), stderr);
    return;
  }
  int size = 0;
  mpi::check(PMPI_Comm_size(comm, &size), "MPI_Comm_size");
  const Summary all = merged([] { return own_summary(); }, comm);
  if (rank == 0) std::fputs(all.text("typewarp: " + std::to_string(size) + " ranks: ", size).c_str(), stderr);
}

}  // namespace

bool ranks_merge() noexcept {
  int all_do = observing().merged ? 1 : 0;
  const auto session = transport::current();
  const bool agreed = !session || PMPI_Allreduce(MPI_IN_PLACE, &all_do, 1, MPI_INT, MPI_MIN,
                                                 session->comm.get()) == MPI_SUCCESS;
  return agreed && all_do != 0;
}

void report_statistics(int rank, MPI_Comm world) noexcept {
  if (!observing().statistics) return;
  const bool merges = world != MPI_COMM_NULL;
  // Of its own: messages of the program may be under way on the other one.
  MPI_Comm comm = MPI_COMM_NULL;
  if (merges && PMPI_Comm_dup(world, &comm) != MPI_SUCCESS) return;
  try {
    tell(rank, comm);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "typewarp: no statistics: %s\n", error.what());
  }
  if (merges) PMPI_Comm_free(&comm);
}

}  // namespace typewarp::interpose
