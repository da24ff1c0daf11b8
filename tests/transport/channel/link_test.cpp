// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// A link by itself: what it is given arrives, in order, and what goes wrong is told.

#include "transport/channel/link_fixture.hpp"
#include "transport/channel/ucx/ucx_channel.hpp"

#include <numeric>
#include <vector>

namespace typewarp::test {
namespace {

using transport::Transfer;
using Bytes = std::vector<std::byte>;

constexpr int tag = 3;

Bytes numbered(std::int64_t bytes, int seed) {
  Bytes result(static_cast<std::size_t>(bytes));
  for (std::size_t i = 0; i < result.size(); ++i) {
    result[i] = static_cast<std::byte>((i + static_cast<std::size_t>(seed)) % 253);
  }
  return result;
}

class LinkAlone : public test::Session, public testing::WithParamInterface<Carrier> {
 protected:
  void SetUp() override {
    Session::SetUp();
    if (!available(GetParam())) GTEST_SKIP() << "needs UCX (TYPEWARP_UCX_LIBRARY names one)";
    link_ = make_host_carrier(GetParam(), comm_);
    ASSERT_NE(link_, nullptr);
  }

  void TearDown() override {
    if (link_) {
      while (!link_->leave()) link_->progress();
      meet();
      link_.reset();
    }
    Session::TearDown();
  }

  /// What was received.
  std::int64_t finish(Transfer& transfer, bool receives = true) {
    std::int64_t bytes = 0;
    while (!transfer.test(receives ? &bytes : nullptr)) link_->progress();
    return bytes;
  }

  void meet() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(comm_, &request);
    for (int done = 0; done == 0; MPI_Test(&request, &done, MPI_STATUS_IGNORE)) link_->progress();
  }

  std::unique_ptr<transport::GpuChannel> link_;
};

TEST_P(LinkAlone, CarriesMessagesOfAnyLength) {
  for (const std::int64_t bytes : {0, 1, 8, 500, 8192, 100'000, 5'000'000}) {
    const Bytes sent = numbered(bytes, rank_);
    Bytes received(static_cast<std::size_t>(bytes) + 1);
    Transfer receive = link_->start_receive(received.data(), std::ssize(received), partner(), tag);
    Transfer send = link_->start_send(sent.data(), bytes, partner(), tag);
    EXPECT_EQ(finish(receive), bytes);
    finish(send, false);
    EXPECT_FALSE(receive.active() || send.active());
    received.pop_back();
    EXPECT_EQ(received, numbered(bytes, partner())) << bytes;
  }
}

TEST_P(LinkAlone, KeepsTheOrderOfATagWhateverTheLengths) {
  constexpr std::size_t messages = 40;
  const std::vector<std::int64_t> lengths{10, 300'000, 0, 20'000, 1};
  std::vector<Bytes> sent, received(messages, Bytes(300'000));
  std::vector<Transfer> transfers;
  for (Bytes& one : received) {
    transfers.push_back(link_->start_receive(one.data(), std::ssize(one), partner(), tag));
  }
  for (std::size_t i = 0; i < messages; ++i) {
    sent.push_back(numbered(lengths[i % lengths.size()], rank_ + static_cast<int>(i)));
    transfers.push_back(link_->start_send(sent.back().data(), std::ssize(sent.back()), partner(), tag));
  }
  for (std::size_t i = 0; i < messages; ++i) {
    EXPECT_EQ(finish(transfers[i]), lengths[i % lengths.size()]) << i;
    received[i].resize(sent[i].size());
    EXPECT_EQ(received[i], numbered(std::ssize(sent[i]), partner() + static_cast<int>(i))) << i;
  }
  for (std::size_t i = messages; i < 2 * messages; ++i) finish(transfers[i], false);
}

// In the order opposite to that in which they were sent, and to those of another sender.
TEST_P(LinkAlone, TellsTagsAndSendersApart) {
  std::vector<int> received(static_cast<std::size_t>(2 * ranks_));
  std::vector<Transfer> receives, sends;
  const int values[] = {10 * rank_, 10 * rank_ + 1};
  for (int to = 0; to < ranks_; ++to) {
    for (int which : {0, 1}) {
      sends.push_back(link_->start_send(reinterpret_cast<const std::byte*>(&values[which]), sizeof(int), to,
                                        tag + which));
    }
  }
  for (int from = ranks_ - 1; from >= 0; --from) {
    for (int which : {1, 0}) {
      auto* const place = &received[static_cast<std::size_t>(2 * from + which)];
      receives.push_back(
          link_->start_receive(reinterpret_cast<std::byte*>(place), sizeof(int), from, tag + which));
    }
  }
  for (Transfer& one : receives) EXPECT_EQ(finish(one), std::ssize(std::as_bytes(std::span(values, 1))));
  for (Transfer& one : sends) finish(one, false);
  for (int from = 0; from < ranks_; ++from) {
    EXPECT_EQ(received[static_cast<std::size_t>(2 * from)], 10 * from);
    EXPECT_EQ(received[static_cast<std::size_t>(2 * from + 1)], 10 * from + 1);
  }
}

TEST_P(LinkAlone, ReceiveThatIsCancelledEnds) {
  Bytes received = numbered(1000, 7);
  Transfer receive = link_->start_receive(received.data(), std::ssize(received), partner(), tag);
  EXPECT_FALSE(receive.test());
  receive.cancel();
  finish(receive);
  EXPECT_FALSE(receive.active());
  EXPECT_EQ(received, numbered(1000, 7));
  meet();
  Transfer next = link_->start_receive(received.data(), std::ssize(received), partner(), tag);
  const Bytes sent = numbered(1000, rank_);
  Transfer send = link_->start_send(sent.data(), std::ssize(sent), partner(), tag);
  EXPECT_EQ(finish(next), 1000);
  finish(send, false);
  EXPECT_EQ(received, numbered(1000, partner()));
}

// All that was posted is dropped, as where a wait was given up for good; the link still ends.
TEST_P(LinkAlone, TransfersThatAreDroppedKeepNothingFromEnding) {
  if (GetParam() == Carrier::mpi) GTEST_SKIP() << "an MPI may not be left with an active receive";
  static Bytes received(1000);
  { Transfer receive = link_->start_receive(received.data(), std::ssize(received), partner(), tag); }
}

INSTANTIATE_TEST_SUITE_P(By, LinkAlone, testing::Values(Carrier::mpi, Carrier::ucx), carrier_name);

TEST(Ucx, TellsWhatWentWrong) {
  const transport::ucx::UcxApi* const real = transport::ucx_library();
  if (real == nullptr) GTEST_SKIP() << "needs UCX (TYPEWARP_UCX_LIBRARY names one)";
  transport::ucx::UcxApi api = *real;
  api.ucp_tag_send_nbx = [](auto...) { return reinterpret_cast<void*>(std::intptr_t{-2}); };
  api.ucp_tag_recv_nbx = [](auto...) { return reinterpret_cast<void*>(std::intptr_t{-5}); };
  const auto link = transport::make_ucx_link(api, transport::UcxMemory::host, MPI_COMM_SELF);
  ASSERT_NE(link, nullptr);
  const auto text = [](auto call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      return error.what();
    }
    return "nothing was thrown";
  };
  std::byte byte{};
  EXPECT_EQ(text([&] { link->start_send(&byte, 1, 0, tag); }),
            "typewarp: UCX: ucp_tag_send_nbx: " +
                std::string(api.ucs_status_string(static_cast<transport::ucx::UcsStatus>(-2))));
  EXPECT_NE(text([&] { link->start_receive(&byte, 1, 0, tag); }).find("Invalid parameter"),
            std::string::npos);
  while (!link->leave()) link->progress();
}

TEST(Ucx, MessageThatIsTooLongIsAnError) {
  const transport::ucx::UcxApi* const api = transport::ucx_library();
  if (api == nullptr) GTEST_SKIP() << "needs UCX (TYPEWARP_UCX_LIBRARY names one)";
  const auto link = transport::make_ucx_link(*api, transport::UcxMemory::host, MPI_COMM_SELF);
  ASSERT_NE(link, nullptr);
  const Bytes sent(1000);
  Bytes received(10);
  Transfer receive = link->start_receive(received.data(), 10, 0, tag);
  Transfer send = link->start_send(sent.data(), 1000, 0, tag);
  const auto wait = [&] {
    std::int64_t bytes = 0;
    while (!receive.test(&bytes)) link->progress();
  };
  EXPECT_THROW(wait(), Error);
  EXPECT_FALSE(receive.active());
  while (!send.test()) link->progress();
  while (!link->leave()) link->progress();
}

TEST(Ucx, ThatCannotBeStartedIsNone) {
  const transport::ucx::UcxApi* const real = transport::ucx_library();
  if (real == nullptr) GTEST_SKIP() << "needs UCX (TYPEWARP_UCX_LIBRARY names one)";
  transport::ucx::UcxApi api = *real;
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const auto fail = [](auto...) { return transport::ucx::UcsStatus::last_error; };
  if (rank == 0) api.ucp_worker_create = fail;  // in one rank only
  EXPECT_EQ(transport::make_ucx_link(api, transport::UcxMemory::host, MPI_COMM_WORLD), nullptr);
  api = *real;
  api.ucp_init_version = fail;
  EXPECT_EQ(transport::make_ucx_link(api, transport::UcxMemory::host, MPI_COMM_WORLD), nullptr);
  api = *real;
  api.ucp_worker_query = fail;
  EXPECT_EQ(transport::make_ucx_link(api, transport::UcxMemory::host, MPI_COMM_WORLD), nullptr);
}

}  // namespace
}  // namespace typewarp::test
