// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages between ranks of this library, without and with waiting.

#include "support/user_buffer.hpp"
#include "transport/fixture.hpp"

#include <array>
#include <cstdint>
#include <numeric>
#include <vector>

namespace typewarp {
namespace {

using test::Session;
using test::UserBuffer;

constexpr int tag = 7;

const Datatype column = vector(5, 1, 4, Named::double_);

std::vector<int> numbers(int first, int count) {
  std::vector<int> values(static_cast<std::size_t>(count));
  std::iota(values.begin(), values.end(), first);
  return values;
}

class Message : public Session {};

TEST_F(Message, ColumnArrivesAsColumnAndTouchesNothingElse) {
  const Plan plan = commit(column);
  UserBuffer sent(column, 3, static_cast<std::uint64_t>(rank_));
  UserBuffer senders(column, 3, static_cast<std::uint64_t>(partner()));
  UserBuffer received(column, 3, 99);
  UserBuffer expected(column, 3, 99);
  const Status status = sendrecv(sent.origin(), 3, plan, partner(), tag, received.origin(), 3, plan,
                                 partner(), tag, comm_, nullptr);
  scatter(gathered(senders, column, 3), expected, column, 3);
  EXPECT_EQ(received.bytes(), expected.bytes());
  EXPECT_EQ(status.source, partner());
  EXPECT_EQ(status.tag, tag);
  EXPECT_EQ(status.bytes, 3 * 40);
  EXPECT_EQ(status.count(plan), 3);
  EXPECT_EQ(status.elements(plan), 15);
}

TEST_F(Message, PassesAroundARing) {
  const Plan plan = commit(Named::int_);
  const int next = (rank_ + 1) % ranks_;
  const int previous = (rank_ + ranks_ - 1) % ranks_;
  int token = rank_;
  for (int step = 0; step < ranks_; ++step) {
    int incoming = -1;
    sendrecv(&token, 1, plan, next, tag, &incoming, 1, plan, previous, tag, comm_, nullptr);
    token = incoming;
  }
  EXPECT_EQ(token, rank_);
}

TEST_F(Message, OfMegabytesStagedAndInPlace) {
  constexpr int items = 1 << 20;
  const Plan strided = commit(vector(items, 1, 2, Named::int_));
  const Plan plain = commit(contiguous(items, Named::int_));
  const std::vector<int> sparse = numbers(rank_, 2 * items);
  std::vector<int> dense(items, -1);
  std::vector<int> spread(2 * items, -1);
  sendrecv(sparse.data(), 1, strided, partner(), tag, dense.data(), 1, plain, partner(), tag, comm_, nullptr);
  sendrecv(dense.data(), 1, plain, partner(), tag, spread.data(), 1, strided, partner(), tag, comm_, nullptr);
  bool right = true;
  for (std::size_t i = 0; i < items; ++i) {
    right = right && dense[i] == partner() + 2 * static_cast<int>(i);
    right = right && spread[2 * i] == rank_ + 2 * static_cast<int>(i) && spread[2 * i + 1] == -1;
  }
  EXPECT_TRUE(right);
}

TEST_F(Message, OfOneTagArriveInOrder) {
  constexpr int messages = 200;
  const Plan strided = commit(vector(2, 1, 2, Named::int_));
  const Plan plain = commit(Named::int_);
  std::vector<std::array<int, 3>> values(messages);
  std::vector<Request> sends;
  for (int i = 0; i < messages; ++i) {
    auto& value = values[static_cast<std::size_t>(i)];
    value = {i, -1, i * i};
    // Every other message is sent from where it lies, the rest from a packed copy: the order must not depend
    // on it.
    sends.push_back(i % 2 == 0 ? isend(value.data(), 1, strided, partner(), tag, comm_, nullptr)
                               : isend(value.data(), 2, plain, partner(), tag, comm_, nullptr));
  }
  for (int i = 0; i < messages; ++i) {
    std::array<int, 2> received{-7, -7};
    recv(received.data(), 2, plain, partner(), tag, comm_, nullptr);
    EXPECT_EQ(received[0], i);
    EXPECT_EQ(received[1], i % 2 == 0 ? i * i : -1);
  }
  for (Request& request : sends) request.wait();
}

TEST_F(Message, ManyInFlightCompleteInAnyOrder) {
  constexpr int messages = 100;
  const Plan plan = commit(vector(64, 1, 3, Named::int_));
  std::vector<std::vector<int>> sent;
  std::vector<std::vector<int>> received(messages, std::vector<int>(192, -1));
  std::vector<Request> sends;
  std::vector<Request> receives;
  for (int i = 0; i < messages; ++i) {
    receives.push_back(
        irecv(received[static_cast<std::size_t>(i)].data(), 1, plan, partner(), i, comm_, nullptr));
  }
  for (int i = 0; i < messages; ++i) {
    sent.push_back(numbers(1000 * i, 192));
    sends.push_back(isend(sent.back().data(), 1, plan, partner(), messages - 1 - i, comm_, nullptr));
  }
  for (int i = messages - 1; i >= 0; --i) {
    EXPECT_EQ(receives[static_cast<std::size_t>(i)].wait().tag, i);
    const std::vector<int>& values = received[static_cast<std::size_t>(i)];
    EXPECT_EQ(values[0], 1000 * (messages - 1 - i));
    EXPECT_EQ(values[1], -1);
    EXPECT_EQ(values[189], 1000 * (messages - 1 - i) + 189);
  }
  for (Request& request : sends) request.wait();
}

TEST_F(Message, TestNeverBlocksAndInTheEndCompletes) {
  const Plan plan = commit(column);
  UserBuffer received(column, 1, 5);
  Request receive = irecv(received.origin(), 1, plan, partner(), tag, comm_, nullptr);
  // Nobody has sent yet, and nobody will before everybody has seen that.
  for (int i = 0; i < 100; ++i) EXPECT_FALSE(receive.test().has_value());
  EXPECT_TRUE(receive.active());
  MPI_Barrier(comm_);
  UserBuffer sent(column, 1, 6);
  Request sending = isend(sent.origin(), 1, plan, partner(), tag, comm_, nullptr);
  std::optional<Status> status;
  while (!status) status = receive.test();
  EXPECT_FALSE(receive.active());
  EXPECT_EQ(status->bytes, 40);
  EXPECT_EQ(gathered(received, column, 1), gathered(sent, column, 1));
  while (!sending.test()) continue;
}

TEST_F(Message, WildcardsSayWhoAndWhat) {
  const Plan plan = commit(Named::int_);
  if (rank_ != 0) {
    const int value = 100 + rank_;
    send(&value, 1, plan, 0, 10 * rank_, comm_, nullptr);
    return;
  }
  std::vector<bool> seen(static_cast<std::size_t>(ranks_), false);
  for (int i = 1; i < ranks_; ++i) {
    int value = 0;
    const Status status = recv(&value, 1, plan, MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, nullptr);
    ASSERT_GT(status.source, 0);
    ASSERT_LT(status.source, ranks_);
    EXPECT_FALSE(seen[static_cast<std::size_t>(status.source)]);
    seen[static_cast<std::size_t>(status.source)] = true;
    EXPECT_EQ(status.tag, 10 * status.source);
    EXPECT_EQ(value, 100 + status.source);
    EXPECT_EQ(status.bytes, 4);
  }
}

TEST_F(Message, TagsSelect) {
  const Plan plan = commit(Named::int_);
  const std::array values{1, 2};
  Request first = isend(&values[0], 1, plan, partner(), 1, comm_, nullptr);
  Request second = isend(&values[1], 1, plan, partner(), 2, comm_, nullptr);
  int received = 0;
  EXPECT_EQ(recv(&received, 1, plan, partner(), 2, comm_, nullptr).tag, 2);
  EXPECT_EQ(received, 2);
  EXPECT_EQ(recv(&received, 1, plan, partner(), MPI_ANY_TAG, comm_, nullptr).tag, 1);
  EXPECT_EQ(received, 1);
  first.wait();
  second.wait();
}

TEST_F(Message, CommunicatorsKeepApart) {
  MPI_Comm other = MPI_COMM_NULL;
  ASSERT_EQ(MPI_Comm_dup(comm_, &other), MPI_SUCCESS);
  const Plan plan = commit(Named::int_);
  const std::array values{1, 2};
  Request on_first = isend(&values[0], 1, plan, partner(), tag, comm_, nullptr);
  Request on_other = isend(&values[1], 1, plan, partner(), tag, other, nullptr);
  int received = 0;
  recv(&received, 1, plan, partner(), tag, other, nullptr);
  EXPECT_EQ(received, 2);
  recv(&received, 1, plan, partner(), tag, comm_, nullptr);
  EXPECT_EQ(received, 1);
  on_first.wait();
  on_other.wait();
  MPI_Comm_free(&other);
}

TEST_F(Message, WithTheNullProcessDoNothing) {
  const Plan plan = commit(column);
  UserBuffer buffer(column, 1, 1);
  UserBuffer before(column, 1, 1);
  send(buffer.origin(), 1, plan, MPI_PROC_NULL, tag, comm_, nullptr);
  const Status status = recv(buffer.origin(), 1, plan, MPI_PROC_NULL, tag, comm_, nullptr);
  EXPECT_EQ(status.source, MPI_PROC_NULL);
  EXPECT_EQ(status.tag, MPI_ANY_TAG);
  EXPECT_EQ(status.bytes, 0);
  EXPECT_EQ(status.count(plan), 0);
  EXPECT_EQ(buffer.bytes(), before.bytes());
  // A buffer is not looked at, so it need not be one.
  EXPECT_EQ(isend(nullptr, 1, plan, MPI_PROC_NULL, tag, comm_, nullptr).wait().bytes, 0);
}

TEST_F(Message, OfNothingStillArrive) {
  const Plan empty = commit(contiguous(0, Named::int_));
  const Plan plan = commit(column);
  UserBuffer buffer(column, 1, 1);
  UserBuffer before(column, 1, 1);
  Request no_items = isend(nullptr, 0, plan, partner(), 1, comm_, nullptr);
  Request no_data = isend(nullptr, 3, empty, partner(), 2, comm_, nullptr);
  const Status first = recv(buffer.origin(), 1, plan, partner(), 1, comm_, nullptr);
  EXPECT_EQ(first.source, partner());
  EXPECT_EQ(first.bytes, 0);
  EXPECT_EQ(first.count(plan), 0);
  EXPECT_EQ(first.elements(plan), 0);
  EXPECT_EQ(recv(nullptr, 0, empty, partner(), 2, comm_, nullptr).tag, 2);
  EXPECT_EQ(buffer.bytes(), before.bytes());
  no_items.wait();
  no_data.wait();
}

TEST_F(Message, OfAbsoluteAddresses) {
  std::array<int, 3> values{rank_, 1, 2};
  double number = 0.5 + rank_;
  const auto address = [](const void* pointer) {
    MPI_Aint value = 0;
    MPI_Get_address(pointer, &value);
    return static_cast<std::int64_t>(value);
  };
  const Plan here =
      commit(structure({3, 1}, {address(values.data()), address(&number)}, {Named::int_, Named::double_}));
  std::array<int, 3> received{};
  double received_number = 0;
  const Plan there = commit(structure({3, 1}, {address(received.data()), address(&received_number)},
                                      {Named::int_, Named::double_}));
  sendrecv(nullptr, 1, here, partner(), tag, nullptr, 1, there, partner(), tag, comm_, nullptr);
  EXPECT_EQ(received[0], partner());
  EXPECT_EQ(received[2], 2);
  EXPECT_EQ(received_number, 0.5 + partner());
}

}  // namespace
}  // namespace typewarp
