// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "halo/tuning.hpp"

#include "engine/device/gpu.hpp"
#include "halo/patches.hpp"

#include <array>
#include <stdexcept>

namespace typewarp::test {
namespace {

using halo::Exchange;
using halo::Packing;

class HaloTuning : public HaloPatches {
 protected:
  HaloTuning() : HaloPatches({0, 0}, {true, false}, {Named::double_, contiguous(3, Named::float_)}) {}

  static void expect_right_after(Exchange& exchange, std::vector<Patch>& patches, std::int64_t width) {
    fill(patches);
    exchange.exchange(field_stream());
    expect_right(patches, width);
  }
  void expect_right_after(Exchange& exchange, std::int64_t width) {
    expect_right_after(exchange, patches_, width);
  }
  /// The packing of which all processes tell the same; automatic if they do not.
  Packing common(Packing packing) const {
    std::array<int, 2> ends{static_cast<int>(packing), -static_cast<int>(packing)};
    MPI_Allreduce(MPI_IN_PLACE, ends.data(), 2, MPI_INT, MPI_MAX, comm_);
    return ends[0] == -ends[1] ? packing : Packing::automatic;
  }
};

TEST_F(HaloTuning, EndsWithOnePackingOnAllProcesses) {
  for (const std::int64_t narrow : {halo::full_width, std::int64_t{1}}) {
    // Before, each its own.
    const Packing own = rank_ % 2 == 0 ? Packing::datatype : Packing::automatic;
    Exchange exchange(*grid_, fields_, {.packing = own});
    exchange.set_width(narrow);
    exchange.tune(field_stream());
    EXPECT_NE(common(exchange.packing()), Packing::automatic);
    expect_right_after(exchange, narrow);
    exchange.tune(field_stream());
    expect_right_after(exchange, narrow);
  }
}

TEST_F(HaloTuning, KeepsWhatIsBound) {
  Exchange exchange(*grid_, fields_);
  std::vector<Patch> others = patches(10);
  const std::vector<void*> data = addresses(others);
  exchange.bind(data);
  exchange.set_width(1);
  exchange.tune(field_stream());
  expect_right(others, 1);
  expect_right_after(exchange, others, 1);
  for (Patch& patch : patches_) EXPECT_EQ(patch.contents(), patch.initial());

  for (std::size_t f = 0; f < data.size(); ++f) EXPECT_EQ(exchange.fields()[f].data(), data[f]);
  exchange.set_width(halo::full_width);
  expect_right_after(exchange, others, halo::full_width);
  exchange.bind(std::array{fields_[0].data(), fields_[1].data()});
  expect_right_after(exchange, halo::full_width);
}

// A packing that is best for one process and bad for another is not the best.
TEST_F(HaloTuning, GoesByTheSlowestProcess) {
  std::vector<Packing> asked;
  const auto measure = [&](Exchange& exchange) {
    asked.push_back(exchange.packing());
    if (exchange.packing() == Packing::datatype) return 5.0;
    return rank_ == 0 ? 9.0 : 1.0;
  };
  Exchange best = halo::fastest(*grid_, fields_, {}, halo::full_width, measure);
  EXPECT_EQ(best.packing(), Packing::datatype);
  EXPECT_EQ(asked, (std::vector{Packing::manual, Packing::datatype}));
  expect_right_after(best, halo::full_width);
}

TEST_F(HaloTuning, ThrowsWhatIsWrongInAnyPacking) {
  std::vector<halo::Field> wrong = fields_;
  wrong[0].rebind(nullptr);
  const auto measure = [](Exchange&) -> double { throw std::logic_error("there is none to measure"); };
  EXPECT_THROW(halo::fastest(*grid_, wrong, {}, halo::full_width, measure), InvalidArgument);
}

TEST_F(HaloTuning, ClockTellsTheMedianOfWholeExchanges) {
  for (const Packing packing : {Packing::manual, Packing::datatype}) {
    Exchange exchange(*grid_, fields_, {.packing = packing});
    fill();
    const double begin = MPI_Wtime();
    const double seconds =
        halo::by_clock(*grid_, gpu::stream_device(field_stream()), field_stream())(exchange);
    const double all = MPI_Wtime() - begin;
    expect_right();
    EXPECT_GT(seconds, 0);
    // Half of them took as long or longer.
    EXPECT_LE(8 * seconds, all);
  }
}

TEST_F(HaloTuning, FailsInAllProcessesWhereOneIsAmidAnExchange) {
  Exchange exchange(*grid_, fields_);
  fill();
  if (rank_ == 0) exchange.pack(field_stream());
  EXPECT_THROW(exchange.tune(field_stream()), Error);
  if (rank_ != 0) exchange.pack(field_stream());
  exchange.start_exchange(field_stream());
  exchange.wait();
  exchange.unpack(field_stream());
  expect_right();
}

TEST_F(HaloTuning, ComesBetweenExchanges) {
  Exchange exchange(*grid_, fields_);
  exchange.pack(field_stream());
  EXPECT_THROW(exchange.tune(field_stream()), Error);
  exchange.start_exchange(field_stream());
  exchange.wait();
  EXPECT_THROW(exchange.tune(field_stream()), Error);
  exchange.unpack(field_stream());
  exchange.tune(field_stream());
  expect_right_after(exchange, halo::full_width);
}

}  // namespace
}  // namespace typewarp::test
