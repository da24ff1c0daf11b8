// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/registered_memory.hpp>

#include "engine/runtime/device.hpp"
#include "engine/runtime/inventory.hpp"
#include "engine/runtime/share.hpp"
#include "engine/runtime/stream.hpp"
#include "sharing/handle.hpp"
#include "sharing/shared_page.hpp"

#include <typewarp/error.hpp>

#include <chrono>
#include <optional>
#include <string>

namespace typewarp {
namespace {

constexpr std::string_view constructor = "typewarp::RemoteMemory";
using Clock = std::chrono::steady_clock;
/// begin() looks for the owner at most so often: a look takes 3 us.
constexpr std::chrono::milliseconds time_between_looks{1};

constexpr std::string_view finishing = "typewarp::RemoteMemory::finish";

int checked_device(int device) {
  if (!gpu::present()) throw Error("typewarp::RemoteMemory: there is no GPU");
  return gpu::device_of_argument(constructor, "device", device);
}

/// A slot of a page, given back on destruction.
class HeldSlot {
 public:
  /// Throws Error where there is none.
  HeldSlot(const sharing::SharedPage& page, const FilePlace& owner)
      : slot_(sharing::take_slot(*page, page.place())) {
    if (slot_ != nullptr) return;
    throw Error("typewarp::RemoteMemory: " + std::to_string(RegisteredMemory::most_peers) +
                " peers have the memory of process " + std::to_string(owner.process) + " already");
  }
  HeldSlot& operator=(HeldSlot&&) = delete;
  ~HeldSlot() {
    if (slot_ != nullptr) sharing::store(slot_->holder, 0);
  }

  sharing::TurnWords& turns() const noexcept { return slot_->turns; }
  /// Until the process ends.
  void keep() noexcept { slot_ = nullptr; }

 private:
  sharing::PageContent::PeerSlot* slot_;
};

}  // namespace

struct RemoteMemory::State {
  int device;
  FilePlace owner;
  sharing::SharedPage page;
  HeldSlot slot;
  std::vector<gpu::ImportedMemory> imported;
  std::vector<MemoryRange> ranges;
  sharing::TurnCounter counter;
  bool begun = false;
  bool failed = false;           ///< whether a stream could not be told to say that work is done
  Stream stream;                 ///< of the last begin()
  Clock::time_point seen_alive;  ///< when the owner was

  State(const sharing::Registration& registration, int on)
      : device(checked_device(on)),
        owner(registration.page),
        page(owner, static_cast<int>(registration.signals)),
        slot(page, owner) {
    gpu::require_stream_operations();
    check_owner();
    for (const sharing::RangeHandle& range : registration.ranges) {
      std::string reason;
      auto memory = gpu::import_memory(range.memory, device, &reason);
      if (!memory) {
        throw Error("typewarp::RemoteMemory: range " + std::to_string(ranges.size()) + ": " + reason);
      }
      ranges.push_back({memory->address(), range.bytes});
      imported.push_back(std::move(*memory));
    }
  }
  State& operator=(State&&) = delete;
  /// Where nobody can say when the work is done, the owner waits until this process ends.
  ~State() {
    try {
      if (page.is_own() && begun) finish(stream, {});
      if (page.is_own() && !failed) {
        counter.settle(slot.turns(), std::chrono::milliseconds{0});
        return;
      }
    } catch (const std::exception&) {
      failed = true;
    }
    slot.keep();
    page.abandon();
  }

  void check_ended() const {
    page.check_own();
    if (sharing::load(page->ended) == 0) return;
    throw Error("typewarp::RemoteMemory: its process has ended the registration");
  }
  void check_owner() {
    check_ended();
    if (!is_open_at(owner)) {
      throw Error("typewarp::RemoteMemory: process " + std::to_string(owner.process) +
                  ", which registered the memory, has ended");
    }
    seen_alive = Clock::now();
  }

  void begin(Stream on) {
    constexpr std::string_view call = "typewarp::RemoteMemory::begin";
    page.check_own();
    if (begun)
      throw Error("typewarp::RemoteMemory::begin: finish() has not been called since the last begin()");
    if (failed) throw Error("typewarp::RemoteMemory::begin: an earlier finish() has failed");
    sharing::refuse_captured(call, on);
    if (const int other = gpu::stream_device(on); other >= 0 && other != device) {
      throw InvalidArgument(call, "stream", "one of device " + std::to_string(other),
                            "must be one of device " + std::to_string(device));
    }
    static_cast<void>(counter.begin(slot.turns(), device, std::chrono::milliseconds{0}));
    try {
      check_ended();  // later than the turn, for which end() looks after it has ended the memory
      if (Clock::now() - seen_alive > time_between_looks) check_owner();
    } catch (...) {
      sharing::store(counter.done_word(slot.turns()), counter.number());
      throw;
    }
    begun = true;
    stream = on;
  }

  void finish(Stream on, const Notice& notice) {
    page.check_own();
    if (!begun) throw Error("typewarp::RemoteMemory::finish: begin() has not been called");
    sharing::refuse_captured(finishing, on);
    std::optional<InvalidArgument> wrong;
    begun = false;
    try {
      gpu::StreamOperations operations(on, device);
      try {
        if (notice.signal >= 0) add(operations, notice);
      } catch (const InvalidArgument& error) {
        wrong = error;
      }
      operations.store(page.on(device, counter.done_word(slot.turns())), counter.number());
      operations.flush();
    } catch (...) {
      failed = true;
      throw;
    }
    if (wrong) throw *wrong;
  }

  void add(gpu::StreamOperations& operations, const Notice& notice) const {
    if (notice.value < 0) {
      throw InvalidArgument(finishing, "notice.value", notice.value, "must not be negative");
    }
    std::uint64_t& word = page.signal(finishing, "notice.signal", notice.signal);
    operations.store(page.on(device, word), static_cast<std::uint64_t>(notice.value));
  }
};

RemoteMemory::RemoteMemory(std::span<const std::byte> handle, int device)
    : state_(std::make_unique<State>(sharing::from_handle(handle), device)) {}
RemoteMemory::RemoteMemory(RemoteMemory&&) noexcept = default;
RemoteMemory& RemoteMemory::operator=(RemoteMemory&&) noexcept = default;
RemoteMemory::~RemoteMemory() = default;

std::span<const MemoryRange> RemoteMemory::ranges() const noexcept { return state_->ranges; }
int RemoteMemory::signals() const noexcept { return state_->page.signals(); }
int RemoteMemory::device() const noexcept { return state_->device; }
std::int64_t RemoteMemory::signal(int signal) const {
  return static_cast<std::int64_t>(
      sharing::load(state_->page.signal("typewarp::RemoteMemory::signal", "signal", signal)));
}
void RemoteMemory::check() const { state_->check_owner(); }
void RemoteMemory::begin(Stream stream) { state_->begin(stream); }
void RemoteMemory::finish(Stream stream, Notice notice) { state_->finish(stream, notice); }

}  // namespace typewarp
