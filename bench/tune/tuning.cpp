// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "tuning.hpp"

#include "search.hpp"

#include <cmath>

namespace typewarp::tune {
namespace {

constexpr std::int64_t kib = 1024;
constexpr std::int64_t mib = 1024 * kib;
constexpr std::int64_t least_announced = 509;

// Blocks that fill a sector of device memory in part, exactly, and those of a long run.
constexpr std::int64_t word = 8, sector = 32, long_run = 128;

// Each receive that is posted keeps the eager limit's bytes, so a longer one has to be worth it.
constexpr std::int64_t longest_eager = 64 * kib;
constexpr double worth = 0.95;

// Numbers that no message reaches, or that each message beats.
constexpr double never = 1e15, always = 1;

std::vector<std::int64_t> up_to(const Trials& trials, std::vector<std::int64_t> sizes) {
  std::erase_if(sizes, [&](std::int64_t size) { return size > trials.most(); });
  if (sizes.empty()) sizes.push_back(trials.most());
  return sizes;
}

/// The mean factor by which times differ is what counts, not the longest time.
template <typename Time>
double logarithms(const std::vector<std::int64_t>& sizes, Time time) {
  double sum = 0;
  for (const std::int64_t size : sizes) sum += std::log(time(size));
  return sum;
}

/// Bytes a microsecond, without what a message takes however short it is.
double rate(Trials& trials, std::int64_t block, const Numbers& profile) {
  const std::vector<std::int64_t> sizes = up_to(trials, {32 * mib, 128 * mib});
  const auto time = [&](std::int64_t size) {
    return trials.time(size, block, {.protocol = Protocol::direct}, profile);
  };
  if (sizes.size() < 2) return static_cast<double>(sizes.front()) / time(sizes.front());
  return static_cast<double>(sizes[1] - sizes[0]) / (time(sizes[1]) - time(sizes[0]));
}

/// A number that noise has made senseless is left out: the built-in one is better.
void keep(Numbers& found, const char* name, double number) {
  if (std::isfinite(number) && number >= 0) found[name] = number;
}

void tune_fragments(Trials& trials, Numbers& found) {
  const Numbers one_kernel{{"direct.pieces_from", never}};
  keep(found, "direct.sectors_rate", rate(trials, sector, one_kernel));
  keep(found, "direct.long_runs_rate", rate(trials, long_run, one_kernel));
  const std::vector<std::int64_t> sizes = up_to(trials, {16 * mib, 64 * mib, 256 * mib});
  const auto only_fragments = [](std::int64_t scale) {
    return Numbers{{"direct.sectors_rate", always},
                   {"direct.long_runs_rate", always},
                   {"direct.pieces_from", 0},
                   {"direct.piece_scale", static_cast<double>(scale)}};
  };
  const auto in_fragments = [&](std::int64_t size, std::int64_t scale) {
    return trials.time(size, word, {.protocol = Protocol::direct}, only_fragments(scale));
  };
  const std::int64_t scale = cheapest(powers(256 * kib, 4 * mib), [&](std::int64_t candidate) {
    return logarithms(sizes, [&](std::int64_t size) { return in_fragments(size, candidate); });
  });
  found["direct.piece_scale"] = static_cast<double>(scale);
  if (sizes.size() < 2) return;
  std::vector<Timed> measured;
  for (const std::int64_t size : sizes) {
    measured.push_back({trials.fragments(size, only_fragments(scale)), static_cast<double>(size),
                        in_fragments(size, scale)});
  }
  const PieceModel model = fit(measured);
  keep(found, "direct.piece_cost", model.cost);
  keep(found, "direct.pieces_rate", model.rate);
}

}  // namespace

Numbers tune_staged(Trials& trials) {
  const std::vector<std::int64_t> sizes = up_to(trials, {mib, 8 * mib, 64 * mib});
  const auto pipelined = [&](std::int64_t size, std::int64_t chunk) {
    return trials.time(size, word, {.chunk_bytes = chunk, .protocol = Protocol::pipelined});
  };
  const std::int64_t chunk = cheapest(powers(16 * kib, 4 * mib), [&](std::int64_t candidate) {
    return logarithms(sizes, [&](std::int64_t size) { return pipelined(size, candidate); });
  });
  const std::int64_t eager = last_in_a_row(
      up_to(trials, powers(kib, longest_eager)),
      [&](std::int64_t size) {
        return trials.time(size, word, {.protocol = Protocol::eager}) <= worth * pipelined(size, chunk);
      },
      least_announced);
  return {{"chunk_bytes", static_cast<double>(chunk)}, {"eager_bytes", static_cast<double>(eager)}};
}

Numbers tune_direct(Trials& trials, bool between_devices) {
  const std::int64_t staged = last_in_a_row(
      up_to(trials, powers(512, 256 * kib)),
      [&](std::int64_t size) {
        return trials.time(size, word, {.protocol = Protocol::eager}) <
               trials.time(size, word, {.protocol = Protocol::direct});
      },
      least_announced - 1);
  Numbers found{{"direct_bytes", static_cast<double>(staged + 1)}};
  if (between_devices) tune_fragments(trials, found);
  return found;
}

Numbers tune_link(Trials& trials, Protocol protocol) {
  const std::vector<std::int64_t> sizes = up_to(trials, {16 * mib, 64 * mib, 256 * mib});
  const std::int64_t scale = cheapest(powers(512 * kib, 8 * mib), [&](std::int64_t candidate) {
    return logarithms(sizes, [&](std::int64_t size) {
      return trials.time(size, word, {.protocol = protocol},
                         {{"link.piece_scale", static_cast<double>(candidate)}});
    });
  });
  return {{"link.piece_scale", static_cast<double>(scale)}};
}

}  // namespace typewarp::tune
