// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/observe/summary.hpp"

#include <typewarp/error.hpp>
#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>
#include <exception>
#include <new>
#include <sstream>
#include <string_view>

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

namespace {

constexpr int tag = 0;
constexpr std::size_t piece = 4096;
constexpr std::string_view nothing = "?";  ///< in place of the text of a rank that cannot give its own

// The last piece is not full.
void send_text(std::string_view text, int to, MPI_Comm comm) {
  for (bool is_last = false; !is_last;) {
    const std::string_view part = text.substr(0, piece);
    mpi::check(PMPI_Send(part.data(), static_cast<int>(part.size()), MPI_CHAR, to, tag, comm), "MPI_Send");
    text.remove_prefix(part.size());
    is_last = part.size() < piece;
  }
}

/// Receives all of it, also where this rank has no memory for it: the other one sends.
std::string receive_text(int from, MPI_Comm comm) {
  std::array<char, piece> part;
  std::string text;
  std::exception_ptr failure;
  for (int length = piece; length == static_cast<int>(piece);) {
    MPI_Status status{};
    mpi::check(PMPI_Recv(part.data(), static_cast<int>(piece), MPI_CHAR, from, tag, comm, &status),
               "MPI_Recv");
    mpi::check(PMPI_Get_count(&status, MPI_CHAR, &length), "MPI_Get_count");
    try {
      text.append(part.data(), static_cast<std::size_t>(length));
    } catch (const std::bad_alloc&) {
      failure = std::current_exception();
    }
  }
  if (failure) std::rethrow_exception(failure);
  return text;
}

}  // namespace

Summary merged(FunctionRef<Summary()> own, MPI_Comm comm) {
  int rank = 0;
  int size = 0;
  mpi::check(PMPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
  mpi::check(PMPI_Comm_size(comm, &size), "MPI_Comm_size");
  Summary sum;
  std::string text;
  std::exception_ptr failure;
  const auto attempt = [&failure](auto act) {
    try {
      act();
    } catch (...) {
      failure = std::current_exception();
    }
  };
  attempt([&] { sum = own(); });
  for (int step = 1; step < size; step *= 2) {
    if (rank % (2 * step) != 0) {
      if (!failure) attempt([&] { text = sum.packed(); });
      send_text(failure ? nothing : std::string_view(text), rank - step, comm);
      break;
    }
    if (rank + step >= size) continue;
    attempt([&] {
      text = receive_text(rank + step, comm);
      if (text == nothing) throw Error("another rank could not give its own");
      sum.add(Summary::unpacked(text));
    });
  }
  if (failure) std::rethrow_exception(failure);
  return sum;
}

}  // namespace typewarp::interpose
