// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/descriptor.hpp"

#include <gtest/gtest.h>

namespace typewarp::transport {
namespace {

constexpr Identity identity{0x0123456789abcdef, 42};

TEST(Descriptor, SaysWhatItWasToldTo) {
  const Descriptor sent{
      .bytes = std::int64_t{1} << 40, .piece_limit = 65536, .sender = 7, .reply_tag = 12345};
  const auto received = Descriptor::decode(sent.encode(identity).data(), identity);
  ASSERT_TRUE(received);
  EXPECT_EQ(received->bytes, sent.bytes);
  EXPECT_EQ(received->piece_limit, 65536);
  EXPECT_EQ(received->sender, 7);
  EXPECT_EQ(received->reply_tag, 12345);
}

TEST(Descriptor, IsNotTakenForDataNorForThatOfAnotherTransport) {
  const DescriptorBytes data{};
  EXPECT_FALSE(Descriptor::decode(data.data(), identity));
  const DescriptorBytes other = Descriptor{1000, 0, 0, 0}.encode({identity[0], 43});
  EXPECT_FALSE(Descriptor::decode(other.data(), identity));
}

TEST(Descriptor, OfAnotherVersionIsNone) {
  DescriptorBytes bytes = Descriptor{1000, 0, 0, 0}.encode(identity);
  bytes[sizeof(Identity)] ^= std::byte{0x80};
  EXPECT_FALSE(Descriptor::decode(bytes.data(), identity));
}

}  // namespace
}  // namespace typewarp::transport
