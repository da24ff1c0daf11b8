// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/agreement/capability.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <initializer_list>

namespace typewarp::interpose {
namespace {

using DeviceUse = LocalCapability::DeviceUse;
using MoveAbility = LocalCapability::MoveAbility;

constexpr std::int64_t least = 1000;
constexpr LocalCapability device{DeviceUse::in_call, MoveAbility::whole, 2000, 2000};
constexpr LocalCapability host{DeviceUse::never, MoveAbility::whole, 2000, 2000};

Agreed agreed(std::initializer_list<LocalCapability> ranks) {
  Board::Row most = row_of(*ranks.begin());
  for (const LocalCapability& rank : ranks) {
    const Board::Row row = row_of(rank);
    std::ranges::transform(most, row, most.begin(), [](auto a, auto b) { return std::max(a, b); });
  }
  return decide(most, least);
}

TEST(CapabilityTest, OneRankWithDeviceMemoryIsEnoughToMove) {
  EXPECT_EQ(agreed({host, host}).path, Path::forward);
  EXPECT_EQ(agreed({host, device}).path, Path::move);
  EXPECT_EQ(agreed({device, host}).path, Path::move);
}

TEST(CapabilityTest, OneRankThatCannotMoveIsEnoughToForward) {
  LocalCapability unable = device;
  unable.moves = MoveAbility::none;
  EXPECT_EQ(agreed({device, unable, device}).path, Path::forward);
}

TEST(CapabilityTest, DeviceMemoryElsewhereDoesNotMove) {
  LocalCapability elsewhere = host;
  elsewhere.use = DeviceUse::elsewhere;
  EXPECT_FALSE(agreed({host, host}).some_use_device);
  EXPECT_TRUE(agreed({host, elsewhere}).some_use_device);
  EXPECT_TRUE(agreed({host, device}).some_use_device);
  EXPECT_EQ(agreed({elsewhere, host}).path, Path::forward);
}

TEST(CapabilityTest, ARankWithoutMemoryIsAnErrorInAll) {
  LocalCapability lacks = device;
  lacks.moves = MoveAbility::unable;
  EXPECT_EQ(agreed({lacks, device}).path, Path::refuse);
  EXPECT_EQ(agreed({device, lacks}).path, Path::refuse);
  LocalCapability unable = device;
  unable.moves = MoveAbility::none;
  EXPECT_EQ(agreed({lacks, unable}).path, Path::forward) << "it would be forwarded with memory, too";
  LocalCapability on_host = lacks;
  on_host.use = DeviceUse::never;
  EXPECT_EQ(agreed({on_host, host}).path, Path::forward) << "it would be forwarded with memory, too";
}

TEST(CapabilityTest, MemoryThatNobodyCanReadIsAnErrorInAll) {
  LocalCapability unreadable = device, none = device;
  unreadable.moves = MoveAbility::out_of_reach;
  none.moves = MoveAbility::none;
  EXPECT_EQ(agreed({unreadable, device}).path, Path::refuse);
  EXPECT_EQ(agreed({none, unreadable}).path, Path::refuse) << "the MPI cannot read it either";
}

TEST(CapabilityTest, BytesThatMustBeAlike) {
  LocalCapability longer = device;
  longer.longest = longer.common = 3000;
  EXPECT_EQ(agreed({device, longer}).path, Path::forward);
  LocalCapability not_known = device;
  not_known.longest = 500;
  not_known.common = 0;
  LocalCapability longest = not_known;
  longest.longest = 4000;
  EXPECT_EQ(agreed({not_known, not_known}).path, Path::forward) << "too short";
  EXPECT_EQ(agreed({not_known, longest}).path, Path::move);
}

// As a peer may write it that has other bytes there.
TEST(CapabilityTest, WhatNoRankCanHaveToldIsForwarded) {
  using Change = void (*)(LocalCapability&);
  const std::initializer_list<Change> changes{
      [](LocalCapability& one) { one.longest = one.common + 1; },
      [](LocalCapability& one) { one.moves = static_cast<MoveAbility>(-5); },
      [](LocalCapability& one) { one.use = static_cast<DeviceUse>(7); }};
  for (const Change change : changes) {
    LocalCapability told = device;
    change(told);
    EXPECT_EQ(agreed({device, told}).path, Path::forward);
  }
  LocalCapability unknown = device;
  unknown.moves = static_cast<MoveAbility>(9);
  EXPECT_EQ(agreed({unknown, unknown}).path, Path::forward);
}

TEST(CapabilityTest, TheLeastOfAllRanks) {
  LocalCapability one = device, other = device;
  one.nccl = 2;
  other.nccl = -1;
  EXPECT_EQ(agreed({one, other}).nccl, -1);
  EXPECT_EQ(agreed({one, one}).nccl, 2);
  other.common = 1;
  EXPECT_EQ(agreed({one, other}).nccl, -1) << "never again, whatever the call";
  other.nccl = 2;
  EXPECT_EQ(agreed({one, other}).nccl, 0) << "of a call of which ranks know other bytes";
}

TEST(CapabilityTest, RanksAskAgainWhereOneHasNotToldWhatItCanMove) {
  LocalCapability by_nccl = device;
  by_nccl.moves = MoveAbility::not_told;
  by_nccl.nccl = 2;
  EXPECT_EQ(agreed({by_nccl, by_nccl}).path, Path::ask_again);
  EXPECT_EQ(agreed({by_nccl, by_nccl}).nccl, 2);
  EXPECT_EQ(agreed({by_nccl, host}).path, Path::ask_again);
  EXPECT_EQ(agreed({host, by_nccl}).nccl, 0);
  LocalCapability other_bytes = host;
  other_bytes.common = 3000;
  EXPECT_EQ(agreed({by_nccl, other_bytes}).path, Path::ask_again);
}

}  // namespace
}  // namespace typewarp::interpose
