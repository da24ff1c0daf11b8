// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/agreement.hpp"

#include <typewarp/mpi.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

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
  const auto dimensions = static_cast<std::size_t>(told.dimensions);
  if (!std::ranges::is_permutation(std::span(told.order).first(dimensions),
                                   std::span(expected.order).first(dimensions))) {
    return "an order of dimensions that cannot be";
  }
  if (is_empty(told) && is_empty(expected)) return std::nullopt;
  for (std::size_t d = 0; d < dimensions; ++d) {
    if (told.lengths[d] != expected.lengths[d]) {
      return "dimension " + std::to_string(d) + ": " + std::to_string(expected.lengths[d]) +
             " elements are expected, " + std::to_string(told.lengths[d]) + " would be sent";
    }
  }
  return std::nullopt;
}

std::string text(const Direction& side) {
  std::string written = "(";
  for (std::size_t d = 0; d < side.size(); ++d) written += (d > 0 ? ", " : "") + std::to_string(side[d]);
  return written + ")";
}

/// Of a transfer: what the processes at its ends tell each other of each field.
struct TransferComparison {
  TransferComparison(std::span<const Field> fields, const HaloTransfer& transfer) : received(fields.size()) {
    for (std::size_t f = 0; f < fields.size(); ++f)
      sent.push_back(tell(fields[f], transfer.sent[f], transfer.sent_order[f]));
  }
  std::vector<Told> sent, received;
};

/// Collective. Tells the receiver of a transfer what will be sent, and what the sender tells. Takes no
/// memory: the others wait.
void exchange(MPI_Comm comm, TransferComparison& told, const HaloTransfer& transfer) {
  constexpr int tag = 0;
  const auto numbers = static_cast<int>(told.sent.size() * sizeof(Told) / sizeof(std::int64_t));
  mpi::check(MPI_Sendrecv(told.sent.data(), numbers, MPI_INT64_T, transfer.to, tag, told.received.data(),
                          numbers, MPI_INT64_T, transfer.from, tag, comm, MPI_STATUS_IGNORE),
             "MPI_Sendrecv");
}

/// Compares what the sender has told with what is expected; takes over the order in which each field is sent.
/// The first difference in words, or nothing.
std::string compare(std::span<const Field> fields, const std::vector<Told>& received,
                    HaloTransfer& transfer) {
  if (transfer.from == MPI_PROC_NULL) return {};
  for (std::size_t f = 0; f < fields.size(); ++f) {
    const Told& told = received[f];
    const std::optional<std::string> found =
        difference(told, tell(fields[f], transfer.received[f], transfer.received_order[f]));
    if (found) {
      return "fields[" + std::to_string(f) + "] and that of rank " + std::to_string(transfer.from) +
             ", at side " + text(transfer.side) + ": " + *found;
    }
    transfer.received_order[f].assign(told.order.begin(), told.order.begin() + told.dimensions);
  }
  return {};
}

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

void check_same(MPI_Comm comm, std::span<const SharedSetting> choices) {
  std::vector<std::int64_t> root;
  together(comm, [&] {
    root.resize(choices.size());
    std::ranges::transform(choices, root.begin(), &SharedSetting::value);
  });
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
  Transfers transfers;
  std::vector<TransferComparison> told;
  std::vector<SharedSetting> choices;
  together(comm, [&] {
    check(grid, fields, sides);
    transfers = transfers_of(grid, fields, sides, full_width);
    for (const HaloTransfer& transfer : transfers) told.emplace_back(fields, transfer);
    choices = {{"fields.size()", static_cast<std::int64_t>(fields.size())},
               {"options.sides.size()", static_cast<std::int64_t>(sides.size())},
               {"options.sides", fingerprint(sides)}};
  });
  check_same(comm, choices);
  for (std::size_t i = 0; i < transfers.size(); ++i) exchange(comm, told[i], transfers[i]);
  std::string problem;
  together(comm, [&] {
    for (std::size_t i = 0; i < transfers.size() && problem.empty(); ++i)
      problem = compare(fields, told[i].received, transfers[i]);
  });
  agree(comm, problem);
  return transfers;
}

}  // namespace typewarp::halo
