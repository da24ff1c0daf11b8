// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "sharing/shared_page.hpp"

#include "engine/runtime/stream.hpp"

#include <typewarp/error.hpp>

#include <sys/mman.h>
#include <unistd.h>

#include <new>
#include <span>
#include <string>
#include <thread>

namespace typewarp::sharing {
namespace {

constexpr int half = 32;
/// The system closes the files of a process that died one after the other, and those of its devices end its
/// kernels.
constexpr std::chrono::milliseconds last_kernels{100};

std::int64_t bytes_of(int signals) noexcept {
  return static_cast<std::int64_t>(sizeof(PageContent)) + 8 * std::int64_t{signals};
}

std::uint64_t holder_at(const FilePlace& place) noexcept {
  return static_cast<std::uint64_t>(place.process) << half | static_cast<std::uint64_t>(place.number);
}

bool is_alive(std::uint64_t holder, FilePlace place) noexcept {
  place.process = static_cast<std::int64_t>(holder >> half);
  place.number = static_cast<std::int64_t>(holder & ((std::uint64_t{1} << half) - 1));
  return holder != 0 && is_open_at(place);
}

/// From who had it to who has the page `here`.
bool take_over(PageContent::PeerSlot& slot, std::uint64_t holder, const FilePlace& here) noexcept {
  return std::atomic_ref(slot.holder).compare_exchange_strong(holder, holder_at(here));
}

/// Numbers of the last holder.
void clear(TurnWords& turns) noexcept {
  for (std::size_t turn = 0; turn < TurnWords::words; ++turn) {
    store(turns.begun[turn], 0);
    store(turns.done[turn], 0);
  }
}

}  // namespace

bool TurnWords::is_under_way(std::size_t turn) const noexcept {
  return load(begun[turn]) != load(done[turn]);
}

void refuse_captured(std::string_view call, Stream stream) {
  if (gpu::capturing(stream)) {
    throw InvalidArgument(call, "stream", "one that is captured", "cannot be captured");
  }
}

bool is_held(const PageContent::PeerSlot& slot, const FilePlace& here) noexcept {
  return is_alive(load(slot.holder), here);
}

PageContent::PeerSlot* take_slot(PageContent& content, const FilePlace& here) noexcept {
  for (const bool takes_any : {false, true}) {
    for (PageContent::PeerSlot& slot : content.slots) {
      const std::uint64_t holder = load(slot.holder);
      if (is_alive(holder, here) || (!takes_any && under_way(slot.turns))) continue;
      if (!take_over(slot, holder, here)) continue;
      if (under_way(slot.turns)) std::this_thread::sleep_for(last_kernels);
      clear(slot.turns);
      return &slot;
    }
  }
  return nullptr;
}

void free_slots_of_the_dead(PageContent& content, const FilePlace& here) noexcept {
  std::array<PageContent::PeerSlot*, PageContent::peers> taken;
  std::size_t count = 0;
  for (PageContent::PeerSlot& slot : content.slots) {
    const std::uint64_t holder = load(slot.holder);
    if (holder == 0 || is_alive(holder, here) || !under_way(slot.turns)) continue;
    if (take_over(slot, holder, here)) taken[count++] = &slot;
  }
  if (count == 0) return;
  std::this_thread::sleep_for(last_kernels);
  for (PageContent::PeerSlot* const slot : std::span(taken).first(count)) {
    clear(slot->turns);
    store(slot->holder, 0);
  }
}

SharedPage::SharedPage(int signals)
    : file_(make_memory_file(bytes_of(signals))),
      process_(getpid()),
      signals_(signals),
      bytes_(bytes_of(signals)) {
  if (!file_) throw Error("typewarp::RegisteredMemory: the system gives no memory that processes share");
  map(true);
}

SharedPage::SharedPage(const FilePlace& place, int signals)
    : file_(open_memory_file(place, bytes_of(signals))),
      process_(getpid()),
      signals_(signals),
      bytes_(bytes_of(signals)) {
  if (!file_) {
    throw Error(
        "typewarp::RemoteMemory: the process that registered the memory has ended, or is of another host, "
        "user or container");
  }
  map(false);
}

// Who makes the file gives it its pages. They hold no zeros any more when others come.
void SharedPage::map(bool made) {
  if (!is_open_at(place())) throw Error("typewarp: /proc does not show the files of this process");
  const auto bytes = static_cast<std::size_t>(bytes_);
  void* const memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file_.get(), 0);
  if (memory == MAP_FAILED) throw Error("typewarp: the system maps no memory that processes share");
  content_ = static_cast<PageContent*>(memory);
  try {
    if (made && !populate(static_cast<std::byte*>(memory), bytes_)) {
      throw Error("typewarp::RegisteredMemory: the system lacks memory");
    }
    registration_ = std::make_unique<gpu::HostRegistration>(static_cast<std::byte*>(memory), bytes_);
  } catch (...) {
    munmap(memory, bytes);
    throw;
  }
}

SharedPage::~SharedPage() {
  registration_.reset();
  if (content_ != nullptr) munmap(content_, static_cast<std::size_t>(bytes_));
}

bool SharedPage::is_own() const noexcept { return process_ == getpid(); }

void SharedPage::check_own() const {
  if (!is_own())
    throw Error("typewarp: memory that processes share cannot be used by a child that was forked");
}

void SharedPage::abandon() noexcept {
  registration_->abandon();
  content_ = nullptr;
  static_cast<void>(new (std::nothrow) FileDescriptor(std::move(file_)));
}

std::uint64_t* SharedPage::on(int device, const std::uint64_t& word) const {
  const auto offset =
      reinterpret_cast<const std::byte*>(&word) - reinterpret_cast<const std::byte*>(content_);
  return reinterpret_cast<std::uint64_t*>(registration_->on(device) + offset);
}

std::uint64_t& SharedPage::signal(std::string_view call, std::string_view argument, int signal) const {
  if (signal < 0 || signal >= signals_) {
    throw InvalidArgument(
        call, argument, signal,
        "must be at least 0 and less than " + std::to_string(signals_) + ", the signals there are");
  }
  return content_->signals()[signal];
}

bool TurnCounter::begin(TurnWords& turns, int device, std::chrono::milliseconds limit) {
  const std::uint64_t turn = (number_ + 1) % TurnWords::words;
  for (Rest rest(limit); turns.is_under_way(turn);) {
    gpu::check_alive(devices_[turn]);
    if (!rest.take()) return false;
  }
  devices_[turn] = device;
  store(turns.begun[turn], ++number_);
  return true;
}

bool TurnCounter::settle(const TurnWords& turns, std::chrono::milliseconds limit) const {
  for (Rest rest(limit); under_way(turns);) {
    for (std::size_t turn = 0; turn < TurnWords::words; ++turn) {
      if (turns.is_under_way(turn)) gpu::check_alive(devices_[turn]);
    }
    if (!rest.take()) return false;
  }
  return true;
}

bool under_way(const TurnWords& turns) noexcept {
  for (std::size_t turn = 0; turn < TurnWords::words; ++turn) {
    if (turns.is_under_way(turn)) return true;
  }
  return false;
}

bool Rest::take() noexcept {
  constexpr std::chrono::microseconds soon{50};
  const auto passed = Clock::now() - start_;
  if (limit_.count() > 0 && std::chrono::floor<std::chrono::milliseconds>(passed) >= limit_) return false;
  if (passed < soon) {
    std::this_thread::yield();
  } else {
    std::this_thread::sleep_for(soon);
  }
  return true;
}

}  // namespace typewarp::sharing
