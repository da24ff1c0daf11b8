// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "engine/runtime/memory_kinds.hpp"
#include "support/expect_invalid.hpp"

#include <typewarp/reduce.hpp>

#include <vector>

namespace typewarp::test {
namespace {

/// What the host makes of it, in memory of the same contents.
std::vector<std::byte> reduced_on_host(const std::vector<std::byte>& in, std::vector<std::byte> inout,
                                       std::int64_t count, Named type, Operation operation,
                                       std::int64_t offset) {
  reduce_local(in.data() + offset, inout.data() + offset, count, type, operation, nullptr);
  return inout;
}

// As on the host, for every type, at addresses of every alignment, and without touching what is around.
TEST(CudaReduce, IsAsOnTheHost) {
  TYPEWARP_NEEDS_GPU();
  constexpr std::int64_t count = 1000;
  constexpr std::int64_t bytes = count * 16 + 64;
  const OwnStream stream;
  for (const Source where : {Source::device, Source::pinned}) {
    const auto in = allocate(where, bytes);
    const auto inout = allocate(Source::device, bytes);
    for (int value = 0; value <= static_cast<int>(Named::two_integer); ++value) {
      const auto type = static_cast<Named>(value);
      for (int which = 0; which <= static_cast<int>(Operation::maxloc); ++which) {
        const auto operation = static_cast<Operation>(which);
        if (!reducible(type, operation)) continue;
        SCOPED_TRACE(testing::Message() << name(type) << " " << name(operation));
        for (const std::int64_t offset : {0, 1, 4}) {
          // No floating-point number is a NaN or infinite without the highest bits.
          std::vector<std::byte> from = noise(bytes, static_cast<std::uint32_t>(2 * value));
          std::vector<std::byte> to = noise(bytes, static_cast<std::uint32_t>(2 * value + 1));
          for (auto* const all : {&from, &to}) {
            for (std::byte& byte : *all) byte &= std::byte{0x3f};
          }
          in->write(from);
          inout->write(to);
          reduce_local(in->data() + offset, inout->data() + offset, count, type, operation, stream.get());
          stream.wait();
          EXPECT_EQ(contents(*inout, bytes), reduced_on_host(from, to, count, type, operation, offset));
        }
      }
    }
  }
}

TEST(CudaReduce, NamesPageableMemoryBesideADevices) {
  TYPEWARP_NEEDS_GPU();
  const auto device = allocate(Source::device, 8);
  double number = 1;
  EXPECT_EQ(invalid_argument(
                [&] { reduce_local(&number, device->data(), 1, Named::double_, Operation::sum, nullptr); }),
            "in");
}

}  // namespace
}  // namespace typewarp::test
