// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// The dynamic linker finds no symbol whose value is 0. The symbols of a library are read-only, so they are
// made writable meanwhile.
#include "interpose/front/front.hpp"

#include "interpose/front/image.hpp"
#include "interpose/front/library.hpp"
#include "interpose/front/trampolines.hpp"

#include <algorithm>
#include <optional>

namespace typewarp::interpose {
namespace {

constinit Seen shown = [] {
  Seen all{};
  all.fill(true);
  return all;
}();

/// What becomes of each call.
class Change {
 public:
  Change(const Seen& seen, const std::array<void*, calls>& next) noexcept {
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (seen[i] == shown[i]) continue;
      from_[i] = seen[i] ? next[i] : typewarp_trampolines[i];
      to_[i] = seen[i] ? typewarp_trampolines[i] : nullptr;
      lowest_ = std::min(lowest_, reinterpret_cast<Address>(from_[i]));
      highest_ = std::max(highest_, reinterpret_cast<Address>(from_[i]));
    }
  }
  bool any() const noexcept { return highest_ != 0; }

  void apply(ElfW(Sym) & symbol, const char* name, Address base) const noexcept {
    const std::size_t i = number_of(name);
    if (i == none || from_[i] == nullptr) return;
    const Address value = to_[i] == nullptr ? 0 : reinterpret_cast<Address>(to_[i]) - base;
    __atomic_store_n(&symbol.st_value, value, __ATOMIC_RELEASE);
  }

  /// What a slot is to hold, where that changes.
  std::optional<void*> wanted(const Slot& slot, const Image& image) const noexcept {
    void* const held = *slot.word;
    const auto address = reinterpret_cast<Address>(held);
    const bool is_weak = ELF64_ST_BIND(slot.symbol->st_info) == STB_WEAK;
    const bool is_held = address >= lowest_ && address <= highest_;
    const bool is_empty = is_weak && held == nullptr;
    const bool is_needed = !is_weak && slot.is_of_calls;
    if (!is_held && !is_empty && !is_needed) return std::nullopt;
    const std::size_t i = number_of(image.name_of(*slot.symbol));
    if (i == none || from_[i] == nullptr) return std::nullopt;
    if (to_[i] != nullptr) return is_empty || held == from_[i] ? std::optional(to_[i]) : std::nullopt;
    // What a program needs leads to us: the call returns an error.
    if (is_needed && held != from_[i]) return from_[i];
    return is_weak && held == from_[i] ? std::optional<void*>(nullptr) : std::nullopt;
  }

 private:
  std::array<void*, calls> from_{};  ///< null where nothing changes
  std::array<void*, calls> to_{};
  Address lowest_ = ~Address{0};
  Address highest_ = 0;
};

bool is_own(const dl_phdr_info& info) noexcept {
  const auto own = reinterpret_cast<Address>(&shown);
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    const Address begin = info.dlpi_addr + part.p_vaddr;
    if (part.p_type == PT_LOAD && own >= begin && own - begin < part.p_memsz) return true;
  }
  return false;
}

/// Returns 1 if it has changed the symbols of this library.
int change_symbols(dl_phdr_info* info, std::size_t, void* change) noexcept {
  if (!is_own(*info)) return 0;
  const Image image = image_of(*info);
  const Writable writable = writable_symbols(*info, image);
  if (!writable.good()) return 0;
  for (std::size_t i = 0; i < image.n_symbols; ++i) {
    ElfW(Sym)& symbol = image.symbols[i];
    static_cast<const Change*>(change)->apply(symbol, image.name_of(symbol), image.base);
  }
  return 1;
}

int change_slots(dl_phdr_info* info, std::size_t, void* data) noexcept {
  const Change& change = *static_cast<const Change*>(data);
  const Image image = image_of(*info);
  int changes = 0;
  if (is_own(*info)) return 0;
  for_each_slot(image, [&](const Slot& slot) { changes += change.wanted(slot, image) ? 1 : 0; });
  if (changes == 0) return 0;
  const Writable writable = writable_slots(*info);
  if (!writable.good()) return 0;
  for_each_slot(image, [&](const Slot& slot) {
    if (const auto value = change.wanted(slot, image)) __atomic_store_n(slot.word, *value, __ATOMIC_RELEASE);
  });
  return 0;
}

}  // namespace

void show(const Seen& seen, const std::array<void*, calls>& next) noexcept {
  Change change(seen, next);
  if (!change.any()) return;
  if (dl_iterate_phdr(change_symbols, &change) == 0) {
    report("programs find calls that this MPI lacks: mprotect failed");
    return;
  }
  dl_iterate_phdr(change_slots, &change);
  shown = seen;
}

}  // namespace typewarp::interpose
