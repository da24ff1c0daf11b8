// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Random messages between all ranks: random types, sizes, tags, wildcards, orders of posting, protocols.
// Every byte is checked. TYPEWARP_TEST_MESSAGES says how many in all.

#include "support/random.hpp"
#include "support/random_type.hpp"
#include "support/user_buffer.hpp"
#include "transport/protocol_fixture.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <vector>

namespace typewarp {
namespace {

using test::ProtocolTest;
using test::Random;
using test::UserBuffer;

constexpr int messages_a_round = 50;

// For each of the five choices of options, of which one in five is received through wildcards.
int messages_of_an_option() {
  constexpr int enough_for_every_day = 2500;
  const char* const asked = std::getenv("TYPEWARP_TEST_MESSAGES");
  return (asked != nullptr ? std::atoi(asked) : enough_for_every_day) / 5;
}
int exact_messages() { return messages_of_an_option() * 4 / 5; }
int wildcard_messages() { return messages_of_an_option() / 5; }
constexpr int tags = 3;

/// What all ranks agree on of a message without speaking of it.
struct Letter {
  int source;
  int destination;
  int tag;
  std::uint64_t seed;
  Datatype sent;
  Datatype received;
  std::int64_t count;
};

Datatype random_payload(Random& random, std::uint64_t seed) {
  switch (random.range(0, 9)) {
    case 0:
      return contiguous(random.range(0, 700), Named::byte);  // about the eager limit and the descriptor
    case 1:
      return vector(random.range(1, 40'000), random.range(1, 3), 4, Named::int_);
    case 2:
      return contiguous(random.range(0, 20'000), Named::double_);
    case 3:
      if (random.one_in(20)) return vector(random.range(1, 300'000), 1, 2, Named::double_);
      [[fallthrough]];
    default:
      return test::random_type(seed, {.max_size = 8192, .max_extent = 1 << 15});
  }
}

Letter random_letter(std::uint64_t seed, int ranks) {
  Random random(seed);
  Letter letter{};
  letter.source = static_cast<int>(random.range(0, ranks - 1));
  letter.destination = static_cast<int>(random.range(0, ranks - 1));
  letter.tag = static_cast<int>(random.range(0, tags - 1));
  letter.seed = seed;
  letter.sent = random_payload(random, seed);
  letter.count = letter.sent.size() > 10'000 ? 1 : random.range(0, 3);
  const std::int64_t bytes = letter.sent.size() * letter.count;
  letter.received = bytes > 10'000 || random.one_in(2)
                        ? vector(bytes, 1, random.range(1, 2), Named::byte)
                        : test::scattered_like(letter.sent, letter.count, seed);
  return letter;
}

struct Setting {
  TransportOptions options;
  bool through_rings = false;
};

class Traffic : public ProtocolTest, public testing::WithParamInterface<Setting> {
 protected:
  struct Inbox {
    const Letter* letter;
    UserBuffer buffer;
    Request request;
  };

  /// Receives take, of each source and tag, what comes first: so they are posted in the order of the letters.
  void post_receives(const std::vector<Letter>& letters, std::vector<Inbox>& inboxes) {
    for (const Letter& letter : letters) {
      if (letter.destination != rank_) continue;
      Inbox& inbox =
          inboxes.emplace_back(Inbox{&letter, UserBuffer(letter.received, 1, letter.seed + 1), Request()});
      inbox.request =
          irecv(inbox.buffer.origin(), 1, commit(letter.received), letter.source, letter.tag, comm_, nullptr);
    }
  }

  void check(Inbox& inbox, const Status& status) {
    const Letter& letter = *inbox.letter;
    ASSERT_EQ(status.source, letter.source);
    ASSERT_EQ(status.tag, letter.tag);
    ASSERT_EQ(status.bytes, letter.sent.size() * letter.count);
    UserBuffer source(letter.sent, letter.count, letter.seed);
    UserBuffer expected(letter.received, 1, letter.seed + 1);
    scatter(gathered(source, letter.sent, letter.count), expected, letter.received, 1);
    ASSERT_TRUE(inbox.buffer.bytes() == expected.bytes()) << "seed " << letter.seed << "\n"
                                                          << letter.sent << "to\n"
                                                          << letter.received;
  }

  void round(std::uint64_t first) {
    std::vector<Letter> letters;
    for (std::uint64_t i = 0; i < messages_a_round; ++i) letters.push_back(random_letter(first + i, ranks_));
    Random order(first * static_cast<std::uint64_t>(ranks_) + static_cast<std::uint64_t>(rank_));
    std::vector<Inbox> inboxes;
    inboxes.reserve(messages_a_round);
    std::vector<UserBuffer> sources;
    sources.reserve(messages_a_round);
    std::vector<Request> sends;
    const bool receives_first = order.one_in(2);
    if (receives_first) post_receives(letters, inboxes);
    for (const Letter& letter : letters) {
      if (letter.source != rank_) continue;
      UserBuffer& source = sources.emplace_back(letter.sent, letter.count, letter.seed);
      const auto start = order.one_in(4) ? issend : isend;
      sends.push_back(start(source.origin(), letter.count, commit(letter.sent), letter.destination,
                            letter.tag, comm_, nullptr));
    }
    if (!receives_first) post_receives(letters, inboxes);
    std::vector<std::size_t> sequence(inboxes.size());
    for (std::size_t i = 0; i < sequence.size(); ++i) sequence[i] = i;
    order.shuffle(sequence);
    for (const std::size_t i : sequence) {
      check(inboxes[i], inboxes[i].request.wait());
      if (HasFatalFailure()) return;
    }
    for (Request& request : sends) request.wait();
  }
};

TEST_P(Traffic, ArrivesByteExact) {
  start(GetParam().options, GetParam().through_rings);
  for (int done = 0; done < exact_messages(); done += messages_a_round) {
    round(1 + static_cast<std::uint64_t>(done));
    if (HasFatalFailure()) return;
  }
}

// Everybody takes whatever comes next, of any source and tag, into a buffer that holds the longest.
TEST_P(Traffic, ArrivesThroughWildcards) {
  start(GetParam().options, GetParam().through_rings);
  for (int first = 1; first <= wildcard_messages(); first += messages_a_round) {
    std::map<std::pair<int, int>, std::vector<const Letter*>> expected;
    std::vector<Letter> letters;
    for (int i = 0; i < messages_a_round; ++i) {
      letters.push_back(random_letter(static_cast<std::uint64_t>(first + i), ranks_));
    }
    std::int64_t longest = 0;
    int incoming = 0;
    std::vector<UserBuffer> sources;
    sources.reserve(messages_a_round);
    std::vector<Request> sends;
    for (const Letter& letter : letters) {
      longest = std::max(longest, letter.sent.size() * letter.count);
      if (letter.destination == rank_) {
        expected[{letter.source, letter.tag}].push_back(&letter);
        ++incoming;
      }
      if (letter.source != rank_) continue;
      UserBuffer& source = sources.emplace_back(letter.sent, letter.count, letter.seed);
      sends.push_back(isend(source.origin(), letter.count, commit(letter.sent), letter.destination,
                            letter.tag, comm_, nullptr));
    }
    const Datatype room =
        first % 100 == 1 ? vector(longest, 1, 2, Named::byte) : contiguous(longest, Named::byte);
    const Plan plan = commit(room);
    for (int i = 0; i < incoming; ++i) {
      UserBuffer received(room, 1, 1);
      const Status status = recv(received.origin(), 1, plan, MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, nullptr);
      auto& queue = expected[{status.source, status.tag}];
      ASSERT_FALSE(queue.empty());
      const Letter& letter = *queue.front();
      queue.erase(queue.begin());
      ASSERT_EQ(status.bytes, letter.sent.size() * letter.count) << letter.seed;
      UserBuffer source(letter.sent, letter.count, letter.seed);
      UserBuffer image(room, 1, 1);
      scatter(gathered(source, letter.sent, letter.count), image, room, 1);
      ASSERT_TRUE(received.bytes() == image.bytes()) << letter.seed;
    }
    for (Request& request : sends) request.wait();
    MPI_Barrier(comm_);  // the next round's messages must not come before
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Traffic,
    testing::Values(Setting{{}, true}, Setting{{}},
                    Setting{{.eager_bytes = 600, .chunk_bytes = 4096, .protocol = Protocol::pipelined}},
                    Setting{{.eager_bytes = 2000, .chunk_bytes = 1024, .pool_bytes = 2048}},
                    Setting{{.protocol = Protocol::eager}}),
    [](const auto& setting) {
      const TransportOptions& options = setting.param.options;
      return std::string(name(options.protocol)) + "_" + std::to_string(options.chunk_bytes) +
             (setting.param.through_rings ? "_through_rings" : "");
    });

}  // namespace
}  // namespace typewarp
