// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What a probe sees is what the next receive gets, in MPI's order, also where the message is only announced.

#include "support/random.hpp"
#include "support/user_buffer.hpp"
#include "transport/protocol_fixture.hpp"

#include <vector>

namespace typewarp {
namespace {

using test::ProtocolTest;

class Probe : public ProtocolTest {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    start(small_fragments);
  }

  Request start_send(const std::vector<std::byte>& data, int destination, int with) {
    return isend(data.data(), static_cast<std::int64_t>(data.size()), byte_, destination, with, comm_,
                 nullptr);
  }

  std::vector<std::byte> receive(const Status& probed) {
    std::vector<std::byte> data(static_cast<std::size_t>(probed.bytes));
    const Status status = recv(data.data(), probed.bytes, byte_, probed.source, probed.tag, comm_, nullptr);
    EXPECT_EQ(status.bytes, probed.bytes);
    return data;
  }

  const Plan byte_ = commit(Named::byte);
};

TEST_F(Probe, TellsTheTrueLength) {
  for (const std::size_t bytes : {0UL, 10UL, 508UL, 509UL, 510UL, 600UL, 601UL, 100'000UL}) {
    const std::vector<std::byte> sent(bytes, std::byte{5});
    Request sending = start_send(sent, partner(), 3);
    const Status status = probe(partner(), 3, comm_);
    EXPECT_EQ(status.source, partner());
    EXPECT_EQ(status.tag, 3);
    EXPECT_EQ(status.bytes, static_cast<std::int64_t>(bytes));
    EXPECT_EQ(iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_)->bytes, static_cast<std::int64_t>(bytes));
    EXPECT_EQ(receive(status), sent);
    sending.wait();
  }
}

TEST_F(Probe, OfNothingIsNothing) { EXPECT_FALSE(iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_)); }

TEST_F(Probe, OfTheNullProcessIsEmpty) {
  const Status status = probe(MPI_PROC_NULL, MPI_ANY_TAG, comm_);
  EXPECT_EQ(status.source, MPI_PROC_NULL);
  EXPECT_EQ(status.bytes, 0);
}

// The probe of tag 2 has to take what precedes it out of the MPI, and receives with wildcards must not
// notice.
TEST_F(Probe, OfALaterMessageKeepsTheOrder) {
  const std::vector<std::vector<std::byte>> sent{
      std::vector<std::byte>(100, std::byte{1}), std::vector<std::byte>(5000, std::byte{2}),
      std::vector<std::byte>(509, std::byte{3}), std::vector<std::byte>(7000, std::byte{4}),
      std::vector<std::byte>(200, std::byte{5})};
  const std::vector<int> tags{1, 1, 4, 2, 1};
  std::vector<Request> sends;
  for (std::size_t i = 0; i < sent.size(); ++i) sends.push_back(start_send(sent[i], partner(), tags[i]));
  EXPECT_EQ(probe(partner(), 2, comm_).bytes, 7000);
  EXPECT_EQ(probe(partner(), 1, comm_).bytes, 100);
  EXPECT_EQ(receive(probe(partner(), 4, comm_)), sent[2]);
  for (const std::size_t i : {0UL, 1UL, 3UL, 4UL}) {
    std::vector<std::byte> data(8000);
    const Status status = recv(data.data(), 8000, byte_, MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, nullptr);
    data.resize(static_cast<std::size_t>(status.bytes));
    EXPECT_EQ(status.tag, tags[i]);
    EXPECT_EQ(data, sent[i]);
  }
  wait_all(sends);
}

TEST_F(Probe, FindsPlainDataOfTheDescriptorsLength) {
  std::vector<std::byte> sent(509, std::byte{3});
  MPI_Request plain = MPI_REQUEST_NULL;
  MPI_Isend(sent.data(), 509, MPI_BYTE, partner(), 1, comm_, &plain);
  const Status status = probe(partner(), 1, comm_);
  EXPECT_EQ(status.bytes, 509);
  EXPECT_EQ(receive(status), sent);
  MPI_Wait(&plain, MPI_STATUS_IGNORE);
}

TEST_F(Probe, AndReceiveRandomMessagesInOrder) {
  constexpr int messages = 300;
  test::Random random(7);
  std::vector<std::vector<std::byte>> sent;
  std::vector<int> tags;
  std::vector<Request> sends;
  for (int i = 0; i < messages; ++i) {
    const auto bytes =
        static_cast<std::size_t>(random.one_in(2) ? random.range(0, 700) : random.range(0, 9000));
    sent.emplace_back(bytes, static_cast<std::byte>(i));
    tags.push_back(static_cast<int>(random.range(0, 3)));
  }
  for (int i = 0; i < messages; ++i) {
    sends.push_back(
        start_send(sent[static_cast<std::size_t>(i)], partner(), tags[static_cast<std::size_t>(i)]));
  }
  std::vector<bool> taken(messages);
  for (int i = 0; i < messages; ++i) {
    const int asked = random.one_in(3) ? MPI_ANY_TAG : static_cast<int>(random.range(0, 3));
    std::size_t first = 0;
    while (first < messages && (taken[first] || (asked != MPI_ANY_TAG && tags[first] != asked))) ++first;
    if (first == messages) continue;
    taken[first] = true;
    const Status status = probe(random.one_in(2) ? MPI_ANY_SOURCE : partner(), asked, comm_);
    ASSERT_EQ(status.tag, tags[first]);
    ASSERT_EQ(receive(status), sent[first]) << first;
  }
  for (std::size_t first = 0; first < messages; ++first) {
    if (taken[first]) continue;
    ASSERT_EQ(receive(probe(MPI_ANY_SOURCE, MPI_ANY_TAG, comm_)), sent[first]) << first;
  }
  wait_all(sends);
}

}  // namespace
}  // namespace typewarp
