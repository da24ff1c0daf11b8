// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/agreement.hpp"

#include "mpi/agree.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>
#include <optional>

namespace typewarp::halo {
namespace {

/// What one process tells another of a field that it sends it: numbers, to travel in a message.
struct Told {
  std::int64_t dimensions, element_bytes, element_count, element_hash;
  std::array<std::int64_t, max_dimensions> lengths;  ///< of the box
  std::array<std::int64_t, max_dimensions> order;
};

Told tell(const Field& field, const Box& box, const std::vector<int>& order) {
  const Signature signature = field.element().signature();
  Told told{static_cast<std::int64_t>(field.dimensions()),
            field.element().size(),
            signature.elements,
            static_cast<std::int64_t>(signature.hash),
            {},
            {}};
  for (std::size_t d = 0; d < box.size(); ++d) {
    told.lengths[d] = box[d].length();
    told.order[d] = order[d];
  }
  return told;
}

bool is_empty(const Told& told) {
  return std::any_of(told.lengths.begin(), told.lengths.begin() + told.dimensions,
                     [](std::int64_t length) { return length == 0; });
}

/// What `told` of a field is not as `expected` here; nothing if all is.
std::optional<std::string> difference(const Told& told, const Told& expected) {
  const auto both = [](const std::string& what, std::int64_t here, std::int64_t there) {
    return what + std::to_string(here) + " here, " + std::to_string(there) + " there";
  };
  if (told.dimensions != expected.dimensions) {
    return both("dimensions: ", expected.dimensions, told.dimensions);
  }
  if (told.element_bytes != expected.element_bytes) {
    return both("bytes of an element: ", expected.element_bytes, told.element_bytes);
  }
  if (told.element_count != expected.element_count || told.element_hash != expected.element_hash) {
    return "elements of other types, though of as many bytes";
  }
  if (is_empty(told) && is_empty(expected)) return std::nullopt;
  for (std::size_t d = 0; d < static_cast<std::size_t>(told.dimensions); ++d) {
    if (told.lengths[d] != expected.lengths[d]) {
      return "dimension " + std::to_string(d) + ": " + std::to_string(expected.lengths[d]) +
             " elements are expected, " + std::to_string(told.lengths[d]) + " would be sent";
    }
  }
  return std::nullopt;
}

/// The messages of a transfer, from and to whom it leads.
class Telling {
 public:
  Telling(MPI_Comm comm, std::size_t fields) : comm_(comm), fields_(fields), rank_(rank_of(comm)) {}

  void start(std::span<const Field> fields, const Transfers& transfers) {
    const auto numbers = static_cast<int>(fields_ * sizeof(Told) / sizeof(std::int64_t));
    sent_.resize(transfers.size() * fields_);
    received_.resize(sent_.size());
    for (std::size_t t = 0; t < transfers.size(); ++t) {
      const Transfer& transfer = transfers[t];
      const auto tag = static_cast<int>(t);
      for (std::size_t f = 0; f < fields_; ++f) {
        sent_[t * fields_ + f] = tell(fields[f], transfer.sent[f], transfer.sent_order[f]);
      }
      if (is_other(transfer.from)) {
        mpi::check(
            MPI_Irecv(&received_[t * fields_], numbers, MPI_INT64_T, transfer.from, tag, comm_, next()),
            "MPI_Irecv");
      }
      if (is_other(transfer.to)) {
        mpi::check(MPI_Isend(&sent_[t * fields_], numbers, MPI_INT64_T, transfer.to, tag, comm_, next()),
                   "MPI_Isend");
      }
    }
    mpi::check(MPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE),
               "MPI_Waitall");
  }

  /// Compares, and takes over the order; the first difference in words, or nothing.
  std::string problem(std::span<const Field> fields, Transfers& transfers) const {
    for (std::size_t t = 0; t < transfers.size(); ++t) {
      Transfer& transfer = transfers[t];
      if (!is_other(transfer.from)) continue;
      for (std::size_t f = 0; f < fields_; ++f) {
        const Told& told = received_[t * fields_ + f];
        const std::optional<std::string> found =
            difference(told, tell(fields[f], transfer.received[f], transfer.received_order[f]));
        if (found) {
          return "fields[" + std::to_string(f) + "] and that of rank " + std::to_string(transfer.from) +
                 ", at side " + text(transfer.side) + ": " + *found;
        }
        transfer.received_order[f].assign(told.order.begin(), told.order.begin() + told.dimensions);
      }
    }
    return {};
  }

 private:
  static int rank_of(MPI_Comm comm) {
    int rank = 0;
    mpi::check(MPI_Comm_rank(comm, &rank), "MPI_Comm_rank");
    return rank;
  }
  static std::string text(const Direction& side) {
    std::string written = "(";
    for (std::size_t d = 0; d < side.size(); ++d) written += (d > 0 ? ", " : "") + std::to_string(side[d]);
    return written + ")";
  }
  bool is_other(int rank) const { return rank != MPI_PROC_NULL && rank != rank_; }
  MPI_Request* next() { return &requests_.emplace_back(MPI_REQUEST_NULL); }

  MPI_Comm comm_;
  std::size_t fields_;
  int rank_;
  std::vector<Told> sent_, received_;
  std::vector<MPI_Request> requests_;
};

std::int64_t fingerprint(const std::vector<Direction>& sides) {
  std::uint64_t sum = 0;
  for (const Direction& side : sides) {
    for (const int step : side) sum = sum * 3 + static_cast<std::uint64_t>(step + 1);
  }
  return static_cast<std::int64_t>(sum);
}

}  // namespace

void agree(MPI_Comm comm, const std::string& problem) {
  if (const auto text = mpi::first_problem(comm, problem)) throw Disagreement(*text);
}

void check_communicator(std::string_view call, std::string_view argument, MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) {
    throw InvalidArgument(call, argument, "MPI_COMM_NULL", "must be a communicator");
  }
  int between_groups = 0;
  mpi::check(MPI_Comm_test_inter(comm, &between_groups), "MPI_Comm_test_inter");
  if (between_groups == 0) return;
  throw InvalidArgument(call, argument, "an intercommunicator", "must be an intracommunicator");
}

void check_same(MPI_Comm comm, std::span<const Choice> choices) {
  std::vector<std::int64_t> root(choices.size());
  std::ranges::transform(choices, root.begin(), &Choice::value);
  mpi::check(MPI_Bcast(root.data(), static_cast<int>(root.size()), MPI_INT64_T, 0, comm), "MPI_Bcast");
  std::string problem;
  for (std::size_t i = 0; i < choices.size() && problem.empty(); ++i) {
    if (choices[i].value != root[i]) problem = choices[i].name + " is not that of rank 0";
  }
  agree(comm, problem);
}

Transfers agreed_transfers(const ProcessGrid& grid, std::span<const Field> fields,
                           const std::vector<Direction>& sides) {
  const MPI_Comm comm = grid.comm();
  together(comm, [&] { check(grid, fields, sides); });
  const std::array choices{Choice{"fields.size()", static_cast<std::int64_t>(fields.size())},
                           Choice{"options.sides.size()", static_cast<std::int64_t>(sides.size())},
                           Choice{"options.sides", fingerprint(sides)}};
  check_same(comm, choices);
  Transfers transfers = transfers_of(grid, fields, sides, full_width);
  Telling telling(comm, fields.size());
  telling.start(fields, transfers);
  agree(comm, telling.problem(fields, transfers));
  return transfers;
}

}  // namespace typewarp::halo
