// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Messages whose fragments a link carries, at both ends.

#include "support/random_type.hpp"
#include "transport/channel/link_fixture.hpp"
#include "transport/protocol/fragments/fragment_sender.hpp"
#include "transport/channel/ucx/ucx_channel.hpp"

#include <chrono>
#include <filesystem>
#include <vector>

namespace typewarp::test {
namespace {

const Datatype column = vector(5000, 1, 2, Named::byte);
constexpr int fragments = 20;  // of 256 bytes

class LinkedMessages : public Linked {
 protected:
  Request sending(UserBuffer& from, const Datatype& type = column) {
    return isend(from.origin(), 1, commit(type), partner(), tag, comm_, nullptr);
  }
  Request receiving(UserBuffer& to, const Datatype& type = column) {
    return irecv(to.origin(), 1, commit(type), partner(), tag, comm_, nullptr);
  }

  static SessionOptions impatient() {
    SessionOptions options = small_fragments;
    options.time_limit = std::chrono::milliseconds(50);
    return options;
  }
};

TEST_P(LinkedMessages, MoveWhateverIsOnEitherSide) {
  for (const std::int64_t bytes : {601, 1024, 1025, 5000, 300'000}) {
    const std::int64_t cut = (bytes + fragment_bytes - 1) / fragment_bytes;
    exchange(spread(bytes), 1, spread(bytes));
    EXPECT_EQ(sent(), cut) << bytes;
    exchange(row(bytes), 1, spread(bytes));
    EXPECT_EQ(sent(), cut) << bytes;
    exchange(spread(bytes), 1, row(bytes));
    EXPECT_EQ(sent(), cut) << bytes;
    exchange(row(bytes), 1, row(bytes));  // in place on both sides: nothing limits a fragment
    EXPECT_EQ(sent(), 1) << bytes;
  }
  exchange(spread(600), 1, spread(600));  // up to the eager limit
  EXPECT_EQ(sent(), 0);
}

TEST_P(LinkedMessages, MoveRandomTypes) {
  for (std::uint64_t seed = 1; seed <= 200; ++seed) {
    const Datatype type = test::random_type(seed, {.max_size = 2048});
    const std::int64_t count = 1 + static_cast<std::int64_t>(seed % 3);
    exchange(type, count, test::scattered_like(type, count, seed), seed);
  }
  EXPECT_GT(sent(), 30);
}

TEST_P(LinkedMessages, ShorterThanTheReceiveAllows) {
  exchange(spread(3000), 1, spread(5000));
  EXPECT_EQ(sent(), 12);
}

// Each share is one chunk.
TEST_P(LinkedMessages, ThroughOneChunkAreMany) {
  link(small_fragments, 2 * fragment_bytes);
  constexpr int messages = 20;
  exchange_many(messages, column);
  EXPECT_EQ(sent(), messages * fragments);
}

TEST_P(LinkedMessages, ThroughSharesOfLessThanAFragmentAreShortFragments) {
  constexpr std::int64_t share = 100;
  link(small_fragments, 2 * share);
  exchange(column, 1, column);
  EXPECT_EQ(sent(), 5000 / share);
}

TEST_P(LinkedMessages, GoThroughTheHostWhereThereIsNoMemoryForChunks) {
  control_->allocates = false;
  exchange(column, 1, column);
  EXPECT_EQ(sent(), 0);
  exchange(row(5000), 1, row(5000));  // needs none
  EXPECT_EQ(sent(), 1);
}

TEST_P(LinkedMessages, ThatAreTooLongAreNotSent) {
  UserBuffer from(column, 1, 1);
  UserBuffer to(spread(1000), 1, 2);
  Request receive = receiving(to, spread(1000));
  Request send = sending(from);
  EXPECT_THROW(receive.wait(), MpiError);
  send.wait();
  EXPECT_EQ(sent(), 0);
  EXPECT_EQ(to.bytes(), UserBuffer(spread(1000), 1, 2).bytes());
  settle();
}

TEST_P(LinkedMessages, ThatCannotBeGivenToTheLinkFailAtBothEnds) {
  for (int nth = 1; nth <= fragments; ++nth) {
    UserBuffer from(column, 1, 1);
    UserBuffer to(column, 1, 2);
    Request receive = receiving(to);
    Request send = sending(from);
    control_->sends_until_failure = nth;
    EXPECT_THROW(send.wait(), Error) << nth;
    EXPECT_THROW(receive.wait(), Error) << nth;
    control_->sends_until_failure = 0;
    settle();
    exchange(column, 1, column);
  }
}

TEST_P(LinkedMessages, OfWhichAReceiveFailsEndTheReceiveOnly) {
  for (int nth = 1; nth <= fragments; ++nth) {
    UserBuffer from(column, 1, 1);
    UserBuffer to(column, 1, 2);
    control_->receives_until_failure = nth;
    Request receive = receiving(to);
    Request send = sending(from);
    EXPECT_THROW(receive.wait(), Error) << nth;
    EXPECT_EQ(send.wait().bytes, 5000) << nth;
    control_->receives_until_failure = 0;
    settle();
    exchange(column, 1, column);
  }
}

std::atomic<int> completions_until_failure{0};

// A send that UCX takes and then fails.
TEST_P(LinkedMessages, ThatFailOnTheWayEndAtBothEnds) {
  if (GetParam() != Carrier::ucx) GTEST_SKIP() << "tested with UCX only";
  static const transport::ucx::UcxApi& real = *transport::ucx_library();
  static transport::ucx::UcxApi api = real;
  api.ucp_tag_send_nbx = [](transport::ucx::Endpoint to, const void* data, std::size_t bytes,
                            std::uint64_t with, const transport::ucx::RequestParams* params) {
    transport::ucx::RequestParams later = *params;
    later.op_attr_mask |= transport::ucx::RequestParams::never_at_once;
    return real.ucp_tag_send_nbx(to, data, bytes, with, &later);
  };
  api.ucp_request_check_status = [](void* request) {
    const transport::ucx::UcsStatus status = real.ucp_request_check_status(request);
    if (status != transport::ucx::UcsStatus::ok || completions_until_failure == 0) return status;
    return --completions_until_failure == 0 ? transport::ucx::UcsStatus{-3} : status;  // an I/O error
  };
  link(transport::make_ucx_link(api, transport::UcxMemory::host, restarted(small_fragments)));
  for (int nth = 1; nth <= fragments; ++nth) {
    UserBuffer from(column, 1, 1);
    UserBuffer to(column, 1, 2);
    Request receive = receiving(to);
    completions_until_failure = nth;
    Request send = sending(from);
    EXPECT_THROW(send.wait(), Error) << nth;
    try {
      receive.wait();
      // All fragments had been sent by then.
      EXPECT_GT(nth, fragments - static_cast<int>(transport::fragments_under_way));
    } catch (const Error&) {
      EXPECT_LT(nth, fragments);
    }
    completions_until_failure = 0;
    settle();
    exchange(column, 1, column);
  }
}

TEST_P(LinkedMessages, OfASenderThatGaveUpTellItsReceiver) {
  link(impatient(), 8 * fragment_bytes);
  expect_sender_that_gives_up_tells_its_receiver(column);
}

TEST_P(LinkedMessages, OfAReceiverThatGaveUpAreDropped) {
  link(rank_ % 2 == 0 ? small_fragments : impatient(), 8 * fragment_bytes);
  if (rank_ == partner()) GTEST_SKIP() << "needs 2 ranks";
  expect_receiver_that_gives_up_lets_its_sender_end(column);
}

std::ptrdiff_t entries(const char* folder) {
  return std::distance(std::filesystem::directory_iterator(folder), std::filesystem::directory_iterator());
}

TEST_P(LinkedMessages, LeaveNothingOfTransportsThatCameAndWent) {
  const auto live_and_go = [&] {
    link(small_fragments, 8 * fragment_bytes);
    exchange(column, 1, column);
    stop();
  };
  live_and_go();
  const std::ptrdiff_t files = entries("/proc/self/fd");
  const std::ptrdiff_t threads = entries("/proc/self/task");
  const std::ptrdiff_t mappings = entries("/proc/self/map_files");
  // Fewer where ranks may outnumber processors. UCX takes some 50 ms to come and go.
  const int times = (GetParam() == Carrier::ucx ? 100 : 120) / ranks_;
  for (int i = 0; i < times; ++i) live_and_go();
  EXPECT_EQ(entries("/proc/self/fd"), files);
  EXPECT_EQ(entries("/proc/self/task"), threads);
  EXPECT_LT(entries("/proc/self/map_files"),
            mappings + times / 2);  // some come and go with the MPI's messages
}

INSTANTIATE_TEST_SUITE_P(By, LinkedMessages, testing::Values(Carrier::mpi, Carrier::ucx), carrier_name);

}  // namespace
}  // namespace typewarp::test
