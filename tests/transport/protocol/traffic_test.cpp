// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Random messages between all ranks: random types, sizes, tags, wildcards, orders of posting, protocols.
// Every byte is checked. TYPEWARP_TEST_MESSAGES says how many in all.

#include "support/random.hpp"
#include "support/type_map.hpp"
#include "support/user_buffer.hpp"
#include "transport/protocol/letters.hpp"
#include "transport/protocol_fixture.hpp"

#include <algorithm>
#include <map>
#include <vector>

namespace typewarp {
namespace {

using test::byte_map;
using test::Letter;
using test::ProtocolTest;
using test::Random;
using test::random_letter;
using test::UserBuffer;

constexpr int messages_a_round = 50;

// For each of the five choices of options, of which one in five is received through wildcards.
int messages_of_an_option() {
  constexpr int enough_for_every_day = 2500;
  return test::letters_asked_for(enough_for_every_day) / 5;
}
int exact_messages() { return messages_of_an_option() * 4 / 5; }
int wildcard_messages() { return messages_of_an_option() / 5; }

struct Setting {
  SessionOptions options;
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
    ASSERT_EQ(status.bytes, letter.bytes());
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
      Request (*send_it)(const void*, std::int64_t, const Plan&, int, int, MPI_Comm, Stream) = isend;
      if (order.one_in(4)) send_it = issend;
      sends.push_back(send_it(source.origin(), letter.count, commit(letter.sent), letter.destination,
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
      longest = std::max(longest, letter.bytes());
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
    const std::vector<std::int64_t> places = byte_map(room);
    for (int i = 0; i < incoming; ++i) {
      UserBuffer received(room, 1, 1);
      const Status status = recv(received.origin(), 1, plan, MPI_ANY_SOURCE, MPI_ANY_TAG, comm_, nullptr);
      auto& queue = expected[{status.source, status.tag}];
      ASSERT_FALSE(queue.empty());
      const Letter& letter = *queue.front();
      queue.erase(queue.begin());
      ASSERT_EQ(status.bytes, letter.bytes()) << letter.seed;
      UserBuffer source(letter.sent, letter.count, letter.seed);
      UserBuffer image(room, 1, 1);
      const test::Bytes packed = gathered(source, letter.sent, letter.count);
      for (std::size_t byte = 0; byte < packed.size(); ++byte) image.at(places.at(byte)) = packed[byte];
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
      const SessionOptions& options = setting.param.options;
      return std::string(name(options.protocol)) + "_" + std::to_string(options.chunk_bytes) +
             (setting.param.through_rings ? "_through_rings" : "");
    });

}  // namespace
}  // namespace typewarp
