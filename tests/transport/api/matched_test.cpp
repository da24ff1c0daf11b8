// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages that a probe takes out of matching, and those that ranks of a Session send by calls of the
// MPI's.

#include "support/random_type.hpp"
#include "support/user_buffer.hpp"
#include "transport/handle/internal.hpp"
#include "transport/protocol_fixture.hpp"

#include <atomic>
#include <thread>
#include <utility>
#include <vector>

namespace typewarp {
namespace {

using test::gathered;
using test::ProtocolTest;
using test::scatter;
using test::UserBuffer;

class MatchedMessages : public ProtocolTest, public testing::WithParamInterface<bool> {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    if (GetParam()) start(small_fragments);
  }

  using Bytes = std::vector<std::byte>;
  Request start_send(Bytes&& data, int with) = delete;  // it has to outlive the request
  Request start_send(const Bytes& data, int with) {
    return isend(data.data(), static_cast<std::int64_t>(data.size()), byte_, partner(), with, comm_, nullptr);
  }
  Bytes receive(Message message) {
    Bytes data(static_cast<std::size_t>(message.status().bytes));
    const std::int64_t room = message.status().bytes;
    const Status expected = message.status();
    const Status status = imrecv(data.data(), room, byte_, std::move(message), comm_, nullptr).wait();
    EXPECT_EQ(status.bytes, room);
    EXPECT_EQ(status.source, expected.source);
    EXPECT_EQ(status.tag, expected.tag);
    return data;
  }

  const Plan byte_ = commit(Named::byte);
};

TEST_P(MatchedMessages, AreOfTheirTrueLength) {
  for (const std::size_t bytes : {0UL, 10UL, 508UL, 509UL, 510UL, 601UL, 100'000UL}) {
    const Bytes sent(bytes, std::byte{7});
    Request sending = start_send(sent, 3);
    Message found = mprobe(partner(), MPI_ANY_TAG, comm_);
    EXPECT_EQ(found.status().source, partner());
    EXPECT_EQ(found.status().tag, 3);
    EXPECT_EQ(found.status().bytes, static_cast<std::int64_t>(bytes));
    EXPECT_EQ(receive(std::move(found)), sent);
    sending.wait();
  }
}

// Nobody else gets them, however long they are kept.
TEST_P(MatchedMessages, AreOutOfMatching) {
  const Bytes first(5000, std::byte{1});
  const Bytes second(5000, std::byte{2});
  Request one = start_send(first, 4);
  Request other = start_send(second, 4);
  Message taken = mprobe(partner(), 4, comm_);
  Bytes received(second.size());
  recv(received.data(), 5000, byte_, MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, nullptr);
  EXPECT_EQ(received, second);
  EXPECT_FALSE(improbe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_));
  EXPECT_EQ(receive(std::move(taken)), first);
  one.wait();
  other.wait();
}

TEST_P(MatchedMessages, AreReceivedOnce) {
  EXPECT_THROW(static_cast<void>(imrecv(nullptr, 0, byte_, Message(), comm_, nullptr)), InvalidArgument);
  MPI_Message none = MPI_MESSAGE_NULL;
  EXPECT_THROW(static_cast<void>(transport::adopt(none)), InvalidArgument);
}

TEST_P(MatchedMessages, StayWhereTheirReceiveIsRefused) {
  const Bytes sent(5000, std::byte{3});
  Request sending = start_send(sent, 4);
  Message taken = mprobe(partner(), 4, comm_);
  EXPECT_THROW(static_cast<void>(imrecv(nullptr, -1, byte_, std::move(taken), comm_, nullptr)),
               InvalidArgument);
  ASSERT_FALSE(taken.empty());
  EXPECT_EQ(receive(std::move(taken)), sent);
  sending.wait();
}

TEST_P(MatchedMessages, OfNobodyAreEmpty) {
  Message found = mprobe(MPI_PROC_NULL, 3, comm_);
  EXPECT_EQ(found.status().source, MPI_PROC_NULL);
  EXPECT_EQ(receive(std::move(found)), Bytes());
}

// As an unmodified program has matched them.
TEST_P(MatchedMessages, OfTheMpiAreAdopted) {
  const Bytes sent(100, std::byte{7});
  Request sending = start_send(sent, 5);
  MPI_Message message = MPI_MESSAGE_NULL;
  MPI_Mprobe(partner(), 5, comm_, &message, MPI_STATUS_IGNORE);
  Bytes data(100);
  EXPECT_EQ(imrecv(data.data(), 100, byte_, transport::adopt(message), comm_, nullptr).wait().source,
            partner());
  EXPECT_EQ(message, MPI_MESSAGE_NULL);
  EXPECT_EQ(data, sent);
  sending.wait();
}

// What one of several threads has seen, another may take before it does.
TEST_P(MatchedMessages, AreOfTheirTrueLengthForEachOfManyThreads) {
  TYPEWARP_NEEDS_THREADS();
  constexpr std::size_t threads = 4;
  constexpr std::size_t messages = 400;
  std::vector<Request> sending;
  std::vector<Bytes> sent;
  for (std::size_t i = 0; i < messages; ++i) sent.emplace_back(i % 300, std::byte{1});
  for (const Bytes& data : sent) sending.push_back(start_send(data, 6));
  std::atomic<int> wrong = 0;
  std::vector<std::jthread> workers;
  for (std::size_t t = 0; t < threads; ++t) {
    workers.emplace_back([&] {
      for (std::size_t i = 0; i < messages / threads; ++i) {
        Message found = mprobe(partner(), MPI_ANY_TAG, comm_);
        const std::int64_t told = found.status().bytes;
        Bytes data(1000);
        if (imrecv(data.data(), 1000, byte_, std::move(found), comm_, nullptr).wait().bytes != told) ++wrong;
      }
    });
  }
  workers.clear();
  EXPECT_EQ(wrong, 0);
  wait_all(sending);
}

INSTANTIATE_TEST_SUITE_P(All, MatchedMessages, testing::Bool(),
                         [](const auto& with) { return with.param ? "announced" : "plain"; });

class MixedMessages : public ProtocolTest {
 protected:
  void exchange(std::int64_t bytes, bool by_the_mpi) {
    const Datatype type = vector(bytes / 4, 1, 2, Named::int32);
    const Datatype row = contiguous(bytes, Named::byte);
    UserBuffer source(row, 1, 1);
    UserBuffer target(type, 1, 2);
    UserBuffer expected(type, 1, 2);
    scatter(gathered(source, row, 1), expected, type, 1);
    Request receive = irecv(target.origin(), 1, commit(type), partner(), 1, comm_, nullptr);
    if (by_the_mpi) {
      MPI_Request sending = MPI_REQUEST_NULL;
      MPI_Isend(source.origin(), static_cast<int>(bytes), MPI_BYTE, partner(), 1, comm_, &sending);
      EXPECT_EQ(receive.wait().bytes, bytes);
      MPI_Wait(&sending, MPI_STATUS_IGNORE);
    } else {
      Request sending = isend(source.origin(), 1, commit(row), partner(), 1, comm_, nullptr);
      EXPECT_EQ(receive.wait().bytes, bytes);
      sending.wait();
    }
    EXPECT_TRUE(target.bytes() == expected.bytes()) << bytes << " bytes";
  }
};

TEST_F(MixedMessages, MayHaveAnyLength) {
  use(transport::mixed(comm_, test::with_thread_if_asked(small_fragments)));
  for (const std::int64_t bytes : {4, 508, 512, 600, 604, 20'000, 400'000}) {
    exchange(bytes, true);
    exchange(bytes, false);
  }
}

}  // namespace
}  // namespace typewarp
