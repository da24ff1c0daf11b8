// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/calls.hpp"
#include "engine/runtime/memory_kinds.hpp"
#include "engine/device/method.hpp"

#include <typewarp/batch.hpp>
#include <typewarp/engine.hpp>
#include <typewarp/host.hpp>
#include <typewarp/persistent.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace typewarp::test {
namespace {

constexpr Hints no_multiprocessors{.avoid = Resource::multiprocessors};
constexpr Hints high{.priority = Priority::high};

/// Types of several MiB: each of them is what some of the methods are for.
std::vector<std::pair<const char*, Datatype>> large_types() {
  const Datatype item = resized(structure({1, 1}, {0, 8}, {Named::double_, Named::char_}), 0, 16);
  return {{"contiguous", contiguous(1 << 19, Named::double_)},
          {"rows", vector(1000, 600, 1024, Named::double_)},
          {"columns", vector(300000, 1, 4, Named::double_)},
          {"box", subarray({100, 100, 100}, {50, 80, 90}, {1, 2, 3}, Order::c, Named::double_)},
          {"transposed",
           resized(contiguous(800, resized(vector(800, 1, 800, Named::int_), 0, 4)), 0, 4 * 800 * 800)},
          {"odd runs", hvector(6000, 333, 517, Named::byte)},
          {"structs", contiguous(200000, item)},
          {"few runs", indexed({7, 100000, 3, 250000}, {0, 100, 150000, 200000}, Named::float_)},
          {"many runs", indexed(
                            std::vector<std::int64_t>(30000, 5),
                            [] {
                              std::vector<std::int64_t> places;
                              for (std::int64_t i = 0; i < 30000; ++i) places.push_back(9 * i + i % 3);
                              return places;
                            }(),
                            Named::short_)}};
}

/// Packs and unpacks one item with hints; all bytes must be right, and those around as they were.
void check(const Datatype& type, const Hints& hints, Source packed_in, Stream stream) {
  OneItem item(type, packed_in);
  const Plan plain = item.plan;
  item.plan = plain.with(hints);
  const std::vector<std::byte> expected = item.fill(7);
  item.pack(stream);
  ASSERT_CUDA(cudaDeviceSynchronize());
  ASSERT_EQ(item.packed_bytes() == expected, true) << "packed";

  const std::vector<std::byte> other = noise(plain.size(), 8);
  std::vector<std::byte> user = noise(plain.extent(), 7);
  item.packed->write(other);
  host::unpack(other.data(), user.data(), 1, plain, {0, plain.size()});
  item.unpack(stream);
  ASSERT_CUDA(cudaDeviceSynchronize());
  ASSERT_EQ(contents(*item.user, plain.extent()) == user, true) << "unpacked";
}

TEST(HintsOnGpu, EveryMethodMovesLargeLayouts) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  for (const auto& [called, type] : large_types()) {
    const Plan plan = commit(type);
    for (const gpu::Considered& method : gpu::decision({plan, 1, true, MemoryKind::device}).methods) {
      for (const Source packed : {Source::device, Source::pinned}) {
        SCOPED_TRACE(testing::Message() << called << ", " << name(method.method) << ", " << name(packed));
        check(type, {.method = method.method}, packed, stream.get());
        if (testing::Test::HasFailure()) return;
      }
    }
  }
}

TEST(HintsOnGpu, OtherHintsMoveLargeLayouts) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  for (const auto& [called, type] : large_types()) {
    for (const Hints& hints : {no_multiprocessors, high, Hints{.max_blocks = 1}, Hints{.max_blocks = 40},
                               Hints{.avoid = Resource::copy_engines}}) {
      for (const Source packed : {Source::device, Source::pinned}) {
        for (const Stream on : {stream.get(), no_stream, Stream{cudaStreamPerThread}}) {
          SCOPED_TRACE(testing::Message() << called << ", " << hints.to_string() << ", " << name(packed));
          check(type, hints, packed, on);
          if (testing::Test::HasFailure()) return;
        }
      }
    }
  }
}

TEST(HintsOnGpu, NoKernelRunsWhereCopyEnginesDoIt) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  OneItem item(vector(1000, 60, 102, Named::double_), Source::pinned);
  item.pack(stream.get());
  item.plan = item.plan.with(no_multiprocessors);
  const std::uint64_t before = kernel_launches();
  item.pack(stream.get());
  item.unpack(stream.get());
  stream.wait();
  EXPECT_EQ(kernel_launches(), before);
}

/// Whether what follows in the caller's stream, and what came before, is ordered with work on a side stream.
void check_order(const Hints& hints) {
  const OwnStream stream;
  OneItem item(vector(1000, 600, 1024, Named::double_));
  item.plan = item.plan.with(hints);
  const std::vector<std::byte> expected = item.fill(3);
  const auto before = allocate(Source::device, item.plan.extent());
  const auto after = allocate(Source::device, item.plan.size());
  before->write(contents(*item.user, item.plan.extent()));
  item.user->write(noise(item.plan.extent(), 99));
  item.pack(stream.get());  // makes what is new to the stream
  ASSERT_CUDA(cudaDeviceSynchronize());
  Gate gate(stream.get());
  ASSERT_CUDA(cudaMemcpyAsync(item.user->data(), before->data(), static_cast<std::size_t>(item.plan.extent()),
                              cudaMemcpyDefault, static_cast<cudaStream_t>(stream.get())));
  item.pack(stream.get());
  ASSERT_CUDA(cudaMemcpyAsync(after->data(), item.packed->data(), static_cast<std::size_t>(item.plan.size()),
                              cudaMemcpyDefault, static_cast<cudaStream_t>(stream.get())));
  EXPECT_TRUE(gate.closed()) << "the host waits for nothing";
  gate.open();
  stream.wait();
  EXPECT_TRUE(contents(*after, item.plan.size()) == expected) << hints.to_string();
}

TEST(HintsOnGpu, WorkOfAnotherPriorityKeepsItsPlaceInTheStream) {
  TYPEWARP_NEEDS_GPU();
  warm_up();
  check_order(high);
  check_order({.avoid = Resource::multiprocessors, .priority = Priority::high});
}

bool runs(Stream stream) { return cudaStreamQuery(static_cast<cudaStream_t>(stream)) == cudaErrorNotReady; }

/// Whether a short pack with `hints` is done while the kernel of a long one, enqueued before, still runs;
/// none where launches wait for their kernels, as under compute-sanitizer. A thread that is held up finds
/// both done: so there are several tries.
std::optional<bool> overtakes(OneItem& application, OneItem& item, const Hints& hints) {
  constexpr int tries = 5;
  const OwnStream usual, other;
  item.plan = item.plan.with(hints);
  item.pack(other.get());
  other.wait();
  bool ran = false, overtaken = false;
  for (int i = 0; i < tries && !overtaken; ++i) {
    application.pack(usual.get());
    ran = ran || runs(usual.get());
    item.pack(other.get());
    other.wait();
    overtaken = runs(usual.get());
    usual.wait();
  }
  return ran ? std::optional(overtaken) : std::nullopt;
}

TEST(HintsOnGpu, HighPriorityAndFewBlocksToPinnedMemoryOvertakeKernelsOfManyBlocks) {
  TYPEWARP_NEEDS_GPU();
  OneItem application(vector(1 << 25, 1, 8, Named::double_));
  application.plan = application.plan.with({.method = Method::words});
  OneItem item(vector(1 << 10, 1, 8, Named::double_));
  const std::optional<bool> by_hint = overtakes(application, item, high);
  if (!by_hint) GTEST_SKIP() << "launches wait for their kernels here";
  EXPECT_TRUE(*by_hint);
  OneItem urgent(vector(1 << 18, 1, 8, Named::double_), Source::pinned);
  EXPECT_EQ(overtakes(application, urgent, {}), true) << "by default";
}

TEST(HintsOnGpu, MayBeCaptured) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  for (const Hints& hints : {high, no_multiprocessors, Hints{.max_blocks = 2},
                             Hints{.avoid = Resource::multiprocessors, .priority = Priority::high}}) {
    SCOPED_TRACE(hints.to_string());
    OneItem item(vector(1000, 600, 1024, Named::double_));
    item.plan = item.plan.with(hints);
    item.pack(stream.get());
    stream.wait();
    const std::vector<std::byte> expected = item.fill(5);
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    const auto captured = static_cast<cudaStream_t>(stream.get());
    ASSERT_CUDA(cudaStreamBeginCapture(captured, cudaStreamCaptureModeThreadLocal));
    item.pack(stream.get());
    ASSERT_CUDA(cudaStreamEndCapture(captured, &graph));
    ASSERT_CUDA(cudaGraphInstantiate(&executable, graph, 0));
    ASSERT_CUDA(cudaGraphLaunch(executable, captured));
    stream.wait();
    EXPECT_TRUE(item.packed_bytes() == expected);
    ASSERT_CUDA(cudaGraphExecDestroy(executable));
    ASSERT_CUDA(cudaGraphDestroy(graph));
    item.pack(stream.get());
    stream.wait();
    EXPECT_TRUE(item.packed_bytes() == expected) << "the same way is open after the capture";
  }
}

TEST(HintsOnGpu, TravelIntoBatchesAndPersistentOperations) {
  TYPEWARP_NEEDS_GPU();
  const OwnStream stream;
  for (const Hints& hints : {high, no_multiprocessors, Hints{.max_blocks = 2}}) {
    SCOPED_TRACE(hints.to_string());
    OneItem one(vector(1000, 60, 102, Named::double_)), other(vector(700, 1, 3, Named::int_));
    const std::vector<std::byte> first = one.fill(1), second = other.fill(2);
    const auto packed = allocate(Source::device, one.plan.size() + other.plan.size());
    const std::vector<Piece> pieces{{one.user->data(), 1, one.plan.with(hints), 0},
                                    {other.user->data(), 1, other.plan, one.plan.size()}};
    Batch batch(pieces, packed->data());
    std::vector<std::byte> expected = first;
    expected.insert(expected.end(), second.begin(), second.end());
    batch.pack(stream.get());
    stream.wait();
    EXPECT_TRUE(contents(*packed, static_cast<std::int64_t>(expected.size())) == expected);

    Persistent again = Persistent::pack_init(one.user->data(), 1, one.plan.with(hints), one.packed->data());
    for (int i = 0; i < 3; ++i) again.start(stream.get());
    again.wait();
    EXPECT_TRUE(one.packed_bytes() == first);
  }
}

}  // namespace
}  // namespace typewarp::test
