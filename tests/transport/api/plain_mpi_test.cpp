// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// A message is what a plain MPI call with a matching datatype sends or receives.

#include "mpi/mpi_type.hpp"
#include "mpi/rules.hpp"
#include "support/random.hpp"
#include "support/random_type.hpp"
#include "support/type_map.hpp"
#include "support/user_buffer.hpp"
#include "transport/fixture.hpp"

#include <algorithm>

namespace typewarp {
namespace {

using test::Bytes;
using test::MpiType;
using test::Session;
using test::UserBuffer;

constexpr int tag = 3;
constexpr std::uint64_t types = 400;

/// A random type that both this library and the plain MPI are given, with the same idea of its extent.
struct Shared {
  explicit Shared(const Datatype& type)
      : handle(mpi::encode(type)), datatype(mpi::decode(handle.get())), plan(commit(datatype)) {}

  MpiType handle;
  Datatype datatype;
  Plan plan;
};

class PlainMpi : public Session {
 protected:
  /// Calls `exchange(seed, sender's type, receiver's type, items)` for random types that this MPI can be
  /// trusted with; the receiver takes the sender's signature to other places.
  template <typename Exchange>
  void for_random_types(Exchange exchange) {
    for (std::uint64_t seed = 1; seed <= types; ++seed) {
      const Datatype sent = test::random_type(seed, {.max_size = 1024});
      const int count = 1 + static_cast<int>(seed % 3);
      if (test::defect_of_this_mpi(sent) != nullptr) continue;
      const Datatype received = test::scattered_like(sent, count, seed);
      if (test::defect_of_this_mpi(received) != nullptr) continue;
      exchange(seed, sent, received, count);
      if (HasFailure()) return;
    }
  }

  /// Expects in `actual` what `expected` holds after the sender's bytes arrived; bytes without value may
  /// differ.
  static void expect_arrived(std::uint64_t seed, UserBuffer& actual, UserBuffer& source, const Datatype& sent,
                             const Datatype& received, int count) {
    UserBuffer expected(received, 1, seed + 1);
    scatter(gathered(source, sent, count), expected, received, 1);
    const std::vector<std::int64_t> places = test::byte_map(received, 1);
    for (const std::int64_t i : test::positions_without_value(received, 1)) {
      const std::int64_t place = places[static_cast<std::size_t>(i)];
      expected.at(place) = actual.at(place);
    }
    EXPECT_EQ(actual.bytes(), expected.bytes()) << "seed " << seed << "\n" << sent << "to\n" << received;
  }

  std::uint64_t of(int rank, std::uint64_t seed) const {
    return 1000 * seed + static_cast<std::uint64_t>(rank);
  }
};

TEST_F(PlainMpi, ReceivesWhatTypewarpSends) {
  for_random_types([&](std::uint64_t seed, const Datatype& type, const Datatype& places, int count) {
    const Datatype sent = type;
    const Plan plan = commit(sent);
    const Shared target(places);
    UserBuffer mine(sent, count, of(rank_, seed));
    UserBuffer theirs(sent, count, of(partner(), seed));
    UserBuffer received(target.datatype, 1, seed + 1);
    MPI_Request receive = MPI_REQUEST_NULL;
    ASSERT_EQ(MPI_Irecv(received.origin(), 1, target.handle.get(), partner(), tag, comm_, &receive),
              MPI_SUCCESS);
    Request sending = isend(mine.origin(), count, plan, partner(), tag, comm_, nullptr);
    ASSERT_EQ(MPI_Wait(&receive, MPI_STATUS_IGNORE), MPI_SUCCESS);
    sending.wait();
    expect_arrived(seed, received, theirs, sent, target.datatype, count);
  });
}

TEST_F(PlainMpi, SendsWhatTypewarpReceives) {
  for_random_types([&](std::uint64_t seed, const Datatype& type, const Datatype& places, int count) {
    const Shared sent(type);
    const Plan plan = commit(places);
    UserBuffer mine(sent.datatype, count, of(rank_, seed));
    UserBuffer theirs(sent.datatype, count, of(partner(), seed));
    UserBuffer received(places, 1, seed + 1);
    Request receive = irecv(received.origin(), 1, plan, partner(), tag, comm_, nullptr);
    ASSERT_EQ(MPI_Send(mine.origin(), count, sent.handle.get(), partner(), tag, comm_), MPI_SUCCESS);
    EXPECT_EQ(receive.wait().bytes, places.size());
    expect_arrived(seed, received, theirs, sent.datatype, places, count);
  });
}

// A short message: its status says what MPI's says, and what it did not bring stays as it was.
TEST_F(PlainMpi, AgreesOnShortMessages) {
  int compared = 0;
  for_random_types([&](std::uint64_t seed, const Datatype& type, const Datatype&, int count) {
    const Shared target(type);
    const std::int64_t elements = test::Random(seed).range(0, type.elements() * count);
    const Datatype part = test::prefix_like(target.datatype, count, elements, seed);
    const Plan plan = commit(part);
    UserBuffer mine(part, 1, of(rank_, seed));
    UserBuffer theirs(part, 1, of(partner(), seed));
    UserBuffer received(target.datatype, count, seed);
    UserBuffer expected(target.datatype, count, seed);
    const Status status = sendrecv(mine.origin(), 1, plan, partner(), tag, received.origin(), count,
                                   target.plan, partner(), tag, comm_, nullptr);
    EXPECT_EQ(status.bytes, part.size());
    EXPECT_EQ(status.elements(target.plan), elements) << "seed " << seed << "\n" << type;
    scatter(gathered(theirs, part, 1), expected, target.datatype, count);
    EXPECT_EQ(received.bytes(), expected.bytes()) << "seed " << seed << ", " << elements << " elements\n"
                                                  << type;
    if (!test::receives_short_messages(type)) return;

    UserBuffer plain(target.datatype, count, seed);
    Request sending = isend(mine.origin(), 1, plan, partner(), tag, comm_, nullptr);
    MPI_Status raw;
    ASSERT_EQ(MPI_Recv(plain.origin(), count, target.handle.get(), partner(), tag, comm_, &raw), MPI_SUCCESS);
    sending.wait();
    int items = 0;
    int basic = 0;
    MPI_Get_count(&raw, target.handle.get(), &items);
    MPI_Get_elements(&raw, target.handle.get(), &basic);
    EXPECT_EQ(status.count(target.plan), items) << "seed " << seed << "\n" << type;
    EXPECT_EQ(status.elements(target.plan), basic) << "seed " << seed << "\n" << type;
    ++compared;
  });
  EXPECT_GT(compared, static_cast<int>(types / 4));
}

}  // namespace
}  // namespace typewarp
