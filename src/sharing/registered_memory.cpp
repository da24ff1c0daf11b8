// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/registered_memory.hpp>

#include "engine/arguments.hpp"
#include "engine/runtime/device.hpp"
#include "engine/runtime/memory.hpp"
#include "engine/runtime/stream.hpp"
#include "sharing/handle.hpp"
#include "sharing/shared_page.hpp"

#include <typewarp/error.hpp>

#include <limits>
#include <mutex>
#include <string>
#include <thread>
#include <utility>

namespace typewarp {
namespace {

constexpr std::string_view constructor = "typewarp::RegisteredMemory";
constexpr std::string_view waiting = "typewarp::RegisteredMemory::wait";

sharing::RangeHandle shared(const MemoryRange& range, std::size_t i) {
  const std::string name = "ranges[" + std::to_string(i) + "]";
  if (range.bytes < 0)
    throw InvalidArgument(constructor, name + ".bytes", range.bytes, "must not be negative");
  std::string reason;
  const auto memory = gpu::export_memory(range.address, range.bytes, &reason);
  if (!memory) {
    throw InvalidArgument(constructor, name + ".address", reinterpret_cast<std::intptr_t>(range.address),
                          "cannot be shared: " + reason);
  }
  return {*memory, range.bytes};
}

std::vector<sharing::RangeHandle> checked(std::span<const MemoryRange> ranges,
                                          const RegistrationOptions& options) {
  const auto count = static_cast<long long>(ranges.size());
  constexpr int most_ranges = RegisteredMemory::most_ranges, most_signals = RegisteredMemory::most_signals;
  if (count > most_ranges) {
    throw InvalidArgument(constructor, "ranges", count, "must be at most " + std::to_string(most_ranges));
  }
  if (options.signals < 0 || options.signals > most_signals) {
    throw InvalidArgument(constructor, "options.signals", options.signals,
                          "must be at least 0 and at most " + std::to_string(most_signals));
  }
  engine::check_time_limit(constructor, options.time_limit);
  std::vector<sharing::RangeHandle> all;
  for (std::size_t i = 0; i < ranges.size(); ++i) all.push_back(shared(ranges[i], i));
  return all;
}

}  // namespace

struct RegisteredMemory::State {
  std::chrono::milliseconds time_limit;
  sharing::SharedPage page;
  std::vector<std::byte> handle;
  sharing::TurnCounter counter;
  int home;  ///< whose default streams are meant
  std::mutex waiting_for_peers;
  bool has_ended = false;  ///< peers could store the word of the page that says so

  /// `first`: an address of that device.
  State(std::vector<sharing::RangeHandle> exported, const void* first, const RegistrationOptions& options)
      : time_limit(options.time_limit),
        page(options.signals),
        handle(sharing::to_handle({page.place(), page.signals(), std::move(exported)})),
        home(first == nullptr ? gpu::current_device() : gpu::pointer_info(first).device) {
    gpu::require_stream_operations();
  }

  /// Where peers may write on, the system keeps what their streams use until the process ends.
  ~State() {
    if (!page.is_own()) {
      page.abandon();
      return;
    }
    try {
      end();
    } catch (const std::exception&) {
      release_streams();
      page.abandon();
    }
  }

  void check_open() const {
    page.check_own();
    if (has_ended) throw Error("typewarp::RegisteredMemory: has been ended");
  }

  /// Where a signal is, and the value that is meant.
  std::pair<std::uint64_t&, std::uint64_t> awaited(std::string_view call, int signal,
                                                   std::int64_t value) const {
    std::uint64_t& word = page.signal(call, "signal", signal);
    if (value < 0) throw InvalidArgument(call, "value", value, "must not be negative");
    check_open();
    return {word, static_cast<std::uint64_t>(value)};
  }

  void wait(int signal, std::int64_t value, Stream stream) {
    const auto [word, least] = awaited(waiting, signal, value);
    sharing::refuse_captured(waiting, stream);
    const int named = gpu::stream_device(stream);
    const int device = named < 0 ? home : named;
    if (!counter.begin(page->own, device, time_limit)) late("32 streams still wait");
    std::uint64_t& done = counter.done_word(page->own);
    try {
      gpu::StreamOperations operations(stream, device);
      operations.await(page.on(device, word), least);
      operations.store(page.on(device, done), counter.number());
      operations.flush();
    } catch (...) {
      sharing::store(done, counter.number());
      throw;
    }
  }

  void wait_here(int signal, std::int64_t value) const {
    const auto [word, least] = awaited(waiting, signal, value);
    for (sharing::Rest rest(time_limit); sharing::load(word) < least;) {
      if (!rest.take()) {
        late("signal " + std::to_string(signal) + " is still " + std::to_string(sharing::load(word)));
      }
    }
  }

  [[noreturn]] void late(const std::string& what) const {
    throw TimeLimitExceeded(
        "typewarp::RegisteredMemory: " + what + " after " + std::to_string(time_limit.count()) + " ms", -1);
  }

  void wait_for_peers() {
    page.check_own();
    const std::lock_guard lock(waiting_for_peers);
    sharing::Rest rest(time_limit);
    const FilePlace here = page.place();
    for (const sharing::PageContent::PeerSlot& slot : page->slots) {
      const std::uint64_t holder = sharing::load(slot.holder);
      for (std::size_t turn = 0; turn < sharing::TurnWords::words; ++turn) {
        const std::uint64_t number = sharing::load(slot.turns.begun[turn]);
        const auto is_the_same = [&] {
          return sharing::load(slot.holder) == holder && sharing::load(slot.turns.begun[turn]) == number;
        };
        while (slot.turns.is_under_way(turn) && is_the_same() && sharing::is_held(slot, here))
          if (!rest.take()) late("a peer still uses the memory");
      }
    }
    sharing::free_slots_of_the_dead(*page, here);
  }

  void end() {
    page.check_own();
    has_ended = true;
    sharing::store(page->ended, 1);
    wait_for_peers();
    release_streams();
    if (!counter.settle(page->own, time_limit)) late("a stream of this process has not come to its wait");
  }

  void release_streams() noexcept {
    constexpr auto highest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    for (int i = 0; i < page.signals(); ++i) sharing::store(page->signals()[i], highest);
  }
};

RegisteredMemory::RegisteredMemory(std::span<const MemoryRange> ranges, const RegistrationOptions& options)
    : state_(std::make_unique<State>(checked(ranges, options),
                                     ranges.empty() ? nullptr : ranges.front().address, options)) {}
RegisteredMemory::RegisteredMemory(RegisteredMemory&&) noexcept = default;
RegisteredMemory& RegisteredMemory::operator=(RegisteredMemory&&) noexcept = default;
RegisteredMemory::~RegisteredMemory() = default;

std::span<const std::byte> RegisteredMemory::handle() const noexcept { return state_->handle; }

std::int64_t RegisteredMemory::signal(int signal) const {
  return static_cast<std::int64_t>(
      sharing::load(state_->page.signal("typewarp::RegisteredMemory::signal", "signal", signal)));
}

void RegisteredMemory::raise(int signal, std::int64_t value) {
  const auto [word, number] = state_->awaited("typewarp::RegisteredMemory::raise", signal, value);
  sharing::store(word, number);
}

void RegisteredMemory::wait_for_peers() { state_->wait_for_peers(); }

void RegisteredMemory::wait(int signal, std::int64_t value, Stream stream) {
  state_->wait(signal, value, stream);
}

void RegisteredMemory::wait(int signal, std::int64_t value) { state_->wait_here(signal, value); }

void RegisteredMemory::end() { state_->end(); }

}  // namespace typewarp
