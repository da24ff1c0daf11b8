// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "transport/channel/gpu/gpu_channel.hpp"

#include "mpi/agree.hpp"
#include "transport/mpi/tags.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <memory>
#include <span>
#include <utility>

namespace typewarp::transport {
namespace {

// A short message, one that most libraries send by a rendezvous, and an empty one.
constexpr std::array<std::int64_t, 3> lengths{512, std::int64_t{1} << 20, 0};

std::byte pattern(int rank, std::int64_t place) {
  constexpr std::int64_t period = 251;  // prime, so that blocks that change places show
  return static_cast<std::byte>((place % period) ^ (std::int64_t{17} * rank));
}

/// Memory of the current device, and a copy of it in host memory.
class Mirror {
 public:
  explicit Mirror(std::int64_t bytes)
      : device_(gpu::current_device()), bytes_(bytes), there_(device_, bytes), here_(bytes) {}

  std::byte* data() const noexcept { return there_.data(); }
  std::span<std::byte> bytes() const { return {here_.data(), static_cast<std::size_t>(bytes_)}; }
  void write() { copy(there(), here()); }
  void read() { copy(here(), there()); }

 private:
  gpu::Side there() const { return {nullptr, bytes_, there_.data(), MemoryKind::device, device_}; }
  gpu::Side here() const { return {nullptr, bytes_, here_.data(), MemoryKind::pinned, -1}; }
  void copy(const gpu::Side& to, const gpu::Side& from) const {
    std::optional<gpu::Event> done;
    follow(device_, gpu::private_stream(device_), done,
           [&](const gpu::LaunchContext& own) { gpu::copy(to, from, {0, bytes_}, own); });
    reached(done, true);
  }

  int device_;
  std::int64_t bytes_;
  gpu::DeviceAllocation there_;
  gpu::PinnedBuffer here_;
};

class RankRing {
 public:
  RankRing(GpuChannel& link, MPI_Comm comm)
      : link_(link), sent_(*std::ranges::max_element(lengths)), received_(std::ssize(sent_.bytes())) {
    MPI_Comm_rank(comm, &rank_);
    MPI_Comm_size(comm, &ranks_);
  }

  /// Sends to the next rank, and receives from the one before. All ranks must call it.
  bool passes(std::int64_t length, std::chrono::milliseconds patience) {
    const int from = (rank_ + ranks_ - 1) % ranks_;
    for (std::int64_t i = 0; i < std::ssize(sent_.bytes()); ++i) {
      sent_.bytes()[static_cast<std::size_t>(i)] = pattern(rank_, i);
      received_.bytes()[static_cast<std::size_t>(i)] = ~pattern(from, i);
    }
    sent_.write();
    received_.write();
    receive_ = link_.start_receive(received_.data(), std::ssize(received_.bytes()), from, Tags::reserved);
    send_ = link_.start_send(sent_.data(), length, (rank_ + 1) % ranks_, Tags::reserved);
    std::int64_t bytes = 0;
    if (!end_within(patience, &bytes)) {
      receive_.cancel();
      end_within(patience, nullptr);
      return false;
    }
    received_.read();
    return bytes == length && arrived(from, length);
  }
  /// Whether a transfer may still use the memory.
  bool busy() const noexcept { return receive_.active() || send_.active(); }

  RankRing* next = nullptr;  ///< of those that were given up

 private:
  bool end_within(std::chrono::milliseconds patience, std::int64_t* received) {
    const auto start = std::chrono::steady_clock::now();
    while (busy()) {
      if (std::chrono::steady_clock::now() - start > patience) return false;
      link_.progress();
      if (receive_.active()) receive_.test(received);
      send_.test();
    }
    return true;
  }

  bool arrived(int from, std::int64_t length) const {
    for (std::int64_t i = 0; i < std::ssize(received_.bytes()); ++i) {
      const std::byte expected = i < length ? pattern(from, i) : ~pattern(from, i);
      if (received_.bytes()[static_cast<std::size_t>(i)] != expected) return false;
    }
    return true;
  }

  GpuChannel& link_;
  int rank_ = 0;
  int ranks_ = 1;
  Mirror sent_;
  Mirror received_;
  Transfer receive_;
  Transfer send_;
};

// Its transfers may use the memory at any time. It stays in a list, so that leak checkers find it.
void give_up(std::unique_ptr<RankRing> ring) noexcept {
  static constinit std::atomic<RankRing*> last = nullptr;
  ring->next = last.load();
  last = ring.release();
}

}  // namespace

bool proves_itself(GpuChannel& link, MPI_Comm comm, std::chrono::milliseconds patience) {
  std::unique_ptr<RankRing> ring;
  try {
    ring = std::make_unique<RankRing>(link, comm);
  } catch (const std::exception&) {
    ring.reset();
  }
  if (!mpi::in_all(comm, ring != nullptr)) return false;
  for (const std::int64_t length : lengths) {
    bool fine = false;
    try {
      fine = ring->passes(length, patience);
    } catch (const std::exception&) {
      fine = false;
    }
    if (ring->busy()) give_up(std::move(ring));
    if (!mpi::in_all(comm, fine)) return false;
  }
  return true;
}

}  // namespace typewarp::transport
