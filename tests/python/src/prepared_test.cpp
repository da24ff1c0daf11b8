// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What typewarp.jax does on a GPU, without JAX: boxes of arrays that are elsewhere in each call.

#include "../../../python/src/jax/prepared.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "schedule/streams/gathering.hpp"
#include "support/random.hpp"
#include "transport/fixture.hpp"
#include "transport/gpu/gpu_everywhere.hpp"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <memory>
#include <optional>
#include <set>

namespace typewarp::python::jax {
namespace {

using namespace std::chrono_literals;
using test::OwnStream;
using test::Random;
using Indices = std::vector<std::int64_t>;
using Bytes = std::vector<std::byte>;

/// Where the elements of a box begin, in bytes.
Indices places(const Side& side, const Box& box) {
  Indices found{0};
  for (std::size_t d = 0; d < side.shape.size(); ++d) {
    Indices next;
    for (const std::int64_t before : found)
      for (std::int64_t i = 0; i < box.sizes[d]; ++i)
        next.push_back(before * side.shape[d] + box.starts[d] + i);
    found = next;
  }
  for (std::int64_t& place : found) place *= side.element_bytes;
  return found;
}

/// Random boxes between all ranks, whose arrays have shapes of their own. The same in all ranks.
struct Traffic {
  Traffic(std::uint64_t seed, int ranks, bool in_place) {
    Random random(seed);
    const std::int64_t element = std::int64_t{1} << random.range(0, 4);
    const auto dimensions = static_cast<std::size_t>(random.range(1, 3));
    const auto side = [&] {
      Side made{element, {}, {}};
      for (std::size_t d = 0; d < dimensions; ++d) made.shape.push_back(random.range(1, 12));
      return made;
    };
    std::vector<std::set<std::int64_t>> taken(static_cast<std::size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) {
      sources.push_back(side());
      results.push_back(in_place ? sources.back() : side());
    }
    for (std::int64_t i = random.range(0, 6 * ranks); i > 0; --i) {
      const auto from = static_cast<std::size_t>(random.range(0, ranks - 1));
      const auto to = static_cast<std::size_t>(random.range(0, ranks - 1));
      Box source{static_cast<int>(to), {}, {}}, result{static_cast<int>(from), {}, {}};
      for (std::size_t d = 0; d < dimensions; ++d) {
        const std::int64_t a = sources[from].shape[d], b = results[to].shape[d],
                           size = random.range(1, std::min(a, b));
        source.starts.push_back(random.range(0, a - size));
        result.starts.push_back(random.range(0, b - size));
        source.sizes.push_back(size);
        result.sizes.push_back(size);
      }
      const Indices destinations = places(results[to], result);
      if (std::ranges::any_of(destinations, [&](std::int64_t place) { return taken[to].contains(place); }))
        continue;
      taken[to].insert(destinations.begin(), destinations.end());
      moves.push_back({from, to, places(sources[from], source), destinations});
      sources[from].boxes.push_back(source);
      results[to].boxes.push_back(result);
    }
  }

  /// What is in the result of a rank, before in `result`.
  Bytes moved(std::size_t rank, const std::vector<Bytes>& given, Bytes result) const {
    const auto element = static_cast<std::size_t>(sources[rank].element_bytes);
    for (const Move& move : moves) {
      if (move.to != rank) continue;
      for (std::size_t i = 0; i < move.sources.size(); ++i)
        std::memcpy(&result[static_cast<std::size_t>(move.destinations[i])],
                    &given[move.from][static_cast<std::size_t>(move.sources[i])], element);
    }
    return result;
  }

  struct Move {
    std::size_t from, to;
    Indices sources, destinations;
  };
  std::vector<Side> sources, results;
  std::vector<Move> moves;
};

class JaxExchanges : public test::Session {
 protected:
  void SetUp() override {
    test::Session::SetUp();
    if (IsSkipped()) return;
    if (!test::gpu_everywhere(comm_)) GTEST_SKIP() << "needs a GPU";
    ASSERT_CUDA(cudaGetDevice(&device_));
  }
  std::unique_ptr<Prepared> linked(const Side& source, const Side& result, bool in_place,
                                   std::chrono::milliseconds limit = 60s) {
    auto made = std::make_unique<Prepared>(device_, rank_, source, result, in_place, limit);
    made->link(test::gathering(comm_));
    return made;
  }
  void end(std::unique_ptr<Prepared> prepared) {
    prepared->unlink();
    MPI_Barrier(comm_);
  }

  int device_ = -1;
};

/// Calls with arrays at other addresses each time, without a wait in between.
TEST_F(JaxExchanges, MoveBoxes) {
  constexpr std::size_t calls = 4;
  const auto rank = static_cast<std::size_t>(rank_);
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const bool in_place = seed % 2 == 0;
    const Traffic traffic(seed, ranks_, in_place);
    auto prepared = linked(traffic.sources[rank], traffic.results[rank], in_place);
    const OwnStream stream;
    struct Call {
      std::unique_ptr<test::Memory> source, result;
      Bytes wanted;
    };
    std::vector<Call> made;
    for (std::size_t call = 0; call < calls; ++call) {
      std::vector<Bytes> given;
      for (std::size_t one = 0; one < traffic.sources.size(); ++one)
        given.push_back(
            test::noise(traffic.sources[one].bytes(), static_cast<std::uint32_t>(100 * call + one)));
      Call next{test::allocate(test::Source::device, prepared->source_bytes()), nullptr, given[rank]};
      next.source->write(given[rank]);
      if (!in_place) {
        next.result = test::allocate(test::Source::device, prepared->result_bytes());
        next.wanted = test::noise(prepared->result_bytes(), 7);
        next.result->write(next.wanted);
      }
      next.wanted = traffic.moved(rank, given, next.wanted);
      made.push_back(std::move(next));
    }
    MPI_Barrier(comm_);  // filling memory waits for the device
    for (const Call& call : made)
      prepared->run(call.source->data(), (in_place ? call.source : call.result)->data(), stream.get());
    stream.wait();
    for (const Call& call : made) {
      test::Memory& result = in_place ? *call.source : *call.result;
      EXPECT_EQ(test::contents(result, prepared->result_bytes()), call.wanted) << "seed " << seed;
    }
    EXPECT_TRUE(prepared->done());
    end(std::move(prepared));
  }
}

TEST_F(JaxExchanges, StayOnOneStream) {
  const Traffic traffic(1, ranks_, true);
  auto prepared = linked(traffic.sources[static_cast<std::size_t>(rank_)],
                         traffic.results[static_cast<std::size_t>(rank_)], true);
  const OwnStream stream, other;
  const auto memory = test::allocate(test::Source::device, prepared->source_bytes());
  MPI_Barrier(comm_);
  prepared->run(memory->data(), memory->data(), stream.get());
  stream.wait();
  EXPECT_THROW(prepared->run(memory->data(), memory->data(), other.get()), Error);
  other.wait();
  end(std::move(prepared));
}

TEST_F(JaxExchanges, EndAtTheTimeLimit) {
  TYPEWARP_NEEDS_RANKS(2);
  const int next = (rank_ + 1) % ranks_, before = (rank_ + ranks_ - 1) % ranks_;
  const Side source{4, {8, 8}, {{next, {0, 0}, {8, 1}}}}, result{4, {8, 8}, {{before, {0, 7}, {8, 1}}}};
  auto prepared = linked(source, result, true, 300ms);
  const OwnStream stream;
  const auto memory = test::allocate(test::Source::device, prepared->source_bytes());
  MPI_Barrier(comm_);
  if (rank_ == 0) {
    prepared->run(memory->data(), memory->data(), stream.get());
    stream.wait();  // ends
    EXPECT_THROW(
        {
          while (true) prepared->done();
        },
        TimeLimitExceeded);
    EXPECT_THROW(prepared->run(memory->data(), memory->data(), stream.get()), TimeLimitExceeded);
  }
  end(std::move(prepared));
}

TEST_F(JaxExchanges, AreNotCalledWhenUnlinked) {
  const Traffic traffic(2, ranks_, true);
  auto prepared = linked(traffic.sources[static_cast<std::size_t>(rank_)],
                         traffic.results[static_cast<std::size_t>(rank_)], true);
  prepared->unlink();
  prepared->unlink();
  EXPECT_THROW(prepared->run(nullptr, nullptr, nullptr), Error);
  EXPECT_THROW(prepared->done(), Error);
  end(std::move(prepared));
}

}  // namespace
}  // namespace typewarp::python::jax
