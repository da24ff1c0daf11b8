// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What only device memory shows: how many kernels an exchange takes, streams, and graphs.

#include "engine/cuda/memory_kinds.hpp"
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

class HaloGpu : public Transport {
 protected:
  void SetUp() override {
    Transport::SetUp();
    if (IsSkipped()) return;
    grid_ = std::make_unique<ProcessGrid>(comm_, std::vector{0, 0, 1}, std::vector{true, true, true});
    for (const Datatype& element :
         {Datatype(Named::int_), Datatype(Named::double_), contiguous(3, Named::double_)}) {
      patches_.emplace_back(*grid_, whole(element), patches_.size());
    }
  }
  void TearDown() override {
    patches_.clear();
    grid_.reset();
    Transport::TearDown();
  }

  Whole whole(const Datatype& element) const {
    Whole made{
        element,
        {},
        halo::Storage::permuted(patches_.size() % 2 == 0 ? std::vector{0, 1, 2} : std::vector{2, 0, 1})};
    for (int d = 0; d < 3; ++d) {
      const auto processes = static_cast<std::size_t>(grid_->sizes()[static_cast<std::size_t>(d)]);
      made.axes.push_back({std::vector<std::int64_t>(processes, 9 + d), 2, 1, 0, 1, d});
    }
    return made;
  }
  std::vector<halo::Field> fields() const {
    std::vector<halo::Field> all;
    for (const Patch& patch : patches_) all.push_back(patch.field());
    return all;
  }
  void expect_right() {
    for (Patch& patch : patches_) EXPECT_EQ(patch.difference().value_or("none"), "none");
  }

  std::unique_ptr<ProcessGrid> grid_;
  std::vector<Patch> patches_;
};

// All 26 directions, some of which lead here, of three fields of different elements and layouts.
TEST_F(HaloGpu, PacksByOneKernelAndUnpacksByOne) {
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
  for (const Packing packing : {Packing::manual, Packing::mpi_pack, Packing::datatype}) {
    SCOPED_TRACE(halo::name(packing));
    Exchange exchange(*grid_, fields(), {.packing = packing});
    std::vector<std::unique_ptr<Memory>> sources, results;
    for (Patch& patch : patches_) {
      const auto bytes = static_cast<std::int64_t>(patch.initial().size());
      sources.push_back(allocate(Source::pinned, bytes));
      results.push_back(allocate(Source::pinned, bytes));
      sources.back()->write(patch.initial());
      ASSERT_CUDA(cudaMemset(patch.memory(), 0, static_cast<std::size_t>(bytes)));
    }
    ASSERT_CUDA(cudaDeviceSynchronize());
    for (std::size_t f = 0; f < patches_.size(); ++f) {
      ASSERT_CUDA(cudaMemcpyAsync(patches_[f].memory(), sources[f]->data(), patches_[f].initial().size(),
                                  cudaMemcpyDefault, field_stream()));
    }
    exchange.exchange(field_stream());
    for (std::size_t f = 0; f < patches_.size(); ++f) {
      ASSERT_CUDA(cudaMemcpyAsync(results[f]->data(), patches_[f].memory(), patches_[f].initial().size(),
                                  cudaMemcpyDefault, field_stream()));
    }
    ASSERT_CUDA(cudaStreamSynchronize(field_stream()));
    for (std::size_t f = 0; f < patches_.size(); ++f) {
      Bytes result(patches_[f].initial().size());
      results[f]->read(result);
      EXPECT_EQ(result, patches_[f].contents());
    }
    expect_right();
  }
}

TEST_F(HaloGpu, GraphsStandForCallsAsLongAsTheirMemoryIsBound) {
  for (const Packing packing : {Packing::manual, Packing::mpi_pack}) {
    SCOPED_TRACE(halo::name(packing));
    Exchange exchange(*grid_, fields(), {.packing = packing});
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
    }

    std::vector<Patch> others;
    std::vector<void*> data;
    for (const Datatype& element :
         {Datatype(Named::int_), Datatype(Named::double_), contiguous(3, Named::double_)}) {
      Whole same = whole(element);
      same.storage =
          halo::Storage::permuted(others.size() % 2 == 0 ? std::vector{0, 1, 2} : std::vector{2, 0, 1});
      data.push_back(others.emplace_back(*grid_, same, others.size()).field().data());
    }
    exchange.bind(data);
    EXPECT_THROW(exchange.start_exchange(field_stream()), Error);
    exchange.exchange(field_stream());
    for (Patch& patch : others) EXPECT_EQ(patch.difference().value_or("none"), "none");
  }
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

}  // namespace
}  // namespace typewarp::test
