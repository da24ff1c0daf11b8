// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "verify.hpp"

#include "check.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/error.hpp>

#include <gtest/gtest.h>

namespace typewarp::bench {
namespace {

constexpr std::int64_t rows = 1000;
constexpr std::int64_t width = 24;
constexpr std::int64_t pitch = 40;
constexpr std::int64_t offset = 24;  // of the rows, so that guard bytes lie on both sides

/// Rows every `pitch` bytes, and their packed bytes; moved by cudaMemcpy2D.
class Verify : public testing::Test {
 protected:
  void SetUp() override {
    if (!gpu_present()) GTEST_SKIP() << "needs a GPU";
    queue.emplace();
    rows_places.emplace(normalise(hvector(rows, 1, pitch, contiguous(width, Named::byte))));
    packed_places.emplace(run_of(rows * width));
    strided = pool.layout.reserve(rows * pitch) + offset;
    packed_on_device = pool.packed.reserve(rows * width);
    packed_pinned = pool.pinned.reserve(rows * width);
  }

  void pack_rows(std::byte* packed, std::int64_t count, cudaStream_t stream) const {
    check(cudaMemcpy2DAsync(packed, width, strided, pitch, width, static_cast<std::size_t>(count),
                            cudaMemcpyDefault, stream),
          "cudaMemcpy2DAsync");
  }
  void unpack_rows(const std::byte* packed, std::int64_t bytes, cudaStream_t stream) const {
    check(cudaMemcpy2DAsync(strided, pitch, packed, width, static_cast<std::size_t>(bytes), rows,
                            cudaMemcpyDefault, stream),
          "cudaMemcpy2DAsync");
  }
  /// Changes one byte, behind the work before.
  void spoil(std::byte* byte, cudaStream_t stream) const {
    unsigned char value = 0;
    check(cudaMemcpyAsync(&value, byte, 1, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    value = static_cast<unsigned char>(value + 1);
    check(cudaMemcpyAsync(byte, &value, 1, cudaMemcpyDefault, stream), "cudaMemcpyAsync");
    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
  }

  /// What verifying one mover says; empty if nothing.
  std::string found(bool packing, bool on_device, const std::function<void(cudaStream_t)>& run) {
    const Side user{*rows_places, strided};
    const Side bytes{*packed_places, on_device ? packed_on_device : packed_pinned, on_device};
    try {
      verify(packing ? user : bytes, packing ? bytes : user, {{"mover", run}}, *queue, pool.staging);
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  }

  std::optional<DevicePlaces> rows_places, packed_places;
  Pool pool;
  std::optional<Queue> queue;
  std::byte* strided = nullptr;
  std::byte* packed_on_device = nullptr;
  std::byte* packed_pinned = nullptr;
};

TEST_F(Verify, RightMovesPass) {
  EXPECT_EQ(found(true, true, [&](cudaStream_t stream) { pack_rows(packed_on_device, rows, stream); }), "");
  EXPECT_EQ(found(true, false, [&](cudaStream_t stream) { pack_rows(packed_pinned, rows, stream); }), "");
  EXPECT_EQ(found(false, true, [&](cudaStream_t stream) { unpack_rows(packed_on_device, width, stream); }),
            "");
  EXPECT_EQ(found(false, false, [&](cudaStream_t stream) { unpack_rows(packed_pinned, width, stream); }), "");
}

TEST_F(Verify, OneWrongByteIsFound) {
  EXPECT_EQ(found(true, true,
                  [&](cudaStream_t stream) {
                    pack_rows(packed_on_device, rows, stream);
                    spoil(packed_on_device + 7 * width + 3, stream);
                  }),
            "mover: moves wrongly 1 bytes");
  EXPECT_EQ(found(false, false,
                  [&](cudaStream_t stream) {
                    unpack_rows(packed_pinned, width, stream);
                    spoil(strided + (rows - 1) * pitch, stream);
                  }),
            "mover: moves wrongly 1 bytes");
}

TEST_F(Verify, WhatIsLeftOutIsFound) {
  for (const bool on_device : {true, false}) {
    std::byte* const packed = on_device ? packed_on_device : packed_pinned;
    EXPECT_NE(found(true, on_device, [&](cudaStream_t stream) { pack_rows(packed, rows - 1, stream); }), "");
    EXPECT_NE(found(false, on_device, [](cudaStream_t) {}), "");
  }
}

TEST_F(Verify, AHoleThatIsWrittenIsFound) {
  EXPECT_EQ(found(false, true,
                  [&](cudaStream_t stream) {
                    unpack_rows(packed_on_device, width, stream);
                    spoil(strided + 5 * pitch + width, stream);
                  }),
            "mover: writes beside the layout 1 bytes");
}

TEST_F(Verify, WhatIsWrittenBeforeOrBehindIsFound) {
  for (const std::int64_t at : {std::int64_t{-1}, rows * pitch - pitch + width}) {
    EXPECT_EQ(found(false, true,
                    [&](cudaStream_t stream) {
                      unpack_rows(packed_on_device, width, stream);
                      spoil(strided + at, stream);
                    }),
              "mover: writes beside the layout 1 bytes");
  }
  static_assert(rows * width % 256 != 0, "a guard behind the packed bytes");
  EXPECT_EQ(found(true, false,
                  [&](cudaStream_t stream) {
                    pack_rows(packed_pinned, rows, stream);
                    check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
                    spoil(packed_pinned + rows * width, stream);
                  }),
            "mover: writes beside the layout 1 bytes");
}

TEST_F(Verify, RefusesSidesThatCannotMatch) {
  const DevicePlaces shorter(run_of(8));
  EXPECT_THROW(verify({*rows_places, strided}, {shorter, packed_on_device}, {}, *queue, pool.staging), Error);
  const Side host{*packed_places, packed_pinned, false};
  EXPECT_THROW(verify(host, host, {}, *queue, pool.staging), Error);
}

}  // namespace
}  // namespace typewarp::bench
