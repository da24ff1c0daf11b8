// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/select.hpp"

#include <gtest/gtest.h>

// Nothing of this needs an MPI or a device: the choice is made from plain data.
namespace typewarp::transport {
namespace {

constexpr std::int64_t kibi = 1024;
constexpr std::int64_t mebi = kibi * kibi;

const SessionOptions options;
const Profile profile;

Way way(const SendCase& message, bool rings = true) { return select(message, options, profile, rings).way; }
Way way(const ReceiveCase& message, Way not_by = Way::eager) { return select(message, profile, not_by).way; }

SendCase to_another_host(std::int64_t bytes) { return {.bytes = bytes, .takes_rts = true}; }

TEST(SelectForSend, ShortMessagesAreEagerAndLongOnesAnnounced) {
  EXPECT_EQ(way(to_another_host(0)), Way::eager);
  EXPECT_EQ(way(to_another_host(options.eager_bytes)), Way::eager);
  EXPECT_EQ(way(to_another_host(options.eager_bytes + 1)), Way::host_fragments);
}

TEST(SelectForSend, DataOfTheLengthOfAnAnnouncementIsAnnounced) {
  EXPECT_EQ(way(to_another_host(rts_bytes - 1)), Way::eager);
  EXPECT_EQ(way(to_another_host(rts_bytes)), Way::host_fragments);
  EXPECT_EQ(way(to_another_host(rts_bytes + 1)), Way::eager);
}

TEST(SelectForSend, WhoeverTakesNoAnnouncementsGetsNone) {
  for (const std::int64_t bytes : {rts_bytes, 100 * mebi}) {
    EXPECT_EQ(way({.bytes = bytes, .ipc = true, .named = true, .ring = true}), Way::eager);
  }
}

TEST(SelectForSend, ForcedPipelinedAnnouncesAllThatIsLongEnough) {
  SessionOptions pipelined;
  pipelined.protocol = Protocol::pipelined;
  EXPECT_EQ(select(to_another_host(rts_bytes + 1), pipelined, profile).way, Way::host_fragments);
  EXPECT_EQ(select(to_another_host(rts_bytes - 1), pipelined, profile).way, Way::eager);
}

TEST(SelectForSend, HostMemoryOfOneHostTakesRings) {
  SendCase message{.bytes = profile.ring.least_bytes, .takes_rts = true, .ring = true};
  EXPECT_EQ(way(message), Way::ring);
  EXPECT_EQ(way(message, false), Way::eager) << "all rings are in use";
  message.bytes -= 1;
  EXPECT_EQ(way(message), Way::eager);
  message.bytes = 100 * mebi;
  EXPECT_EQ(way(message), Way::ring);
  EXPECT_EQ(way(message, false), Way::host_fragments);
  message.on_device = true;
  EXPECT_EQ(way(message), Way::host_fragments);
}

TEST(SelectForSend, RingsHaveLimitsOfTheirOwnForConsecutiveMemory) {
  Profile other;
  other.ring.least_in_place = 10 * mebi;
  other.ring.most_bytes = mebi;
  SendCase message{.bytes = 2 * mebi, .takes_rts = true, .ring = true};
  EXPECT_EQ(select(message, options, other).way, Way::host_fragments) << "longer than most_bytes";
  message.in_place = true;
  EXPECT_EQ(select(message, options, other).way, Way::host_fragments);
  message.bytes = 10 * mebi;
  EXPECT_EQ(select(message, options, other).way, Way::ring) << "most_bytes is for others";
}

TEST(SelectForSend, LongRingsAreForManyThreads) {
  SendCase message{.bytes = profile.ring.long_from,
                   .takes_rts = true,
                   .ring = true,
                   .threads = profile.ring.least_threads};
  EXPECT_TRUE(select(message, options, profile).long_ring);
  message.threads -= 1;
  EXPECT_FALSE(select(message, options, profile).long_ring);
  message.threads += 1;
  message.bytes -= 1;
  EXPECT_FALSE(select(message, options, profile).long_ring);
}

TEST(SelectForSend, MemoryThatCanBeMappedIsOffered) {
  SendCase message{
      .bytes = options.direct_bytes, .on_device = true, .takes_rts = true, .ipc = true, .named = true};
  EXPECT_TRUE(asks_for_name(message, options));
  EXPECT_EQ(way(message), Way::get);
  EXPECT_FALSE(select(message, options, profile).offers_chunks);
  message.bytes = profile.direct.pieces_from;
  EXPECT_TRUE(select(message, options, profile).offers_chunks);
  message.bytes = options.direct_bytes - 1;
  EXPECT_FALSE(asks_for_name(message, options));
  EXPECT_EQ(way(message), Way::eager);
}

TEST(SelectForSend, MemoryThatCannotBeMappedIsPackedIntoThePoolBeyondTheEagerLimit) {
  SendCase message{.bytes = options.eager_bytes, .on_device = true, .takes_rts = true, .ipc = true};
  EXPECT_EQ(way(message), Way::eager);
  message.bytes += 1;
  EXPECT_EQ(way(message), Way::ipc_fragments);
  EXPECT_TRUE(select(message, options, profile).offers_chunks);
}

ReceiveCase with_all_keys(std::int64_t bytes) {
  return {.bytes = bytes,
          .fits = true,
          .on_device = true,
          .rts_whole = true,
          .rts_chunks = true,
          .rts_link = true,
          .ipc = true,
          .run = 8};
}

TEST(SelectForReceive, OneKernelOrFragmentsWhicheverTakesLessTime) {
  ReceiveCase message = with_all_keys(64 * mebi);
  EXPECT_EQ(way(message), Way::ipc_fragments) << "runs of 8 bytes waste the link";
  message.run = 4096;
  EXPECT_EQ(way(message), Way::get);
  message.run = 8;
  message.near = true;
  EXPECT_EQ(way(message), Way::get) << "there is no link in between";
  message.near = false;
  message.rts_chunks = false;
  EXPECT_EQ(way(message), Way::get) << "there are no fragments to be had";
}

TEST(SelectForReceive, WhatProvesImpossibleIsPassedOver) {
  ReceiveCase message = with_all_keys(64 * mebi);
  message.run = 4096;
  EXPECT_EQ(way(message, Way::get), Way::ipc_fragments);
  EXPECT_EQ(way(message, Way::ipc_fragments), Way::gpu_fragments);
  EXPECT_EQ(way(message, Way::gpu_fragments), Way::host_fragments);
  message.rts_link = false;
  EXPECT_EQ(way(message, Way::ipc_fragments), Way::host_fragments);
}

TEST(SelectForReceive, WhatDoesNotFitIsRefusedThroughTheHost) {
  ReceiveCase message = with_all_keys(mebi);
  message.rts_ring = true;
  message.fits = false;
  EXPECT_EQ(way(message), Way::host_fragments);
}

TEST(SelectForReceive, RingsAreReadByHostMemory) {
  ReceiveCase message{.bytes = mebi, .fits = true, .rts_ring = true, .rts_data = true};
  EXPECT_EQ(way(message), Way::ring);
  message.on_device = true;
  EXPECT_EQ(way(message), Way::host_fragments);
}

TEST(SelectForReceive, ConsecutiveMemoryIsCopiedOutOfTheSendersIfTheSystemAllowsIt) {
  ReceiveCase message{.bytes = profile.ring.most_in_place + 1,
                      .fits = true,
                      .in_place = true,
                      .rts_ring = true,
                      .rts_data = true};
  EXPECT_EQ(way(message), Way::host_fragments);
  message.may_read = true;
  EXPECT_EQ(way(message), Way::ring);
  Profile other;
  other.ring.reads_memory = false;
  EXPECT_EQ(select(message, other).way, Way::host_fragments);
  message.bytes -= 1;
  message.may_read = false;
  EXPECT_EQ(way(message), Way::ring) << "the ring itself is as fast";
}

TEST(Select, SaysWhy) {
  for (const std::int64_t bytes : {std::int64_t{8}, mebi}) {
    EXPECT_STRNE(select(to_another_host(bytes), options, profile).why, "");
  }
  EXPECT_STRNE(name(Way::host_fragments), name(Way::gpu_fragments));
}

}  // namespace
}  // namespace typewarp::transport
