// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Random messages between all ranks, from and to random kinds of memory, on the GPUs in turn.
// TYPEWARP_TEST_MESSAGES says how many in all.

#include "support/random.hpp"
#include "transport/channel/counting_sharing.hpp"
#include "transport/gpu/gpu_everywhere.hpp"
#include "transport/protocol/letters.hpp"
#include "transport/buffer/placed_buffer.hpp"
#include "transport/protocol_fixture.hpp"

#include <array>
#include <limits>
#include <list>
#include <optional>
#include <vector>

namespace typewarp {
namespace {

using test::Counting;
using test::Letter;
using test::OwnStream;
using test::PlacedBuffer;
using test::ProtocolTest;
using test::Random;
using test::Source;
using test::UserBuffer;

constexpr int messages_a_round = 50;
constexpr int settings = 5;

/// Options; whether all that is too long for the eager limit goes in shared chunks, in short fragments; and
/// the seed of the first letter, so that each setting has letters of its own.
struct Setting {
  SessionOptions options;
  bool in_shared_chunks;
  std::uint64_t first;
};

class GpuTraffic : public ProtocolTest, public testing::WithParamInterface<Setting> {
 protected:
  void SetUp() override {
    ProtocolTest::SetUp();
    if (!test::gpu_everywhere(comm_)) GTEST_SKIP() << "needs a GPU";
    int devices = 0;
    ASSERT_CUDA(cudaGetDeviceCount(&devices));
    ASSERT_CUDA(cudaSetDevice(rank_ % devices));
    test::warm_up();
    stream_.emplace();
  }

  /// What a letter is received into, as it was and as it is.
  struct Inbox {
    Inbox(const Letter& of, Source kind)
        : letter(of), image(of.received, 1, of.seed + 1), placed(kind, image) {}

    const Letter& letter;
    UserBuffer image;
    PlacedBuffer placed;
    Request request;
  };

  /// Mostly memory of the device: what else there is, is for the other kinds to meet it.
  static Source random_kind(Random& random) {
    constexpr std::array others{Source::pageable, Source::pinned, Source::managed};
    return random.one_in(4) ? others.at(static_cast<std::size_t>(random.range(0, 2))) : Source::device;
  }
  Stream random_stream(Random& random) const { return random.one_in(2) ? stream_->get() : nullptr; }

  static constexpr std::int64_t short_fragment = 4096;
  /// As if each pair of ranks had a link between them, that moves nothing well but fragments.
  void share_short_fragments() {
    sharing_.far = true;
    state_->share_by(sharing_);
    state_->profile.direct.fragments_from = 0;
    state_->profile.direct.fragment_cost = 0;
    state_->profile.direct.fragments_rate = std::numeric_limits<double>::infinity();
    state_->profile.direct.fragment_scale = state_->profile.direct.fragment_bytes = short_fragment;
  }

  void post_receives(const std::vector<Letter>& letters, Random& random, std::list<Inbox>& inboxes) {
    for (const Letter& letter : letters) {
      if (letter.destination != rank_) continue;
      Inbox& inbox = inboxes.emplace_back(letter, random_kind(random));
      inbox.request = irecv(inbox.placed.origin(), 1, commit(letter.received), letter.source, letter.tag,
                            comm_, random_stream(random));
    }
  }

  void start_sends(const std::vector<Letter>& letters, Random& random, std::list<PlacedBuffer>& sources,
                   std::vector<Request>& sends) {
    for (const Letter& letter : letters) {
      if (letter.source != rank_) continue;
      UserBuffer image(letter.sent, letter.count, letter.seed);
      PlacedBuffer& source = sources.emplace_back(random_kind(random), image);
      Request (*send_it)(const void*, std::int64_t, const Plan&, int, int, MPI_Comm, Stream) = isend;
      if (random.one_in(4)) send_it = issend;
      sends.push_back(send_it(source.origin(), letter.count, commit(letter.sent), letter.destination,
                              letter.tag, comm_, random_stream(random)));
    }
  }

  void check(Inbox& inbox, const Status& status) const {
    const Letter& letter = inbox.letter;
    ASSERT_EQ(status.source, letter.source);
    ASSERT_EQ(status.tag, letter.tag);
    ASSERT_EQ(status.bytes, letter.bytes());
    UserBuffer source(letter.sent, letter.count, letter.seed);
    scatter(gathered(source, letter.sent, letter.count), inbox.image, letter.received, 1);
    ASSERT_TRUE(inbox.placed.bytes(inbox.image.bytes().size()) == inbox.image.bytes())
        << "seed " << letter.seed << "\n"
        << letter.sent << "to\n"
        << letter.received;
  }

  void round(std::uint64_t first) {
    std::vector<Letter> letters;
    for (std::uint64_t i = 0; i < messages_a_round; ++i)
      letters.push_back(test::random_letter(first + i, ranks_));
    Random random(first * static_cast<std::uint64_t>(ranks_) + static_cast<std::uint64_t>(rank_));
    std::list<Inbox> inboxes;
    std::list<PlacedBuffer> sources;
    std::vector<Request> sends;
    const bool receives_first = random.one_in(2);
    if (receives_first) post_receives(letters, random, inboxes);
    start_sends(letters, random, sources, sends);
    if (!receives_first) post_receives(letters, random, inboxes);
    std::vector<Inbox*> sequence;
    for (Inbox& inbox : inboxes) sequence.push_back(&inbox);
    random.shuffle(sequence);
    for (Inbox* const inbox : sequence) {
      check(*inbox, inbox->request.wait());
      if (HasFatalFailure()) return;
    }
    for (Request& request : sends) request.wait();
  }

  Counting sharing_;

 private:
  std::optional<OwnStream> stream_;
};

TEST_P(GpuTraffic, ArrivesByteExact) {
  const auto& [options, in_shared_chunks, first] = GetParam();
  SessionOptions asked = options;
  if (in_shared_chunks) asked.device_pool_bytes = 8 * short_fragment;
  start(asked, true);
  if (in_shared_chunks) share_short_fragments();
  const int messages = test::letters_asked_for(1000) / settings;
  for (int done = 0; done < messages; done += messages_a_round) {
    round(first + static_cast<std::uint64_t>(done));
    if (HasFatalFailure()) return;
  }
  if (in_shared_chunks) {
    EXPECT_GT(sharing_.in_fragments.load(), 0);
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, GpuTraffic,
    testing::Values(Setting{{}, false, 1}, Setting{{}, true, 1'000'001},
                    Setting{{.eager_bytes = 2000, .chunk_bytes = 4096, .pool_bytes = 8192}, false, 2'000'001},
                    Setting{{.chunk_bytes = 4096, .protocol = Protocol::pipelined}, false, 3'000'001},
                    Setting{{.protocol = Protocol::eager}, false, 4'000'001}),
    [](const auto& setting) {
      const SessionOptions& options = setting.param.options;
      return std::string(name(options.protocol)) + "_" + std::to_string(options.chunk_bytes) +
             (setting.param.in_shared_chunks ? "_in_shared_chunks" : "");
    });

}  // namespace
}  // namespace typewarp
