// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/gpu_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>

/// The constants by which messages travel, and where each comes from.
namespace typewarp::transport {

/// How long the fragments of a message of `bytes` bytes are best. Nothing travels before the first fragment
/// is packed, and each fragment costs time by itself: so they are as long as they are many, counted in
/// `scale`, but not shorter than that, nor longer than `longest`.
inline std::int64_t fragment_length(std::int64_t bytes, std::int64_t scale, std::int64_t longest) noexcept {
  constexpr double grain = 4096;
  const double best = std::sqrt(static_cast<double>(bytes) * static_cast<double>(scale));
  const auto length = static_cast<std::int64_t>(std::ceil(best / grain) * grain);
  return std::min(longest, std::max(scale, length));
}

/// The longest that both ends can take, where 0 is any, or `any` if both can take that.
inline std::int64_t shorter_fragment(std::int64_t one, std::int64_t other, std::int64_t any) noexcept {
  if (one == 0 && other == 0) return any;
  if (one == 0 || other == 0) return std::max(one, other);
  return std::min(one, other);
}

/// The numbers of the protocol direct.
struct DirectPolicy {
  /// Bytes of the wire of a plan that is asked for; a longer one would take long to read, and messages of it
  /// go in fragments.
  std::int64_t longest_wire = std::int64_t{16} << 20;
  /// Plans of other ranks that are kept for their next messages, and the bytes that they had on the wire.
  std::size_t kept_plans = 1024;
  std::int64_t kept_wire_bytes = std::int64_t{64} << 20;

  /// Between two devices a message goes by one kernel from layout to layout or in packed fragments, whichever
  /// takes less time by these numbers: measured between two H200, those of fragments between two H100, in
  /// bytes a microsecond and microseconds. A kernel wastes the link where runs do not fill the sectors that
  /// cross it; fragments cost time each.
  std::int64_t sector = 32;
  std::int64_t long_run = 64;
  double sectors_rate = 277e3;    ///< of a kernel, where each sector is used whole,
  double long_runs_rate = 368e3;  ///< and where runs are at least `long_run`
  /// The rate falls faster than the part of a sector that is used: as this power of it (4 and 8 B of 32).
  double partial_sectors = 1.15;
  double fragments_rate = 357e3;
  double fragment_cost = 10;
  /// Nothing crosses the link before the first fragment is packed: so fragments are as long as they are many,
  /// counted in this length.
  std::int64_t fragment_scale = std::int64_t{4} << 20;
  /// Shorter messages never go in fragments.
  std::int64_t fragments_from = std::int64_t{256} << 10;
  /// The longest fragments in memory of devices, also of those that go by a link.
  std::int64_t fragment_bytes = std::int64_t{16} << 20;

  /// `run`: bytes that cross the link together on average, on that side where they are fewer. `near`: both
  /// sides lie with one device.
  bool prefers_fragments(std::int64_t bytes, std::int64_t run, bool near) const noexcept {
    if (near || bytes < fragments_from) return false;
    const double filled = static_cast<double>(std::min(run, sector)) / static_cast<double>(sector);
    const double rate = run >= long_run ? long_runs_rate : sectors_rate * std::pow(filled, partial_sectors);
    const auto amount = static_cast<double>(bytes);
    return amount / rate > fragment_cost * fragments(bytes) + amount / fragments_rate;
  }

  /// How many fragments a message goes in where the longest are to be had: at least one.
  double fragments(std::int64_t bytes) const noexcept {
    const std::int64_t length = fragment_length(bytes, fragment_bytes);
    return std::max(1.0, static_cast<double>(bytes) / static_cast<double>(length));
  }
  /// How long they are, of at most `longest` bytes.
  std::int64_t fragment_length(std::int64_t bytes, std::int64_t longest) const noexcept {
    return transport::fragment_length(bytes, fragment_scale, longest);
  }
};
inline constexpr DirectPolicy direct_policy;

/// The numbers of the protocols gpu_aware and ucx.
struct GpuChannelPolicy {
  /// Nothing travels before the first fragment is packed, and each fragment costs time by itself, some 12 us
  /// by UCX between two H200: so fragments are as long as they are many, counted in this length; but not
  /// shorter.
  std::int64_t fragment_scale = std::int64_t{2} << 20;

  /// For a message of `bytes` bytes, of which both sides can take fragments of up to `longest`.
  std::int64_t fragment_of(std::int64_t bytes, std::int64_t longest) const noexcept {
    return fragment_length(bytes, fragment_scale, longest);
  }
};
inline constexpr GpuChannelPolicy link_policy;

/// The numbers of messages that go through rings.
struct RingPolicy {
  /// Rings of each rank, and the bytes that each has room for. What no message uses takes no memory.
  static constexpr std::int64_t rings = 64;
  static constexpr std::int64_t capacity = std::int64_t{128} << 10;
  /// The same of long rings, whose fragments are long enough for many threads to share the packing of each.
  static constexpr std::int64_t long_rings = 4;
  static constexpr std::int64_t long_capacity = std::int64_t{8} << 20;
  /// Messages of at least so many bytes go through a ring: shorter ones are sooner there as they are. The
  /// second number is for those of consecutive memory.
  std::int64_t least_bytes = 4096;
  std::int64_t least_in_place = 4096;
  /// Longer ones that are not consecutive at the sender go in fragments, which many threads pack and unpack.
  std::int64_t most_bytes = std::numeric_limits<std::int64_t>::max();
  /// Longer ones from consecutive to consecutive memory are copied once, by the receiver or by the MPI.
  std::int64_t most_in_place = std::int64_t{32} << 10;
  /// By the receiver if it may read the sender's memory.
  bool reads_memory = true;
  /// A message is cut into so many fragments, each of no fewer and no more bytes than these: the last one is
  /// unpacked when nothing is left to pack, and the caches should hold a few.
  std::int64_t fragments = 8;
  std::int64_t least_fragment = std::int64_t{2} << 10;
  std::int64_t longest_fragment = std::int64_t{32} << 10;
  /// Messages of at least so many bytes go through a long ring, as long as one is free and the sender may use
  /// so many threads: short fragments are what a few cores like.
  std::int64_t long_from = std::int64_t{1} << 20;
  std::int64_t least_threads = 4;
  /// Fragments there: not fewer bytes than threads share.
  std::int64_t least_long_fragment = std::int64_t{256} << 10;
  std::int64_t longest_long_fragment = std::int64_t{1} << 20;
  /// Bytes moved before other messages are looked after.
  std::int64_t bytes_at_a_time = std::int64_t{128} << 10;
  /// The same where the receiver reads the sender's memory.
  std::int64_t read_at_a_time = std::int64_t{1} << 20;

  constexpr std::int64_t longest(bool in_long_ring) const noexcept {
    return in_long_ring ? longest_long_fragment : longest_fragment;
  }
  constexpr std::int64_t fragment_bytes(std::int64_t bytes, bool in_long_ring) const noexcept {
    const std::int64_t least = in_long_ring ? least_long_fragment : least_fragment;
    return std::min(longest(in_long_ring), std::max(least, bytes / fragments));
  }
};

/// For devices that several processes use: decision 041.
struct SharingPolicy {
  /// Messages of at least so many bytes go through host memory: of stencil2d's halos, on four ranks of two
  /// time-sliced H100, those of 32 KiB took 14 % less time so, those of 8 KiB 35 % more.
  std::int64_t least_bytes = std::int64_t{32} << 10;
  /// Under the Multi-Process Service messages of fewer bytes do: those of 64 KiB took 18 to 40 % less time,
  /// those of 512 KiB up to 6 % more.
  std::int64_t mps_end = std::int64_t{256} << 10;
  /// So many short messages are packed one by one, and more by one kernel: a copy takes some 10 us, a
  /// time slice 140.
  std::size_t most_copies = 16;
};
inline constexpr SharingPolicy sharing_policy;

/// Whether copy engines move so many bytes between a device and host memory sooner than its kernels, which
/// wait for those of other processes.
constexpr bool engines_come_first(gpu::Sharing sharing, std::int64_t bytes) {
  switch (sharing) {
    case gpu::Sharing::alone:
      return false;
    case gpu::Sharing::time_sliced:
      return true;
    case gpu::Sharing::mps:
      return bytes >= sharing_policy.least_bytes && bytes < sharing_policy.mps_end;
  }
  return false;
}

/// When gathered copies are launched.
struct CopyCoalescerPolicy {
  /// Copies of so many bytes are launched at once: that keeps a device busy for longer than a launch takes.
  /// The halo of 8 fields of 128^3 numbers, two cells wide, is 12 MiB, and one launch.
  std::int64_t most_bytes = std::int64_t{16} << 20;
  /// A turn is over when so many operations have been moved on, or all: what waits for others waits no longer
  /// than they take, some 20 us, where very many have nothing to do.
  std::size_t turn = 512;
};
inline constexpr CopyCoalescerPolicy gather_policy;

}  // namespace typewarp::transport
