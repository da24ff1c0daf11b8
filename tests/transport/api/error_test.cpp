// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What goes wrong is said, with the argument or with the MPI's own text, and leaves a communicator that
// works.

#include "support/user_buffer.hpp"
#include "transport/fixture.hpp"
#include "transport/request/operation.hpp"

#include <limits>
#include <string>
#include <vector>

namespace typewarp {
namespace {

using test::Session;
using test::UserBuffer;

constexpr int tag = 5;
constexpr int own_tag = 6;  ///< other ranks, which may be in TearDown(), send nothing with it
const Datatype column = vector(4, 1, 2, Named::int_);

class TransportErrors : public Session {
 protected:
  void TearDown() override {
    // Whatever failed, the next message passes.
    const Plan plan = commit(Named::int_);
    int received = -1;
    sendrecv(&rank_, 1, plan, partner(), tag, &received, 1, plan, partner(), tag, comm_, nullptr);
    EXPECT_EQ(received, partner());
    Session::TearDown();
  }

  template <typename Call>
  static void expect_invalid(const char* argument, const char* value, Call call) {
    try {
      call();
      ADD_FAILURE() << "did not throw for " << argument;
    } catch (const InvalidArgument& error) {
      EXPECT_EQ(error.argument(), argument) << error.what();
      EXPECT_NE(std::string(error.what()).find(value), std::string::npos) << error.what();
    }
  }

  template <typename Call>
  static void expect_mpi_error(int error_class, Call call, const std::string& says = "") {
    try {
      call();
      ADD_FAILURE() << "did not throw";
    } catch (const MpiError& error) {
      EXPECT_EQ(error.error_class(), error_class) << error.what();
      char text[MPI_MAX_ERROR_STRING];
      int length = 0;
      MPI_Error_string(error.code(), text, &length);
      EXPECT_NE(std::string(error.what()).find("MPI_"), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(std::string(text, static_cast<std::size_t>(length))),
                std::string::npos)
          << error.what();
      EXPECT_TRUE(std::string(error.what()).starts_with(says)) << error.what();
    }
  }
};

TEST_F(TransportErrors, ArgumentsAreNamed) {
  const Plan plan = commit(column);
  std::vector<int> buffer(8);
  void* data = buffer.data();
  expect_invalid("count", "-1", [&] { send(data, -1, plan, partner(), tag, comm_, nullptr); });
  expect_invalid("count", "-2", [&] { recv(data, -2, plan, partner(), tag, comm_, nullptr); });
  expect_invalid("count", "-3", [&] { (void)isend(data, -3, plan, partner(), tag, comm_, nullptr); });
  expect_invalid("count", "-4", [&] { (void)irecv(data, -4, plan, partner(), tag, comm_, nullptr); });
  expect_invalid("send_count", "-5", [&] {
    sendrecv(data, -5, plan, partner(), 90, data, 0, plan, partner(), 90, comm_, nullptr);
  });
  expect_invalid("recv_count", "-6", [&] {
    sendrecv(data, 0, plan, partner(), tag, data, -6, plan, partner(), tag, comm_, nullptr);
  });
  expect_invalid("comm", "MPI_COMM_NULL",
                 [&] { send(data, 1, plan, partner(), tag, MPI_COMM_NULL, nullptr); });
  expect_invalid("buffer", "null", [&] { send(nullptr, 1, plan, partner(), tag, comm_, nullptr); });
  expect_invalid("recv_buffer", "null", [&] {
    sendrecv(data, 1, plan, MPI_PROC_NULL, tag, nullptr, 1, plan, partner(), tag, comm_, nullptr);
  });
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  expect_invalid("count", std::to_string(most).c_str(),
                 [&] { send(data, most, plan, partner(), tag, comm_, nullptr); });
}

TEST_F(TransportErrors, RanksAndTagsAreTheMpisToRefuse) {
  const Plan plan = commit(column);
  std::vector<int> buffer(8);
  void* data = buffer.data();
  const std::string rank = std::to_string(ranks_) + ": MPI_";
  expect_mpi_error(
      MPI_ERR_RANK, [&] { send(data, 1, plan, ranks_, tag, comm_, nullptr); },
      "typewarp::send: destination = " + rank);
  expect_mpi_error(
      MPI_ERR_RANK, [&] { (void)isend(data, 1, plan, ranks_, tag, comm_, nullptr); },
      "typewarp::isend: destination = " + rank);
  expect_mpi_error(
      MPI_ERR_RANK, [&] { ssend(data, 1, plan, ranks_, tag, comm_, nullptr); },
      "typewarp::ssend: destination = " + rank);
  expect_mpi_error(
      MPI_ERR_RANK, [&] { recv(data, 1, plan, ranks_, tag, comm_, nullptr); },
      "typewarp::recv: source = " + rank);
  expect_mpi_error(
      MPI_ERR_RANK, [&] { (void)irecv(data, 1, plan, -99, tag, comm_, nullptr); },
      "typewarp::irecv: source = -99: MPI_");
  expect_mpi_error(
      MPI_ERR_RANK,
      [&] { sendrecv(data, 1, plan, MPI_PROC_NULL, tag, data, 1, plan, ranks_, tag, comm_, nullptr); },
      "typewarp::sendrecv: source = " + rank);
  expect_mpi_error(
      MPI_ERR_RANK, [&] { send_init(data, 1, plan, ranks_, tag, comm_, nullptr).start(); },
      "typewarp::Request::start: destination = " + rank);
  expect_mpi_error(
      MPI_ERR_RANK, [&] { (void)iprobe(ranks_, tag, comm_); }, "typewarp::iprobe: source = " + rank);
  expect_mpi_error(
      MPI_ERR_TAG, [&] { send(data, 1, plan, partner(), -77, comm_, nullptr); },
      "typewarp::send: tag = -77: MPI_");
  expect_mpi_error(
      MPI_ERR_TAG, [&] { recv(data, 1, plan, partner(), -77, comm_, nullptr); },
      "typewarp::recv: tag = -77: MPI_");
}

// Where the MPI writes it beyond the copy, the heap is not whole afterwards.
TEST_F(TransportErrors, LongMessagesStayWithinTheirCopyWhenTruncated) {
  constexpr int items = 1000;
  const Plan whole = commit(vector(items, 1, 2, Named::double_));
  const Plan half = commit(vector(items / 2, 1, 2, Named::double_));
  for (int time = 0; time < 20; ++time) {
    const std::vector<double> sent(2 * items, 1.0);
    std::vector<double> received(items, -1.0);
    Request receive = irecv(received.data(), 1, half, partner(), tag, comm_, nullptr);
    Request sending = isend(sent.data(), 1, whole, partner(), tag, comm_, nullptr);
    expect_mpi_error(MPI_ERR_TRUNCATE, [&] { receive.wait(); });
    sending.wait();
    ASSERT_EQ(received, std::vector<double>(items, -1.0));
  }
}

TEST_F(TransportErrors, OfATruncatedMessageTellWhichItIs) {
  constexpr int items = 1000;
  const Plan whole = commit(vector(items, 1, 2, Named::double_));
  const Plan half = commit(vector(items / 2, 1, 2, Named::double_));
  const std::vector<double> sent(2 * items, 1.0);
  std::vector<double> received(items, -1.0);
  Request receive = irecv(received.data(), 1, half, MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, nullptr);
  Request sending = isend(sent.data(), 1, whole, partner(), tag, comm_, nullptr);
  try {
    receive.wait();
    ADD_FAILURE() << "no error";
  } catch (const transport::Truncated& error) {
    EXPECT_EQ(error.status().source, partner());
    EXPECT_EQ(error.status().tag, tag);
    EXPECT_EQ(error.room(), half.size());
  }
  sending.wait();
}

TEST_F(TransportErrors, TruncationWritesNothingBeyondAContiguousBuffer) {
  TYPEWARP_NEEDS_SAFE_TRUNCATION();
  const Plan plan = commit(Named::int_);
  const std::vector<int> sent(600, 4);
  std::vector<int> received(600, -1);
  Request receive = irecv(received.data(), 10, plan, partner(), tag, comm_, nullptr);
  Request sending = isend(sent.data(), 600, plan, partner(), tag, comm_, nullptr);
  expect_mpi_error(MPI_ERR_TRUNCATE, [&] { receive.wait(); });
  for (std::size_t i = 10; i < received.size(); ++i) ASSERT_EQ(received[i], -1) << i;
  sending.wait();
}

TEST_F(TransportErrors, TruncationSurfacesFromTestAndLeavesTheBufferAsItWas) {
  TYPEWARP_NEEDS_SAFE_TRUNCATION();
  const Plan plan = commit(column);
  UserBuffer sent(column, 2, 1);
  UserBuffer received(column, 1, 2);
  UserBuffer before(column, 1, 2);
  Request receive = irecv(received.origin(), 1, plan, partner(), tag, comm_, nullptr);
  Request sending = isend(sent.origin(), 2, plan, partner(), tag, comm_, nullptr);
  expect_mpi_error(MPI_ERR_TRUNCATE, [&] {
    while (!receive.test()) continue;
  });
  EXPECT_FALSE(receive.active());
  EXPECT_EQ(received.bytes(), before.bytes());
  sending.wait();
}

// Of lengths around that of an announcement, and of what the MPI sends at once.
TEST_F(TransportErrors, TruncationOfAMessageToOneselfIsTold) {
  const std::vector<double> sent(200, 1.0);
  const Plan plan = commit(Named::double_);
  const auto expect_told = [&](int items, int source, int stride) {
    const Plan strided = commit(vector(items, 1, stride, Named::double_));
    std::vector<double> received(400, -1.0);
    Request receive = irecv(received.data(), 1, strided, source, own_tag, comm_, nullptr);
    Request sending = isend(sent.data(), items + 1, plan, rank_, own_tag, comm_, nullptr);
    expect_mpi_error(MPI_ERR_TRUNCATE, [&] { receive.wait(); });
    sending.wait();
    EXPECT_EQ(std::vector<double>(received.begin() + stride * items, received.end()),
              std::vector<double>(received.size() - static_cast<std::size_t>(stride * items), -1.0));
  };
  for (const int items : {1, 4, 62, 63, 64, 100, 117, 120, 199}) {
    for (const int stride : {1, 2}) {
      expect_told(items, rank_, stride);
      expect_told(items, MPI_ANY_SOURCE, stride);
    }
  }
}

TEST_F(TransportErrors, AMessageToOneselfThatFitsIsWhole) {
  const Plan plan = commit(Named::double_);
  for (const int items : {1, 63, 64, 65, 511, 512, 600}) {
    const std::vector<double> sent(static_cast<std::size_t>(items), 1.5);
    std::vector<double> received(sent.size(), -1.0);
    Request receive = irecv(received.data(), items, plan, MPI_ANY_SOURCE, own_tag, comm_, nullptr);
    Request sending = isend(sent.data(), items, plan, rank_, own_tag, comm_, nullptr);
    EXPECT_EQ(receive.wait().bytes, items * 8);
    sending.wait();
    EXPECT_EQ(received, sent);
  }
}

TEST_F(TransportErrors, AFailingSendOfASendrecvCancelsItsReceive) {
  const Plan plan = commit(column);
  // The receive has a tag of its own, so that no later message can reach it before it is cancelled.
  UserBuffer buffer(column, 1, 1);
  UserBuffer received(column, 1, 2);
  UserBuffer before(column, 1, 2);
  expect_mpi_error(MPI_ERR_RANK, [&] {
    sendrecv(buffer.origin(), 1, plan, ranks_, tag, received.origin(), 1, plan, partner(), tag + 1, comm_,
             nullptr);
  });
  EXPECT_EQ(received.bytes(), before.bytes());
}

}  // namespace
}  // namespace typewarp
