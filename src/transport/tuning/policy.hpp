// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/runtime/gpu_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>

/// The constants by which messages travel, and where each comes from.
namespace typewarp::transport {

/// The best length of fragments. The first fragment must be packed before anything travels, and each fragment
/// has a fixed cost. So with length = bytes / number, number = length / scale; the result is from `scale` to
/// `longest`.
inline std::int64_t fragment_length(std::int64_t bytes, std::int64_t scale, std::int64_t longest) noexcept {
  constexpr double grain = 4096;
  const double best = std::sqrt(static_cast<double>(bytes) * static_cast<double>(scale));
  const auto length = static_cast<std::int64_t>(std::ceil(best / grain) * grain);
  return std::min(longest, std::max(scale, length));
}

/// The longest fragment that both ends can take. 0 means any length; if both ends can take that, the result
/// is `any`.
inline std::int64_t shorter_fragment(std::int64_t one, std::int64_t other, std::int64_t any) noexcept {
  if (one == 0 && other == 0) return any;
  if (one == 0 || other == 0) return std::max(one, other);
  return std::min(one, other);
}

/// How a session treats the plans of other ranks, whose memory it reads.
struct RemotePlanPolicy {
  /// The longest wire of a plan that a receiver asks for. Messages of others go in fragments.
  std::int64_t longest_wire = std::int64_t{16} << 20;
  /// How many plans it keeps, and how many bytes of wire they have together.
  std::size_t kept_plans = 1024;
  std::int64_t kept_wire_bytes = std::int64_t{64} << 20;
};
inline constexpr RemotePlanPolicy remote_plan_policy;

/// The numbers of the protocol direct.
struct DirectPolicy {
  /// Between two devices a message goes by one kernel from layout to layout or in packed fragments, whichever
  /// is faster by these numbers: bytes a microsecond, and microseconds, between two H200; those of fragments
  /// between two H100 (decision 006). A kernel wastes the link if runs do not fill the sectors that cross it.
  std::int64_t sector = 32;
  std::int64_t long_run = 64;
  double sectors_rate = 277e3;    ///< of a kernel, if each sector is filled
  double long_runs_rate = 368e3;  ///< of a kernel, if runs are at least `long_run`
  /// The rate falls with this power of the filled part of a sector (measured with 4 and 8 B of 32).
  double partial_sectors = 1.15;
  double fragments_rate = 357e3;
  double fragment_cost = 10;
  /// `scale` of fragment_length().
  std::int64_t fragment_scale = std::int64_t{4} << 20;
  /// Shorter messages never go in fragments.
  std::int64_t fragments_from = std::int64_t{256} << 10;
  /// The longest fragment in device memory, also for links.
  std::int64_t fragment_bytes = std::int64_t{16} << 20;

  /// `run`: the average number of contiguous bytes, on the side where it is smaller. `near`: both sides are
  /// on one device.
  bool prefers_fragments(std::int64_t bytes, std::int64_t run, bool near) const noexcept {
    if (near || bytes < fragments_from) return false;
    const double filled = static_cast<double>(std::min(run, sector)) / static_cast<double>(sector);
    const double rate = run >= long_run ? long_runs_rate : sectors_rate * std::pow(filled, partial_sectors);
    const auto amount = static_cast<double>(bytes);
    return amount / rate > fragment_cost * fragments(bytes) + amount / fragments_rate;
  }

  /// The number of fragments of a message, at least one.
  double fragments(std::int64_t bytes) const noexcept {
    const std::int64_t length = fragment_length(bytes, fragment_bytes);
    return std::max(1.0, static_cast<double>(bytes) / static_cast<double>(length));
  }
  /// Their length, at most `longest`.
  std::int64_t fragment_length(std::int64_t bytes, std::int64_t longest) const noexcept {
    return transport::fragment_length(bytes, fragment_scale, longest);
  }
};
inline constexpr DirectPolicy direct_policy;

/// The numbers of the protocols gpu_aware and ucx.
struct GpuChannelPolicy {
  /// `scale` of fragment_length(). A fragment costs some 12 us by UCX between two H200.
  std::int64_t fragment_scale = std::int64_t{2} << 20;

  /// The length of fragments, if both sides can take `longest`.
  std::int64_t fragment_of(std::int64_t bytes, std::int64_t longest) const noexcept {
    return fragment_length(bytes, fragment_scale, longest);
  }
};

/// The numbers of the protocol ring (decision 011).
struct RingPolicy {
  /// The number of rings of each rank, and their size. An unused ring takes no memory.
  static constexpr std::int64_t rings = 64;
  static constexpr std::int64_t capacity = std::int64_t{128} << 10;
  /// The same for long rings, whose fragments many threads pack together.
  static constexpr std::int64_t long_rings = 4;
  static constexpr std::int64_t long_capacity = std::int64_t{8} << 20;
  /// The shortest messages that go through a ring, as shorter ones are faster without. The second number is
  /// for contiguous memory.
  std::int64_t least_bytes = 4096;
  std::int64_t least_in_place = 4096;
  /// Longer ones from contiguous to contiguous memory are copied once, by the receiver or by the MPI.
  std::int64_t most_in_place = std::int64_t{32} << 10;
  /// By the receiver, if the system lets it read the sender's memory (decision 002).
  bool reads_memory = true;
  /// The number of fragments, and the limits of their length. While the last one is unpacked nothing is
  /// packed, so it should be short; and caches should hold a few.
  static constexpr std::int64_t fragments = 8;
  std::int64_t least_fragment = std::int64_t{2} << 10;
  std::int64_t longest_fragment = std::int64_t{32} << 10;
  /// Messages of at least `long_from` bytes take a long ring, if one is free and the sender may use
  /// `least_threads` threads. With fewer threads short fragments are faster.
  std::int64_t long_from = std::int64_t{1} << 20;
  std::int64_t least_threads = 4;
  /// The limits of fragments there. Threads do not share fewer bytes.
  std::int64_t least_long_fragment = std::int64_t{256} << 10;
  std::int64_t longest_long_fragment = std::int64_t{1} << 20;
  /// How many bytes one step moves.
  std::int64_t bytes_at_a_time = std::int64_t{128} << 10;
  /// The same if the receiver reads the sender's memory.
  std::int64_t read_at_a_time = std::int64_t{1} << 20;

  constexpr std::int64_t longest(bool in_long_ring) const noexcept {
    return in_long_ring ? longest_long_fragment : longest_fragment;
  }
  constexpr std::int64_t fragment_bytes(std::int64_t bytes, bool in_long_ring) const noexcept {
    const std::int64_t least = in_long_ring ? least_long_fragment : least_fragment;
    return std::min(longest(in_long_ring), std::max(least, bytes / fragments));
  }
};

/// For devices that several processes use (decisions 041, 042, 105). Messages go through host memory by copy
/// engines where processes take turns, and between these numbers under the Multi-Process Service.
struct SharingPolicy {
  /// Halos of stencil2d, H100: 64 KiB took 18 to 40 % less time, 512 KiB up to 6 % more.
  std::int64_t mps_begin = std::int64_t{32} << 10;
  std::int64_t mps_end = std::int64_t{256} << 10;
  /// More short messages are packed by one kernel, fewer one by one: a copy takes some 10 us, a time slice
  /// 140.
  std::size_t most_copies = 16;
};
inline constexpr SharingPolicy sharing_policy;

/// Whether copy engines are faster than kernels, which wait for those of other processes, to move so many
/// bytes between a device and host memory.
constexpr bool engines_come_first(gpu::Sharing sharing, std::int64_t bytes) {
  switch (sharing) {
    case gpu::Sharing::alone:
      return false;
    case gpu::Sharing::time_sliced:
      return true;
    case gpu::Sharing::mps:
      return bytes >= sharing_policy.mps_begin && bytes < sharing_policy.mps_end;
  }
  return false;
}

/// When gathered copies are launched.
struct CopyCoalescerPolicy {
  /// So many bytes are launched at once, as they keep a device busy for longer than a launch takes. A halo of
  /// 8 fields of 128^3 numbers, two cells wide, has 12 MiB: one launch. An estimate.
  std::int64_t most_bytes = std::int64_t{16} << 20;
  /// A turn ends when so many operations have been advanced, or all. That takes some 20 us if they have
  /// nothing to do, and limits how long a copy waits for others.
  std::size_t turn = 512;
};
inline constexpr CopyCoalescerPolicy gather_policy;

}  // namespace typewarp::transport
