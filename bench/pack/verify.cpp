// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transfer.hpp"

#include "check.hpp"

#include <typewarp/host.hpp>

#include <cstring>

namespace typewarp::bench {
namespace {

constexpr std::int64_t most_verified = std::int64_t{64} << 20;
constexpr int untouched = 0x5a;

const std::vector<std::byte>& noise() {
  static const std::vector<std::byte> bytes = [] {
    std::vector<std::byte> result(most_verified);
    std::uint64_t state = 1;
    for (std::byte& byte : result) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      byte = static_cast<std::byte>(state >> 56U);
    }
    return result;
  }();
  return bytes;
}

void transfer_bytes(std::byte* to, const std::byte* from, std::int64_t bytes, const Queue& queue) {
  check(cudaMemcpyAsync(to, from, static_cast<std::size_t>(bytes), cudaMemcpyDefault, queue.get()),
        "cudaMemcpyAsync");
  queue.wait();
}

/// A copy in host memory of where the items lie, and the way back to the device.
class Mirror {
 public:
  Mirror(Bench& bench, const Placed& placed, std::byte* data)
      : queue_(bench.queue), placed_(placed), data_(data), bytes_(placed.end() - placed.begin()) {}

  void fill_with_noise() const { std::memcpy(data_, noise().data(), static_cast<std::size_t>(bytes_)); }
  void clear() const { std::memset(data_, untouched, static_cast<std::size_t>(bytes_)); }
  void upload() const { transfer_bytes(placed_.buffer + placed_.begin(), data_, bytes_, queue_); }
  void download_to(std::byte* actual) const {
    transfer_bytes(actual, placed_.buffer + placed_.begin(), bytes_, queue_);
  }
  bool equals(const std::byte* actual) const {
    return std::memcmp(data_, actual, static_cast<std::size_t>(bytes_)) == 0;
  }
  /// What displacements are relative to in the copy.
  std::byte* buffer() const {
    return reinterpret_cast<std::byte*>(reinterpret_cast<std::intptr_t>(data_) - placed_.begin());
  }

 private:
  const Queue& queue_;
  const Placed& placed_;
  std::byte* data_;
  std::int64_t bytes_;
};

/// One way to do the work, by name.
struct Mover {
  std::string name;
  std::function<void(Direction, cudaStream_t)> run;
};

std::vector<Mover> movers(const Transfer& transfer) {
  std::vector<Mover> result{
      {"typewarp", [&](Direction direction, cudaStream_t stream) { transfer.run(direction, stream); }}};
  if (transfer.problem.hand) {
    result.push_back({"the hand-coded kernel", [&](Direction direction, cudaStream_t stream) {
                        transfer.problem.hand(direction, transfer.placed.buffer, transfer.packed, stream);
                        check(cudaGetLastError(), "hand-coded kernel");
                      }});
  }
  return result;
}

}  // namespace

bool verify(Bench& bench, const Transfer& transfer) {
  const Placed& placed = transfer.placed;
  if (placed.end() - placed.begin() > most_verified || placed.bytes() > most_verified) return false;
  const Mirror mirror(bench, placed, bench.pool.mirror.reserve(most_verified));
  std::byte* const actual = bench.pool.actual.reserve(most_verified);
  std::vector<std::byte> expected(static_cast<std::size_t>(placed.bytes()));
  const ByteRange all{0, placed.bytes()};
  const std::vector<std::byte> wrong(expected.size(), static_cast<std::byte>(untouched));

  mirror.fill_with_noise();
  mirror.upload();
  host::pack(mirror.buffer(), placed.count, placed.plan, expected.data(), all);
  for (const Mover& mover : movers(transfer)) {
    transfer_bytes(transfer.packed, wrong.data(), placed.bytes(), bench.queue);
    mover.run(Direction::pack, bench.queue.get());
    transfer_bytes(actual, transfer.packed, placed.bytes(), bench.queue);
    if (std::memcmp(actual, expected.data(), expected.size()) != 0) {
      throw Error(mover.name + " packs wrong bytes");
    }
  }
  for (const Mover& mover : movers(transfer)) {
    mirror.clear();
    mirror.upload();
    transfer_bytes(transfer.packed, expected.data(), placed.bytes(), bench.queue);
    mover.run(Direction::unpack, bench.queue.get());
    mirror.download_to(actual);
    host::unpack(expected.data(), mirror.buffer(), placed.count, placed.plan, all);
    if (!mirror.equals(actual)) throw Error(mover.name + " unpacks wrong bytes");
  }
  return true;
}

bool verify(Bench& bench, const Placed& source, const Placed& destination) {
  if (source.end() - source.begin() > most_verified) return false;
  if (destination.end() - destination.begin() > most_verified) return false;
  const Mirror from(bench, source, bench.pool.mirror.reserve(most_verified));
  from.fill_with_noise();
  from.upload();
  std::vector<std::byte> expected(static_cast<std::size_t>(destination.end() - destination.begin()));
  const Mirror to(bench, destination, expected.data());
  to.clear();
  to.upload();
  copy(source.buffer, source.count, source.plan, destination.buffer, destination.count, destination.plan,
       bench.queue.get());
  std::byte* const actual = bench.pool.actual.reserve(most_verified);
  to.download_to(actual);
  host::copy(from.buffer(), source.count, source.plan, to.buffer(), destination.count, destination.plan,
             {0, source.bytes()});
  if (!to.equals(actual)) throw Error("typewarp copies wrong bytes");
  return true;
}

}  // namespace typewarp::bench
