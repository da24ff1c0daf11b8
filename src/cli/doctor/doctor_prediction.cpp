// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "cli/doctor/doctor_prediction.hpp"

#include "explain/measure.hpp"
#include "plan/wire.hpp"

#include <typewarp/host.hpp>

#include <algorithm>
#include <bit>
#include <chrono>
#include <cstring>
#include <limits>
#include <string_view>

namespace typewarp::cli {
namespace {

/// Fixed numbers for what is not measured: a short message between ranks of one host, the rate of long ones,
/// and the additional cost of GPU memory (docs/internals/preload.md: 15 us for half a round trip of 1 KiB,
/// and 31.9 us of 1 MiB).
struct Rates {
  double message = 1e-6;       ///< seconds
  double bytes = 4e9;          ///< a second
  double device_side = 10e-6;  ///< seconds
  double most_times = 10;      ///< an MPI packs at most so many times slower; the rest is waiting
  double device_bytes = 40e9;  ///< a second
};
constexpr Rates stated;

/// Calls whose data Typewarp does not move.
bool is_left_to_the_mpi(const CallSite& site) {
  for (const std::string_view stem :
       {"MPI_Put", "MPI_Get", "MPI_Rput", "MPI_Rget", "MPI_Accumulate", "MPI_Raccumulate", "MPI_Win_",
        "MPI_Fetch_and_op", "MPI_Compare_and_swap", "MPI_Pack_external", "MPI_Unpack_external"}) {
    if (site.call.starts_with(stem)) return true;
  }
  return false;
}

/// Calls that wait for the sender, and so for the sender's packing.
bool waits_for_the_sender(const CallSite& site) {
  return site.call.starts_with("MPI_Recv") && !site.call.starts_with("MPI_Recv_init");
}

/// As many copies of the memory of (count, plan) as make each pass start with cold caches. A layout that fits
/// into a cache stays there, as it does in a program.
class ColdCopies {
 public:
  explicit ColdCopies(const Layout& layout)
      : below_(layout.root->true_lb), span_(std::max<std::int64_t>(layout.root->true_ub - below_, 1)) {
    constexpr std::int64_t cached = std::int64_t{1} << 20;
    constexpr std::int64_t cold = std::int64_t{96} << 20;
    copies_ = span_ <= cached ? 1 : std::clamp<std::int64_t>(cold / span_, 1, 64);
    bytes_.assign(static_cast<std::size_t>(copies_ * span_), std::byte{1});
    offset_ = layout.offset;
  }

  /// The buffer address of the n-th copy.
  std::byte* at(std::int64_t n) { return bytes_.data() + (n % copies_) * span_ - below_ - offset_; }

 private:
  std::int64_t below_, span_, copies_ = 1, offset_ = 0;
  std::vector<std::byte> bytes_;
};

constexpr explanation::Effort effort{.most = 200, .enough = std::chrono::milliseconds(20)};

/// Layouts that span more bytes are replaced by pieces of their mean size.
constexpr std::int64_t most_memory = std::int64_t{1} << 30;

/// Pieces of the mean size, as many as there are or as memory allows, for a layout that is unknown or too
/// large.
Plan stand_in(const SiteSide& side) {
  constexpr std::int64_t longest = std::int64_t{16} << 20, all = std::int64_t{128} << 20;
  const std::int64_t piece = std::clamp<std::int64_t>(side.bytes / side.pieces, 1, longest);
  return commit(hvector(std::min(side.pieces, all / piece), piece, 2 * piece, Named::byte));
}

/// What is packed or unpacked in place of one call: `count` items of the plan.
struct Trial {
  Plan plan;
  std::int64_t count;
};

Trial trial_of(const SiteSide& side) {
  if (!side.wire.empty()) {
    const Plan plan = plan::from_wire(side.wire);
    const Layout all = repeat(plan.layout(), side.count, plan.extent());
    if (all.root->true_ub - all.root->true_lb <= most_memory) return {plan, side.count};
  }
  return {stand_in(side), 1};
}

}  // namespace

const char* const how_it_is_predicted =
    "time now, less for each call: what one in fifty such calls takes at most in the fastest rank, so that "
    "waiting for other ranks "
    "stays, minus (packing and unpacking by Typewarp's engine, measured on this machine after the run, plus "
    "what the run shows for "
    "contiguous messages of that size in such calls, or else 1 us and 4 GB/s), but at most ten times that "
    "packing, since no MPI "
    "needs more. Files: only where the run shows contiguous ones. GPU memory: 10 us a side and 40 GB/s, "
    "which are not measured.";

double Prediction::moved(const SiteSide& side, Direction direction) {
  if (!side.has_gaps()) return 0;
  std::string key(reinterpret_cast<const char*>(side.wire.data()), side.wire.size());
  key += '/' + std::to_string(side.count) + '/' + std::to_string(side.pieces) +
         (direction == Direction::pack ? 'p' : 'u');
  const auto found = measured_.find(key);
  if (found != measured_.end()) return found->second;
  const auto [plan, count] = trial_of(side);
  const ByteRange all{0, count * plan.size()};
  ColdCopies copies(repeat(plan.layout(), count, plan.extent()));
  std::vector<std::byte> packed(static_cast<std::size_t>(all.end), std::byte{1});
  constexpr int threads = 1;  // the processors belong to the ranks
  std::int64_t n = 0;
  const auto act = [&, &of = plan, items = count] {
    if (direction == Direction::pack) {
      host::pack(copies.at(n++), items, of, packed.data(), all, threads);
    } else {
      host::unpack(packed.data(), copies.at(n++), items, of, all, threads);
    }
  };
  const double seconds = explanation::median_us(act, effort) * 1e-6;
  // Of several blocks only the one with the most pieces was recorded; of large ones only a part was timed.
  const double blocks =
      static_cast<double>(side.bytes) / static_cast<double>(std::max<std::int64_t>(all.end, 1));
  return measured_[key] = seconds * std::max(blocks, 1.0);
}

std::optional<double> Prediction::contiguous(const CallSite& site, std::int64_t bytes) const {
  const auto octave = [](std::int64_t n) { return std::bit_width(static_cast<std::uint64_t>(n)); };
  for (const CallSite& other : sites_) {
    const bool alike = other.call == site.call && !other.has_gaps() && !other.device &&
                       other.view.pieces == site.view.pieces;
    if (alike && other.totals.fast > 0 && octave(other.totals.bytes_of_a_call()) == octave(bytes))
      return other.totals.fast;
  }
  if (site.call.starts_with("MPI_File_")) return std::nullopt;
  if (site.call.starts_with("MPI_Pack") || site.call.starts_with("MPI_Unpack")) return 0;
  return stated.message + static_cast<double>(bytes) / stated.bytes;
}

std::optional<PredictedCall> Prediction::call(const CallSite& site) {
  if (is_left_to_the_mpi(site) || (!site.has_gaps() && !site.device)) return std::nullopt;
  const std::int64_t bytes = site.totals.bytes_of_a_call();
  if (site.device) {
    const int sides = (site.sent.bytes > 0 ? 1 : 0) + (site.received.bytes > 0 ? 1 : 0);
    const double seconds =
        stated.message + sides * stated.device_side + static_cast<double>(bytes) / stated.device_bytes;
    return PredictedCall{seconds, std::numeric_limits<double>::infinity()};
  }
  const std::optional<double> plain = contiguous(site, bytes);
  if (!plain) return std::nullopt;
  double packing = moved(site.sent, Direction::pack) + moved(site.received, Direction::unpack);
  if (waits_for_the_sender(site)) packing += moved(site.received, Direction::pack);
  return PredictedCall{packing + *plain, stated.most_times * packing};
}

}  // namespace typewarp::cli
