// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "harness/buffers.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/plan.hpp>

#include <gtest/gtest.h>

#include <cstring>

namespace typewarp::harness {
namespace {

constexpr Pair on_host{Place::host, Place::host};
constexpr std::uint64_t sent = 11;
constexpr std::uint64_t before = 12;

/// 20 blocks of 8 bytes, 24 apart, from 32 on; they arrive 40 apart from 64 on.
class ChecksTest : public testing::Test {
 protected:
  ChecksTest()
      : source_(commit(hindexed({1}, {32}, hvector(20, 1, 24, Named::double_)))),
        destination_(commit(hindexed({1}, {64}, hvector(20, 1, 40, Named::double_)))),
        checks_(checks_on_host(source_.layout(), destination_.layout())) {
    buffers_.allocate(Place::host, 4096);
  }

  void fill() {
    checks_->fill_source(buffers_.from(on_host), Place::host, sent);
    checks_->fill_destination(buffers_.to(on_host), Place::host, before);
  }
  void move() { copy(buffers_.from(on_host), 1, source_, buffers_.to(on_host), 1, destination_, nullptr); }
  void spoil(std::int64_t at) { buffers_.to(on_host)[at] ^= std::byte{1}; }
  std::string wrong() { return checks_->wrong(buffers_.to(on_host), Place::host, sent, before); }

  Plan source_, destination_;
  std::unique_ptr<Checks> checks_;
  Buffers buffers_;
};

TEST_F(ChecksTest, SayNothingOfARightMessage) {
  fill();
  move();
  EXPECT_EQ(wrong(), "");
}

TEST_F(ChecksTest, FindThatNothingCame) {
  fill();
  EXPECT_NE(wrong().find("wrong bytes: 1"), std::string::npos);
}

TEST_F(ChecksTest, FindOneWrongByte) {
  fill();
  move();
  spoil(64 + 40 + 3);
  EXPECT_EQ(wrong(), "wrong bytes: 1");
}

TEST_F(ChecksTest, FindAByteWrittenBetweenBlocks) {
  fill();
  move();
  spoil(64 + 8);
  EXPECT_EQ(wrong(), "writes beside the type");
}

TEST_F(ChecksTest, FindAByteWrittenAroundTheType) {
  for (const std::int64_t at : {std::int64_t{0}, std::int64_t{64 + 19 * 40 + 8}, std::int64_t{1023}}) {
    fill();
    move();
    spoil(at);
    EXPECT_EQ(wrong(), "writes beside the type") << at;
  }
}

TEST_F(ChecksTest, FindBytesOfAMessageBefore) {
  fill();
  move();
  checks_->fill_source(buffers_.from(on_host), Place::host, sent + 2);
  move();
  EXPECT_NE(wrong(), "");
}

TEST(BuffersTest, HoldWholeLinesBehindTheData) {
  const Layout layout = normalise(hindexed({1}, {4090}, Datatype(Named::int_)));
  EXPECT_EQ(Buffers::needed(layout), 4096);
  EXPECT_EQ(Buffers::needed(normalise(contiguous(8193, Named::byte))), 3 * 4096);
}

}  // namespace
}  // namespace typewarp::harness
