// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/observe/summary.hpp"

#include "mpi/agree.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <exception>
#include <limits>
#include <numeric>
#include <sstream>

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
  int rank = 0;
  int ranks = 0;
  mpi::check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  mpi::check(PMPI_Comm_size(comm, &ranks), "MPI_Comm_size");
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

}  // namespace typewarp::interpose
