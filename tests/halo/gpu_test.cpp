// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What only device memory shows: how many kernels an exchange takes, streams, and graphs.

#include "engine/gpu/memory_kinds.hpp"
#include "halo/fields.hpp"
#include "halo/patch.hpp"
#include "transport/fixture.hpp"

#include <algorithm>

namespace typewarp::test {
namespace {

using halo::Exchange;
using halo::Packing;
using halo::ProcessGrid;

/// A graph of what `enqueue` gives a stream to do.
class Captured {
 public:
  template <typename Enqueue>
  explicit Captured(Enqueue enqueue) {
    cudaGraph_t graph = nullptr;
    EXPECT_CUDA(cudaStreamBeginCapture(field_stream(), cudaStreamCaptureModeThreadLocal));
    enqueue(field_stream());
    EXPECT_CUDA(cudaStreamEndCapture(field_stream(), &graph));
    count(graph);
    EXPECT_CUDA(cudaGraphInstantiate(&executable_, graph, 0));
    EXPECT_CUDA(cudaGraphDestroy(graph));
  }
  Captured(const Captured&) = delete;
  Captured& operator=(const Captured&) = delete;
  ~Captured() { EXPECT_CUDA(cudaGraphExecDestroy(executable_)); }

  void replay() const { EXPECT_CUDA(cudaGraphLaunch(executable_, field_stream())); }
  std::size_t nodes() const noexcept { return kinds_.size(); }
  std::size_t kernels() const noexcept {
    return static_cast<std::size_t>(std::count(kinds_.begin(), kinds_.end(), cudaGraphNodeTypeKernel));
  }

 private:
  void count(cudaGraph_t graph) {
    std::size_t nodes = 0;
    EXPECT_CUDA(cudaGraphGetNodes(graph, nullptr, &nodes));
    std::vector<cudaGraphNode_t> all(nodes);
    EXPECT_CUDA(cudaGraphGetNodes(graph, all.data(), &nodes));
    for (cudaGraphNode_t node : all) EXPECT_CUDA(cudaGraphNodeGetType(node, &kinds_.emplace_back()));
  }

  cudaGraphExec_t executable_ = nullptr;
  std::vector<cudaGraphNodeType> kinds_;
};

/// What patches hold at first, from where the stream brings it to them, and places for what they hold then.
class Copies {
 public:
  explicit Copies(std::vector<Patch>& patches) : patches_(patches) {
    for (Patch& patch : patches) {
      const auto bytes = static_cast<std::int64_t>(patch.initial().size());
      results_.push_back(allocate(Source::pinned, bytes));
      sources_.push_back(allocate(Source::pinned, bytes));
      sources_.back()->write(patch.initial());
    }
  }

  void clear_fields() {
    for (Patch& patch : patches_) EXPECT_CUDA(cudaMemset(patch.memory(), 0, patch.initial().size()));
    EXPECT_CUDA(cudaDeviceSynchronize());
  }
  void enqueue_fields() {
    for (std::size_t f = 0; f < patches_.size(); ++f) copy(patches_[f].memory(), sources_[f]->data(), f);
  }
  void enqueue_results() {
    for (std::size_t f = 0; f < patches_.size(); ++f) copy(results_[f]->data(), patches_[f].memory(), f);
  }
  void expect_results() {
    EXPECT_CUDA(cudaStreamSynchronize(field_stream()));
    for (std::size_t f = 0; f < patches_.size(); ++f) {
      Bytes result(patches_[f].initial().size());
      results_[f]->read(result);
      EXPECT_EQ(result, patches_[f].contents());
    }
  }

 private:
  void copy(std::byte* to, const std::byte* from, std::size_t f) {
    EXPECT_CUDA(cudaMemcpyAsync(to, from, patches_[f].initial().size(), cudaMemcpyDefault, field_stream()));
  }

  std::vector<Patch>& patches_;
  std::vector<std::unique_ptr<Memory>> sources_, results_;
};

std::vector<void*> addresses(const std::vector<Patch>& patches) {
  std::vector<void*> data;
  for (const Patch& patch : patches) data.push_back(patch.field().data());
  return data;
}

class HaloGpu : public Session {
 protected:
  void SetUp() override {
    Session::SetUp();
    if (IsSkipped()) return;
    grid_ = std::make_unique<ProcessGrid>(comm_, std::vector{0, 0, 1}, std::vector{true, true, true});
    patches_ = patches(0);
  }
  void TearDown() override {
    patches_.clear();
    grid_.reset();
    Session::TearDown();
  }

  /// Three, in memory of their own, with numbers from `first` on.
  std::vector<Patch> patches(std::uint64_t first) const {
    std::vector<Patch> made;
    for (const Datatype& element :
         {Datatype(Named::int_), Datatype(Named::double_), contiguous(3, Named::double_)}) {
      const std::vector order = made.size() % 2 == 0 ? std::vector{0, 1, 2} : std::vector{2, 0, 1};
      Whole whole{element, {}, halo::Storage::permuted(order)};
      for (int d = 0; d < 3; ++d) {
        const auto processes = static_cast<std::size_t>(grid_->sizes()[static_cast<std::size_t>(d)]);
        whole.axes.push_back({std::vector<std::int64_t>(processes, 9 + d), 2, 1, 0, 1, d});
      }
      made.emplace_back(*grid_, whole, first + made.size());
    }
    return made;
  }
  std::vector<halo::Field> fields() const {
    std::vector<halo::Field> all;
    for (const Patch& patch : patches_) all.push_back(patch.field());
    return all;
  }
  /// Page-locked fields are packed by the host: by no kernel and in no graph.
  bool host_packs() {
    cudaPointerAttributes attributes{};
    EXPECT_CUDA(cudaPointerGetAttributes(&attributes, patches_.front().memory()));
    return attributes.type == cudaMemoryTypeHost;
  }
  static void expect_right(std::vector<Patch>& patches) {
    for (Patch& patch : patches) EXPECT_EQ(patch.difference().value_or("none"), "none");
  }
  void expect_right() { expect_right(patches_); }

  std::unique_ptr<ProcessGrid> grid_;
  std::vector<Patch> patches_;
};

// All 26 directions, some of which lead here, of three fields of different elements and layouts.
TEST_F(HaloGpu, PacksByOneKernelAndUnpacksByOne) {
  if (host_packs()) GTEST_SKIP() << "needs fields that the GPU packs";
  Exchange exchange(*grid_, fields(), {.packing = Packing::manual});
  exchange.exchange(field_stream());  // what plans need on the device is there then
  expect_right();
  const Captured packing([&](Stream stream) { exchange.pack(stream); });
  const Captured unpacking([&](Stream stream) { exchange.unpack(stream); });
  EXPECT_EQ(packing.kernels(), 1U);
  EXPECT_EQ(packing.nodes(), 1U);
  EXPECT_EQ(unpacking.kernels(), 1U);
  EXPECT_EQ(unpacking.nodes(), 1U);
}

TEST_F(HaloGpu, FollowsTheStreamAndIsFollowedByIt) {
  Copies copies(patches_);
  for (const Packing packing : {Packing::manual, Packing::datatype}) {
    SCOPED_TRACE(halo::name(packing));
    Exchange exchange(*grid_, fields(), {.packing = packing, .messages = halo::Messages::each});
    for (const bool beside : {false, true}) {
      copies.clear_fields();
      for (int i = 0; i < 2; ++i) {  // one behind the other
        copies.enqueue_fields();
        beside ? exchange.overlap([] {}, field_stream()) : exchange.exchange(field_stream());
        copies.enqueue_results();
      }
      copies.expect_results();
      expect_right();
    }
  }
}

TEST_F(HaloGpu, AccumulationFollowsTheStreamAndIsFollowedByIt) {
  Exchange exchange(*grid_, fields());
  exchange.accumulate(Operation::min, field_stream());
  std::vector<Bytes> expected;
  for (Patch& patch : patches_) expected.push_back(patch.contents());
  Copies copies(patches_);
  copies.clear_fields();
  copies.enqueue_fields();
  exchange.accumulate(Operation::min, field_stream());
  copies.enqueue_results();
  copies.expect_results();
  for (std::size_t f = 0; f < patches_.size(); ++f) EXPECT_EQ(patches_[f].contents(), expected[f]);
}

// Sets of other numbers each: a halo tells from which it was filled.
TEST_F(HaloGpu, GraphsStandForCallsAsLongAsTheirMemoryIsBound) {
  if (host_packs()) GTEST_SKIP() << "needs fields that the GPU packs";
  std::vector<Patch> others = patches(10);
  Exchange exchange(*grid_, fields(), {.packing = Packing::manual});
  exchange.exchange(field_stream());
  const Captured pack([&](Stream stream) { exchange.pack(stream); });
  const Captured unpack([&](Stream stream) { exchange.unpack(stream); });
  for (int i = 0; i < 3; ++i) {
    for (Patch& patch : patches_) patch.fill();
    pack.replay();
    exchange.start_exchange(field_stream());
    exchange.wait();
    unpack.replay();
    expect_right();

    for (Patch& patch : others) patch.fill();
    exchange.bind(addresses(others));
    // Neither pack() nor a graph has packed this memory.
    EXPECT_THROW(exchange.start_exchange(field_stream()), Error);
    exchange.exchange(field_stream());
    expect_right(others);
    exchange.bind(addresses(patches_));
  }
  expect_right(others);
}

TEST_F(HaloGpu, MessagesAreNoPartOfAGraph) {
  Exchange exchange(*grid_, fields(), {.packing = Packing::manual});
  exchange.exchange(field_stream());
  exchange.pack(field_stream());
  ASSERT_CUDA(cudaStreamBeginCapture(field_stream(), cudaStreamCaptureModeThreadLocal));
  EXPECT_THROW(exchange.start_exchange(field_stream()), InvalidArgument);
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(field_stream(), &graph));
  EXPECT_CUDA(cudaGraphDestroy(graph));
  exchange.start_exchange(field_stream());
  exchange.wait();
  exchange.unpack(field_stream());
  expect_right();
}

TEST_F(HaloGpu, FieldsMayBeInSeveralKindsOfMemory) {
  std::vector<halo::Field> mixed = fields();
  std::vector<std::byte> pageable(patches_[0].initial());
  const auto offset = static_cast<std::byte*>(mixed[0].data()) - patches_[0].memory();
  mixed[0].rebind(pageable.data() + offset);
  Exchange exchange(*grid_, mixed, {.packing = Packing::manual});
  exchange.exchange(field_stream());
  ASSERT_CUDA(cudaStreamSynchronize(field_stream()));
  ASSERT_CUDA(cudaMemcpy(patches_[0].memory(), pageable.data(), pageable.size(), cudaMemcpyDefault));
  expect_right();
}

TEST_F(HaloGpu, FieldsOfTwoDevicesAreRefused) {
  int devices = 0;
  ASSERT_CUDA(cudaGetDeviceCount(&devices));
  if (devices < 2) GTEST_SKIP() << "needs two GPUs";
  int here = 0;
  ASSERT_CUDA(cudaGetDevice(&here));
  ASSERT_CUDA(cudaSetDevice(here == 0 ? 1 : 0));
  void* there = nullptr;
  ASSERT_CUDA(cudaMalloc(&there, patches_[1].initial().size()));
  ASSERT_CUDA(cudaSetDevice(here));
  const auto memory = allocate(Source::device, std::ssize(patches_[0].initial()));
  std::vector<halo::Field> mixed = fields();
  mixed[0].rebind(memory->data());
  mixed[1].rebind(there);
  try {
    const Exchange exchange(*grid_, mixed);
    ADD_FAILURE() << "nothing was thrown";
  } catch (const InvalidArgument& error) {
    EXPECT_EQ(error.argument(), "fields[1].data");
  }
  EXPECT_CUDA(cudaFree(there));
}

// They are packed by the host, which a capture cannot hold.
TEST_F(HaloGpu, FieldsOfTheHostAreNoPartOfAGraph) {
  std::vector<halo::Field> pinned = fields();
  std::vector<std::unique_ptr<Memory>> memory;
  for (std::size_t f = 0; f < pinned.size(); ++f) {
    memory.push_back(allocate(Source::pinned, std::ssize(patches_[f].initial())));
    pinned[f].rebind(memory[f]->data() + (static_cast<std::byte*>(pinned[f].data()) - patches_[f].memory()));
  }
  Exchange exchange(*grid_, pinned, {.packing = Packing::manual});
  ASSERT_CUDA(cudaStreamBeginCapture(field_stream(), cudaStreamCaptureModeThreadLocal));
  EXPECT_THROW(exchange.pack(field_stream()), InvalidArgument);
  EXPECT_THROW(exchange.unpack(field_stream()), InvalidArgument);
  cudaGraph_t graph = nullptr;
  ASSERT_CUDA(cudaStreamEndCapture(field_stream(), &graph));
  EXPECT_CUDA(cudaGraphDestroy(graph));
  EXPECT_THROW(exchange.start_exchange(field_stream()), Error);
}

}  // namespace
}  // namespace typewarp::test
