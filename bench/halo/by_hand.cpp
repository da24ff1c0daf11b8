// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "by_hand.hpp"

#include <algorithm>

namespace typewarp::halo_bench {
namespace {

/// A step of packing or unpacking.
struct Move {
  Mover mover;
  double* array;
  std::int64_t place;  ///< in packed memory
  bool here;           ///< whether it is of what a rank has for itself
};

/// Of all parts and fields.
std::vector<Move> moves(const Subject& subject, const MoverOf& mover, bool packs) {
  const Pattern& pattern = subject.pattern;
  std::vector<Move> result;
  for (const Part& part : pattern.parts) {
    const bool here = part.rank == pattern.rank;
    const std::int64_t place = !packs && here ? pattern.parts[part.opposite].place : part.place;
    const Mover moving = mover(packs ? part.sent : part.received, pattern.length);
    for (std::int64_t f = 0; f < pattern.fields; ++f) {
      result.push_back({moving, subject.fields.data(f), place + f * part.block, here});
    }
  }
  return result;
}

class OnHost : public Wire {
 public:
  explicit OnHost(const Subject& subject)
      : pattern_(subject.pattern),
        comm_(subject.peers.comm),
        sent_(static_cast<std::size_t>(pattern_.packed)),
        received_(static_cast<std::size_t>(pattern_.packed_others)) {}

  double* sent() override { return sent_.data(); }
  double* received() override { return received_.data(); }
  void run() override { send_parts(pattern_, comm_, sent_.data(), received_.data()); }

 private:
  const Pattern& pattern_;
  MPI_Comm comm_;
  std::vector<double> sent_, received_;
};

}  // namespace

Way by_hand(const Subject& subject, const MoverOf& mover, std::shared_ptr<Wire> wire) {
  const auto pack = [wire, all = moves(subject, mover, true)] {
    for (const Move& move : all) move.mover(true, move.array, wire->sent() + move.place);
  };
  const auto unpack = [wire, all = moves(subject, mover, false)] {
    for (const Move& move : all) {
      move.mover(false, move.array, (move.here ? wire->sent() : wire->received()) + move.place);
    }
  };
  return {pack, [wire] { wire->run(); }, unpack, static_cast<std::int64_t>(subject.pattern.others)};
}

MoverOf loops() {
  return [](const Span3& cells, std::int64_t length) -> Mover {
    return [=](bool packs, double* array, double* packed) {
      for (std::int64_t i = 0; i < cells.size[0]; ++i) {
        for (std::int64_t j = 0; j < cells.size[1]; ++j) {
          double* const row =
              array + ((cells.begin[0] + i) * length + cells.begin[1] + j) * length + cells.begin[2];
          std::copy_n(packs ? row : packed, cells.size[2], packs ? packed : row);
          packed += cells.size[2];
        }
      }
    };
  };
}

void send_parts(const Pattern& pattern, MPI_Comm comm, const double* sent, double* received) {
  std::vector<MPI_Request> requests;
  for (std::size_t i = 0; i < pattern.others; ++i) {
    const Part& part = pattern.parts[i];
    MPI_Irecv(received + part.place, static_cast<int>(part.block * pattern.fields), MPI_DOUBLE, part.rank,
              part.received_tag, comm, &requests.emplace_back());
  }
  for (std::size_t i = 0; i < pattern.others; ++i) {
    const Part& part = pattern.parts[i];
    MPI_Isend(sent + part.place, static_cast<int>(part.block * pattern.fields), MPI_DOUBLE, part.rank,
              part.sent_tag, comm, &requests.emplace_back());
  }
  MPI_Waitall(static_cast<int>(requests.size()), requests.data(), MPI_STATUSES_IGNORE);
}

std::shared_ptr<Wire> messages_on_host(const Subject& subject) { return std::make_shared<OnHost>(subject); }

}  // namespace typewarp::halo_bench
