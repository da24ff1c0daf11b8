// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/memory/fixed_pool.hpp"
#include "transport/wire/rts.hpp"
#include "transport/tuning/policy.hpp"

#include <typewarp/session.hpp>

#include <string>
#include <string_view>

namespace typewarp::transport {

/// The numbers of a machine that decide how messages travel: measured once, and kept in a text file of lines
/// `name = number`, with comments from `#` on. What is not named keeps the built-in number. (001, section
/// IV-B: the block size is found once, when the library is installed.)
struct Profile {
  std::int64_t eager_bytes = SessionOptions{}.eager_bytes;
  std::int64_t direct_bytes = SessionOptions{}.direct_bytes;
  std::int64_t chunk_bytes = SessionOptions{}.chunk_bytes;
  /// Packed bytes of a collective call of an unchanged program from which on NCCL makes it. Two H100: with it
  /// MPI_Allreduce of 16 KiB takes 28 us, without 40, and of 256 KiB 30 and 131; MPI_Bcast 22 and 16, 24 and
  /// 29.
  std::int64_t nccl_bytes = std::int64_t{32} << 10;
  DirectPolicy direct;
  GpuChannelPolicy link;
  RingPolicy ring;

  /// Calls `visit(name, number, least)` for each number that a file may hold.
  template <typename Self, typename Visit>
  static void for_each(Self& self, Visit visit) {
    visit("eager_bytes", self.eager_bytes, rts_bytes);
    visit("direct_bytes", self.direct_bytes, rts_bytes);
    visit("chunk_bytes", self.chunk_bytes, FixedPool::least_chunk_bytes);
    visit("nccl_bytes", self.nccl_bytes, 1);
    visit("direct.sectors_rate", self.direct.sectors_rate, 1);
    visit("direct.long_runs_rate", self.direct.long_runs_rate, 1);
    visit("direct.pieces_rate", self.direct.fragments_rate, 1);
    visit("direct.piece_cost", self.direct.fragment_cost, 0);
    visit("direct.piece_scale", self.direct.fragment_scale, 4096);
    visit("direct.pieces_from", self.direct.fragments_from, 0);
    visit("link.piece_scale", self.link.fragment_scale, 4096);
  }

  /// Throws InvalidArgument, which names `source` and the line, for what is no such text.
  static Profile parse(std::string_view text, const std::string& source);

  /// Of the file that TYPEWARP_PROFILE names; if it is not set, of `typewarp/profile` in XDG_CONFIG_HOME, or
  /// in `.config` of HOME, if there is such a file. The built-in numbers if TYPEWARP_PROFILE is empty, or
  /// there is none. Throws InvalidArgument for a file that is named and cannot be read, and as parse().
  static Profile of_this_machine();
};

/// SessionOptions::from_environment(), where the profile has been read.
SessionOptions options_from_environment(const Profile& profile);

}  // namespace typewarp::transport
