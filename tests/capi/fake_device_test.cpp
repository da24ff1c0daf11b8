// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What only matters where memory is a device's: streams and buffers. There is no GPU.

#include "capi/fixture.hpp"
#include "engine/device/gpu.hpp"
#include "transport/fake_device/fake_device.hpp"
#include "transport/fake_device/fake_moves.hpp"

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

namespace typewarp::test {
namespace {

/// An array in memory of the device, and a stream of the caller's.
class FakeDeviceInC : public HaloInC {
 protected:
  void SetUp() override {
    HaloInC::SetUp();
    if (IsSkipped()) return;
    given_ = numbers(twin_->elements(), 1);
    array_.resize(given_.size());
    memory_.emplace(reinterpret_cast<std::byte*>(array_.data()), array_.size() * sizeof(double));
  }

  /// What the array is to hold after the twin has done that with what is given.
  Numbers after(const std::function<void(halo::Exchange&)>& act) const {
    Numbers same = given_;
    halo::Exchange twin = twin_->exchange_init(same.data());
    act(twin);
    return same;
  }
  tw_halo_exchange* exchange_of(const tw_halo_options& chosen) {
    tw_halo_exchange* made = nullptr;
    const std::array<void*, 1> arrays{array_.data()};
    EXPECT_EQ(tw_halo_domain_exchange_init(domain_, MPI_DOUBLE, 1, arrays.data(), &chosen, &made), TW_SUCCESS)
        << tw_error_text();
    return made;
  }

  gpu::OwnStream stream_{0};
  Numbers given_, array_;
  std::optional<DeviceMemory> memory_;
};

using Call = std::function<tw_result(tw_halo_exchange*, tw_stream)>;

/// All calls that are an exchange.
std::vector<std::pair<std::string, Call>> exchanges() {
  const auto overlap = [](tw_halo_exchange* exchange, tw_stream stream) {
    return tw_halo_exchange_overlap(exchange, stream, [](void*) {}, nullptr);
  };
  const auto parts = [](tw_halo_exchange* exchange, tw_stream stream) {
    return std::max({tw_halo_exchange_pack(exchange, stream), tw_halo_exchange_start(exchange, stream),
                     tw_halo_exchange_wait(exchange), tw_halo_exchange_unpack(exchange, stream)});
  };
  return {
      {"run", tw_halo_exchange_run}, {"tune", tw_halo_exchange_tune}, {"overlap", overlap}, {"parts", parts}};
}

TEST_F(FakeDeviceInC, CallsFollowTheStreamAndAreFollowedByIt) {
  const auto expect = [&](int packing, const Call& call, const Numbers& expected) {
    std::ranges::fill(array_, 0);
    tw_halo_options chosen{};
    chosen.packing = packing;
    tw_halo_exchange* const exchange = exchange_of(chosen);
    Numbers result;
    enqueue_work([&] { std::ranges::copy(given_, array_.begin()); }, stream_.get());
    EXPECT_EQ(call(exchange, stream_.get().get()), TW_SUCCESS) << tw_error_text();
    enqueue_work([&] { result = array_; }, stream_.get());
    gpu::Event(0, stream_.get()).wait();
    EXPECT_EQ(result, expected);
    tw_halo_exchange_free(exchange);
  };
  const Numbers exchanged = after([](halo::Exchange& twin) { twin.exchange(nullptr); });
  const Numbers summed = after([](halo::Exchange& twin) { twin.accumulate(Operation::sum, nullptr); });
  for (const int packing : {TW_HALO_MANUAL, TW_HALO_DATATYPE}) {
    for (const auto& [name, call] : exchanges()) {
      SCOPED_TRACE(name);
      expect(packing, call, exchanged);
    }
    const auto accumulate = [](tw_halo_exchange* exchange, tw_stream stream) {
      return tw_halo_exchange_accumulate(exchange, TW_SUM, stream);
    };
    expect(packing, accumulate, summed);
  }
}

TEST_F(FakeDeviceInC, BuffersLieWhereTheyAreAskedFor) {
  TYPEWARP_NEEDS_RANKS(2);
  const Numbers exchanged = after([](halo::Exchange& twin) { twin.exchange(nullptr); });
  for (const int buffers : {TW_HALO_PINNED, TW_HALO_DEVICE}) {
    std::ranges::copy(given_, array_.begin());
    const std::size_t before = pinned_buffers();
    tw_halo_options chosen{};
    chosen.packing = TW_HALO_MANUAL;
    chosen.buffers = buffers;
    tw_halo_exchange* const exchange = exchange_of(chosen);
    EXPECT_EQ(pinned_buffers() - before, buffers == TW_HALO_PINNED ? 1U : 0U);
    EXPECT_EQ(tw_halo_exchange_run(exchange, stream_.get().get()), TW_SUCCESS);
    tw_halo_exchange_free(exchange);
    EXPECT_EQ(array_, exchanged);
  }
}

TEST_F(FakeDeviceInC, ArraysInSeveralMemoriesTravelTogether) {
  TYPEWARP_NEEDS_RANKS(2);
  const Numbers exchanged = after([](halo::Exchange& twin) { twin.exchange(nullptr); });
  for (const int packing : {TW_HALO_DATATYPE, TW_HALO_MANUAL}) {
    std::ranges::copy(given_, array_.begin());
    Numbers on_host = given_;
    tw_halo_options chosen{};
    chosen.packing = packing;
    tw_halo_exchange* exchange = nullptr;
    const std::array<void*, 2> arrays{array_.data(), on_host.data()};
    ASSERT_EQ(tw_halo_domain_exchange_init(domain_, MPI_DOUBLE, 2, arrays.data(), &chosen, &exchange),
              TW_SUCCESS)
        << tw_error_text();
    EXPECT_EQ(tw_halo_exchange_run(exchange, nullptr), TW_SUCCESS) << tw_error_text();
    tw_halo_exchange_free(exchange);
    EXPECT_EQ(array_, exchanged);
    EXPECT_EQ(on_host, exchanged);
  }
}

}  // namespace
}  // namespace typewarp::test
