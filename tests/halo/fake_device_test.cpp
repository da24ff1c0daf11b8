// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// Exchanges of device memory where there is no GPU: what is launched, and what happens where that fails.

#include "engine/cuda/cuda.hpp"
#include "halo/fields.hpp"
#include "halo/patch.hpp"
#include "transport/fake_device.hpp"
#include "transport/fixture.hpp"

namespace typewarp::test {
namespace {

using halo::Exchange;
using halo::Packing;
using halo::ProcessGrid;

/// Three fields of different elements on a periodic grid of three dimensions, of which one has one process.
class HaloFakeDevice : public Transport {
 protected:
  void SetUp() override {
    Transport::SetUp();
    grid_ = std::make_unique<ProcessGrid>(comm_, std::vector{0, 0, 1}, std::vector{true, true, true});
    for (const Datatype& element :
         {Datatype(Named::int_), Datatype(Named::double_), contiguous(3, Named::double_)}) {
      Whole whole{element, {}, {}};
      for (int d = 0; d < 3; ++d) {
        const auto processes = static_cast<std::size_t>(grid_->sizes()[static_cast<std::size_t>(d)]);
        whole.axes.push_back({std::vector<std::int64_t>(processes, 5 + d), 2, 1, 0, 1, d});
      }
      patches_.emplace_back(*grid_, whole, patches_.size());
      fields_.push_back(patches_.back().field());
    }
  }
  void TearDown() override {
    fields_.clear();
    patches_.clear();
    grid_.reset();
    Transport::TearDown();
  }
  void expect_right() {
    for (Patch& patch : patches_) EXPECT_EQ(patch.difference().value_or("none"), "none");
  }

  std::unique_ptr<ProcessGrid> grid_;
  std::vector<Patch> patches_;
  std::vector<halo::Field> fields_;
};

TEST_F(HaloFakeDevice, PacksByOneLaunchAndUnpacksByOne) {
  Exchange exchange(*grid_, fields_, {.packing = Packing::manual, .buffers = halo::Buffers::pinned});
  for (int i = 0; i < 2; ++i) {
    for (Patch& patch : patches_) patch.fill();
    const std::uint64_t before = cuda::launches();
    exchange.pack(field_stream());
    EXPECT_EQ(cuda::launches() - before, 1U);
    exchange.start_exchange(field_stream());
    exchange.wait();
    EXPECT_EQ(cuda::launches() - before, 1U);
    exchange.unpack(field_stream());
    EXPECT_EQ(cuda::launches() - before, 2U);
    expect_right();
  }
}

TEST_F(HaloFakeDevice, EndsWhereALaunchFails) {
  for (const Packing packing : {Packing::manual, Packing::mpi_pack}) {
    Exchange exchange(*grid_, fields_, {.packing = packing});
    exchange.exchange(field_stream());
    for (Patch& patch : patches_) patch.fill();
    {
      const FailingDevice failing(DeviceFailure::launch, 1);
      EXPECT_THROW(exchange.pack(field_stream()), CudaError);
      EXPECT_TRUE(failing.happened());
    }
    exchange.exchange(field_stream());
    expect_right();
  }
}

// What it has enqueued uses its buffers.
TEST_F(HaloFakeDevice, WaitsForWhatItHasEnqueuedWhenItGoes) {
  {
    Exchange exchange(*grid_, fields_, {.packing = Packing::manual});
    exchange.exchange(field_stream());
  }
  EXPECT_EQ(moves_under_way(), 0U);
  expect_right();
}

}  // namespace
}  // namespace typewarp::test
