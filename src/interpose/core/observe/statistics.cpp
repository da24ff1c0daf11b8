// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/observe/statistics.hpp"

#include "base/never_destroyed.hpp"
#include "datatype/of_thread.hpp"
#include "interpose/core/observe/observed.hpp"
#include "mpi/agree.hpp"
#include "transport/protocol/select/protocol_row.hpp"
#include "transport/session.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <limits>
#include <memory>
#include <mutex>
#include <numeric>
#include <sstream>
#include <vector>

namespace typewarp::interpose {

void Summary::add(const std::string& heading, const std::string& label, std::int64_t value) {
  if (value != 0) add(heading, label, Total{value, value, value, 1});
}

void Summary::add(const Summary& others) {
  for (const auto& [heading, labels] : others.lines_) {
    for (const auto& [label, total] : labels) add(heading, label, total);
  }
}

void Summary::add(const std::string& heading, const std::string& label, const Total& total) {
  const auto [place, is_new] = places_.try_emplace(heading, lines_.size());
  if (is_new) lines_.emplace_back(heading, Labels());
  Labels& labels = lines_[place->second].second;
  const auto found = std::ranges::find(labels, label, &Labels::value_type::first);
  if (found == labels.end()) {
    labels.emplace_back(label, total);
    return;
  }
  Total& known = found->second;
  known = {known.sum + total.sum, std::min(known.least, total.least), std::max(known.most, total.most),
           known.ranks + total.ranks};
}

std::string Summary::text(const std::string& prefix, int ranks) const {
  std::ostringstream out;
  for (const auto& [heading, labels] : lines_) {
    const char* separator = ": ";
    out << prefix << heading;
    for (const auto& [label, total] : labels) {
      out << std::exchange(separator, ", ") << label << ' ' << total.sum;
      if (ranks == 1) continue;
      const std::int64_t least = total.ranks < ranks ? std::min<std::int64_t>(total.least, 0) : total.least;
      out << " (" << least << " to " << total.most << ')';
    }
    out << '\n';
  }
  return out.str();
}

std::string Summary::packed() const {
  std::ostringstream out;
  for (const auto& [heading, labels] : lines_) {
    for (const auto& [label, total] : labels) {
      out << heading << '\n' << label << '\n';
      out << total.sum << ' ' << total.least << ' ' << total.most << ' ' << total.ranks << '\n';
    }
  }
  return out.str();
}

Summary Summary::unpacked(const std::string& text) {
  Summary made;
  std::istringstream in(text);
  std::string heading, label;
  Total total{};
  while (std::getline(in, heading) && std::getline(in, label) &&
         in >> total.sum >> total.least >> total.most >> total.ranks) {
    made.add(heading, label, total);
    in.ignore();  // the end of the line
  }
  return made;
}

Summary merged(FunctionRef<Summary()> own, MPI_Comm comm) {
  constexpr int root = 0;
  const auto [rank, ranks] = mpi::rank_in(comm);
  Summary sum;
  std::string text, texts;
  std::vector<int> lengths, places;
  std::exception_ptr failure;
  // Nobody gives anything before all have the memory for it.
  const auto all_can = [&](auto act) {
    try {
      act();
    } catch (...) {
      failure = std::current_exception();
    }
    return mpi::in_all(comm, !failure);
  };
  bool is_merged = all_can([&] {
    sum = own();
    if (rank != root) text = sum.packed();
    lengths.resize(static_cast<std::size_t>(ranks));
  });
  const auto length = static_cast<int>(text.size());
  if (is_merged) {
    mpi::check(PMPI_Gather(&length, 1, MPI_INT, lengths.data(), 1, MPI_INT, root, comm), "MPI_Gather");
    is_merged = all_can([&] {
      const std::int64_t bytes = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
      if (bytes > std::numeric_limits<int>::max()) throw Error("the ranks have too much to tell");
      places.resize(lengths.size());
      std::exclusive_scan(lengths.begin(), lengths.end(), places.begin(), 0);
      texts.resize(static_cast<std::size_t>(bytes));
    });
  }
  if (is_merged) {
    mpi::check(PMPI_Gatherv(text.data(), length, MPI_CHAR, texts.data(), lengths.data(), places.data(),
                            MPI_CHAR, root, comm),
               "MPI_Gatherv");
    sum.add(Summary::unpacked(texts));
  }
  if (failure) std::rethrow_exception(failure);
  if (!is_merged && rank == root) throw Error("another rank could not give its own");
  return sum;
}

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
  Hold& operator=(Hold&&) = delete;
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
  const int size = mpi::rank_in(comm).ranks;
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
