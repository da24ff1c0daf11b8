// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/fixture.hpp"

#include <complex>
#include <numeric>
#include <vector>

namespace typewarp {
namespace {

class Arrays : public test::Session {};

TEST_F(Arrays, AreSentAndReceived) {
  std::vector<double> sent(24), received(24, -1), expected(24, -1);
  std::iota(sent.begin(), sent.end(), 100 * rank_);
  Request receive = irecv(StridedView(received.data() + 23, {4, 3}, {-6, -2}), partner(), 1, comm_);
  send(StridedView<const double>(sent.data(), {4, 3}, {6, 2}), partner(), 1, comm_);
  EXPECT_EQ(receive.wait().bytes, 96);
  for (std::size_t i = 0; i < 24; i += 2) expected[23 - i] = 100.0 * partner() + static_cast<double>(i);
  EXPECT_EQ(received, expected);
}

TEST_F(Arrays, MayBeRows) {
  const std::vector<std::complex<float>> sent(7, {1, static_cast<float>(rank_)});
  std::vector<std::complex<float>> received(9);
  Request sending = isend(sent, partner(), 2, comm_);
  EXPECT_EQ(recv(received, partner(), 2, comm_).bytes, 56);  // fewer than there is room for
  sending.wait();
  std::vector<std::complex<float>> expected(7, {1, static_cast<float>(partner())});
  expected.resize(9);
  EXPECT_EQ(received, expected);
}

TEST_F(Arrays, OfAnotherLayoutArriveInOrder) {
  std::vector<int> sent(6), received(6);
  std::iota(sent.begin(), sent.end(), 0);
  Request sending = isend(StridedView(sent.data(), {3, 2}, {1, 3}), partner(), 3, comm_);
  recv(std::span(received), partner(), 3, comm_);
  sending.wait();
  EXPECT_EQ(received, (std::vector<int>{0, 3, 1, 4, 2, 5}));
}

}  // namespace
}  // namespace typewarp
