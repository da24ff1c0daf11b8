// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/protocol/select/protocol_row.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

// Nothing of this needs an MPI or a device: the choice is made from plain data.
namespace typewarp::transport {
namespace {

constexpr std::int64_t kibi = 1024;
constexpr std::int64_t mebi = kibi * kibi;

const SessionOptions options;
const Profile profile;

const ProtocolRow* row(std::string_view name) {
  const auto found = std::ranges::find(protocols(), name, &ProtocolRow::name);
  return found == protocols().end() ? nullptr : *found;
}

std::string_view way(const SendCase& message, std::string_view after = "") {
  return select(message, options, profile, row(after)).by->name;
}
std::string_view way(const SendCase& message, const SessionOptions& other) {
  return select(message, other, profile).by->name;
}
std::string_view way(const SendCase& message, const Profile& other) {
  return select(message, options, other).by->name;
}
std::string_view way(const ReceiveCase& message, std::string_view after = "") {
  return select(message, profile, row(after)).by->name;
}
std::string_view way(const ReceiveCase& message, const Profile& other) {
  return select(message, other).by->name;
}

SendCase to_another_host(std::int64_t bytes) { return {.bytes = bytes, .takes_rts = true}; }

TEST(SelectForSend, ShortMessagesAreEagerAndLongOnesAnnounced) {
  EXPECT_EQ(way(to_another_host(0)), "eager");
  EXPECT_EQ(way(to_another_host(options.eager_bytes)), "eager");
  EXPECT_EQ(way(to_another_host(options.eager_bytes + 1)), "pipelined");
}

TEST(SelectForSend, DataOfTheLengthOfAnAnnouncementIsAnnounced) {
  EXPECT_EQ(way(to_another_host(rts_bytes - 1)), "eager");
  EXPECT_EQ(way(to_another_host(rts_bytes)), "pipelined");
  EXPECT_EQ(way(to_another_host(rts_bytes + 1)), "eager");
}

TEST(SelectForSend, WhoeverTakesNoAnnouncementsGetsNone) {
  for (const std::int64_t bytes : {rts_bytes, 100 * mebi}) {
    EXPECT_EQ(way(SendCase{.bytes = bytes, .ipc = true, .ring = true, .link = Protocol::ucx}), "eager");
  }
}

TEST(SelectForSend, ForcedPipelinedAnnouncesAllThatIsLongEnough) {
  SessionOptions pipelined;
  pipelined.protocol = Protocol::pipelined;
  EXPECT_EQ(way(to_another_host(rts_bytes + 1), pipelined), "pipelined");
  EXPECT_EQ(way(to_another_host(rts_bytes - 1), pipelined), "eager");
}

TEST(SelectForSend, HostMemoryOfOneHostTakesRings) {
  SendCase message{.bytes = profile.ring.least_bytes, .takes_rts = true, .ring = true};
  EXPECT_EQ(way(message), "ring");
  EXPECT_EQ(way(message, "ring"), "eager") << "all rings are in use";
  message.bytes -= 1;
  EXPECT_EQ(way(message), "eager");
  message.bytes = 100 * mebi;
  EXPECT_EQ(way(message), "ring");
  EXPECT_EQ(way(message, "ring"), "pipelined");
  message.on_device = true;
  EXPECT_EQ(way(message), "pipelined");
}

TEST(SelectForSend, RingsHaveLimitsOfTheirOwnForConsecutiveMemory) {
  Profile other;
  other.ring.least_in_place = 10 * mebi;
  other.ring.most_bytes = mebi;
  SendCase message{.bytes = 2 * mebi, .takes_rts = true, .ring = true};
  EXPECT_EQ(way(message, other), "pipelined") << "longer than most_bytes";
  message.in_place = true;
  EXPECT_EQ(way(message, other), "pipelined");
  message.bytes = 10 * mebi;
  EXPECT_EQ(way(message, other), "ring") << "most_bytes is for others";
}

TEST(SelectForSend, MemoryOfDevicesIsOffered) {
  SendCase message{.bytes = options.direct_bytes, .on_device = true, .takes_rts = true, .ipc = true};
  EXPECT_EQ(way(message), "direct");
  message.bytes = options.direct_bytes - 1;
  EXPECT_EQ(way(message), "eager");
}

TEST(SelectForSend, MemoryThatCannotBeMappedIsPackedIntoThePoolBeyondTheEagerLimit) {
  SendCase message{.bytes = options.eager_bytes, .on_device = true, .takes_rts = true, .ipc = true};
  EXPECT_EQ(way(message, "direct"), "eager");
  message.bytes += 1;
  EXPECT_EQ(way(message, "direct"), "shared chunks");
  EXPECT_EQ(way(message, "shared chunks"), "pipelined");
}

TEST(SelectForSend, ALinkIsForWhatItCarriesBeyondTheEagerLimit) {
  SendCase message{.bytes = options.eager_bytes, .on_device = true, .takes_rts = true};
  for (const Protocol link : {Protocol::gpu_aware, Protocol::ucx}) {
    message.bytes = options.eager_bytes;
    message.link = link;
    EXPECT_EQ(way(message), "eager");
    message.bytes += 1;
    EXPECT_EQ(way(message), name(link));
    EXPECT_EQ(way(message, name(link)), "pipelined") << "there is no memory for it";
    message.ipc = true;
    EXPECT_EQ(way(message), "direct") << "what is offered on this host needs no link";
    message.ipc = false;
  }
}

ReceiveCase with_all_keys(std::int64_t bytes) {
  return {.bytes = bytes,
          .fits = true,
          .on_device = true,
          .rts_whole = true,
          .rts_chunks = true,
          .rts_link = Protocol::ucx,
          .ipc = true,
          .run = 8};
}

TEST(SelectForReceive, OneKernelOrFragmentsWhicheverTakesLessTime) {
  ReceiveCase message = with_all_keys(64 * mebi);
  EXPECT_EQ(way(message), "shared chunks") << "runs of 8 bytes waste the link";
  message.run = 4096;
  EXPECT_EQ(way(message), "direct");
  message.run = 8;
  message.near = true;
  EXPECT_EQ(way(message), "direct") << "there is no link in between";
  message.near = false;
  message.rts_chunks = false;
  EXPECT_EQ(way(message), "direct") << "there are no fragments to be had";
}

TEST(SelectForReceive, WhatCopyEnginesBringSoonerComesThroughTheHost) {
  ReceiveCase message = with_all_keys(64 * kibi);
  message.rts_link = Protocol::automatic;
  EXPECT_EQ(way(message), "direct");
  message.by_engines = true;
  EXPECT_EQ(way(message), "pipelined");
  message.rts_whole = false;
  EXPECT_EQ(way(message), "pipelined") << "nor in fragments";
}

TEST(SelectForReceive, WhatProvesImpossibleIsPassedOver) {
  ReceiveCase message = with_all_keys(64 * mebi);
  message.run = 4096;
  EXPECT_EQ(way(message, "direct"), "shared chunks");
  EXPECT_EQ(way(message, "shared chunks"), "ucx");
  EXPECT_EQ(way(message, "ucx"), "pipelined");
  message.rts_link = Protocol::automatic;
  EXPECT_EQ(way(message, "shared chunks"), "pipelined");
}

TEST(SelectForReceive, WhatDoesNotFitIsRefusedThroughTheHost) {
  ReceiveCase message = with_all_keys(mebi);
  message.rts_ring = true;
  message.fits = false;
  EXPECT_EQ(way(message), "pipelined");
}

TEST(SelectForReceive, RingsAreReadByHostMemory) {
  ReceiveCase message{.bytes = mebi, .fits = true, .rts_ring = true, .rts_data = true};
  EXPECT_EQ(way(message), "ring");
  message.on_device = true;
  EXPECT_EQ(way(message), "pipelined");
}

TEST(SelectForReceive, ConsecutiveMemoryIsCopiedOutOfTheSendersIfTheSystemAllowsIt) {
  ReceiveCase message{.bytes = profile.ring.most_in_place + 1,
                      .fits = true,
                      .in_place = true,
                      .rts_ring = true,
                      .rts_data = true};
  EXPECT_EQ(way(message), "pipelined");
  message.may_read = true;
  EXPECT_EQ(way(message), "ring");
  Profile other;
  other.ring.reads_memory = false;
  EXPECT_EQ(way(message, other), "pipelined");
  message.bytes -= 1;
  message.may_read = false;
  EXPECT_EQ(way(message), "ring") << "the ring itself is as fast";
}

TEST(Select, TellsProtocolsApartByTheirNames) {
  for (const ProtocolRow* const one : protocols()) EXPECT_EQ(row(one->name), one);
}

}  // namespace
}  // namespace typewarp::transport
