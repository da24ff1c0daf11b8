// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/call_backend.hpp"
#include "engine/host/engine.hpp"

#include <gtest/gtest.h>

namespace typewarp::test {
namespace {

/// The host engine with so many threads under a policy.
CallBackend by_host(int threads, const host::Policy& policy) {
  return {[=](const auto&... all) { host::pack(all..., threads, policy); },
          [=](const auto&... all) { host::unpack(all..., threads, policy); },
          [=](const auto&... all) { host::copy(all..., threads, policy); }};
}

constexpr host::Policy as_shipped{};
/// Every operation of more than a few cache lines is split, and tiles end everywhere.
constexpr host::Policy split_early{
    .bytes_per_thread = 64, .parts_per_thread = 3, .direct_run = 1 << 20, .tile = 37};
/// Layout to layout without the tile.
constexpr host::Policy runs_directly{.direct_run = 0};

TEST(HostConformance, OnOneThread) {
  CallBackend backend = by_host(1, as_shipped);
  check_pack(backend);
  check_unpack(backend);
  check_copy(backend);
}

TEST(HostConformance, CopyWithSmallTiles) {
  CallBackend backend = by_host(1, split_early);
  check_copy(backend, {.first_seed = 5000, .types = 500});
}

TEST(HostConformance, CopyFromRunToRun) {
  CallBackend backend = by_host(1, runs_directly);
  check_copy(backend, {.first_seed = 6000, .types = 500});
}

TEST(HostConformance, OnThreeThreads) {
  CallBackend backend = by_host(3, split_early);
  check_pack(backend, {.first_seed = 7000, .types = 500, .cut_every_nth = 0});
  check_unpack(backend, {.first_seed = 8000, .types = 500, .cut_every_nth = 0});
  check_copy(backend, {.first_seed = 9000, .types = 500, .cut_every_nth = 0});
}

}  // namespace
}  // namespace typewarp::test
