// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <link.h>

#include <cstddef>
#include <cstdint>

/// Programs and libraries as the dynamic linker has loaded them.
namespace typewarp::interpose {

using Address = ElfW(Addr);

/// The n relocations of a list.
struct Relocations {
  const ElfW(Rela) * first = nullptr;
  std::size_t n = 0;
};

/// One of them, as its dynamic section describes it.
struct Image {
  Address base = 0;
  ElfW(Sym) * symbols = nullptr;  ///< read-only memory
  std::size_t n_symbols = 0;      ///< 0 where it has no DT_HASH
  const char* strings = nullptr;
  Relocations of_calls{}, of_data{};

  const char* name_of(const ElfW(Sym) & symbol) const noexcept { return strings + symbol.st_name; }
};
/// Without symbols or strings for what has no dynamic section.
Image image_of(const dl_phdr_info& info) noexcept;

/// A word that the dynamic linker fills with the address of a symbol.
struct Slot {
  void** word;
  const ElfW(Sym) * symbol;
  bool is_of_calls;  ///< may be filled by the first call only
};

/// Calls `act(slot)` for each slot of an image that holds the plain address of a symbol.
template <class Act>
void for_each_slot(const Image& image, Act act) noexcept;

/// Makes memory writable as long as this lives.
class Writable {
 public:
  /// The whole pages of [begin, end), or all that have a part of it; `before` is their protection.
  enum class Pages { whole, touched };
  Writable(Address begin, Address end, Pages pages, int before) noexcept;
  ~Writable();
  Writable& operator=(Writable&&) = delete;
  bool good() const noexcept { return good_; }

 private:
  void* begin_ = nullptr;
  std::size_t length_ = 0;
  int before_;
  bool good_ = true;
};
/// The slots of an image that the dynamic linker has made read-only.
Writable writable_slots(const dl_phdr_info& info) noexcept;
/// Its symbols.
Writable writable_symbols(const dl_phdr_info& info, const Image& image) noexcept;

#if defined(__x86_64__)
inline constexpr std::uint32_t slot_kinds[]{R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT, R_X86_64_64};
#elif defined(__aarch64__)
inline constexpr std::uint32_t slot_kinds[]{R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT, R_AARCH64_ABS64};
#else
#error "no relocations for this architecture"
#endif

template <class Act>
void for_each_slot(const Image& image, Act act) noexcept {
  if (image.symbols == nullptr || image.strings == nullptr) return;
  for (const Relocations& list : {image.of_calls, image.of_data}) {
    for (std::size_t i = 0; i < list.n; ++i) {
      const ElfW(Rela)& relocation = list.first[i];
      const auto kind = static_cast<std::uint32_t>(ELF64_R_TYPE(relocation.r_info));
      const bool is_slot = kind == slot_kinds[0] || kind == slot_kinds[1] || kind == slot_kinds[2];
      if (!is_slot || relocation.r_addend != 0) continue;
      act(Slot{reinterpret_cast<void**>(image.base + relocation.r_offset),
               &image.symbols[ELF64_R_SYM(relocation.r_info)], kind == slot_kinds[0]});
    }
  }
}

}  // namespace typewarp::interpose
