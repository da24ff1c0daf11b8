// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/front/image.hpp"

#include <sys/mman.h>
#include <unistd.h>

namespace typewarp::interpose {
namespace {

const ElfW(Phdr) * header(const dl_phdr_info& info, std::uint32_t type) noexcept {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == type) return &info.dlpi_phdr[i];
  }
  return nullptr;
}

/// glibc adds the base to addresses of a dynamic section as it loads it, other C libraries do not.
template <class T>
T* pointer(Address base, Address value) noexcept {
  return reinterpret_cast<T*>(value < base ? base + value : value);
}

/// The protection of the segment that holds an address.
int protection(const dl_phdr_info& info, Address address) noexcept {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    const ElfW(Phdr)& part = info.dlpi_phdr[i];
    const Address begin = info.dlpi_addr + part.p_vaddr;
    if (part.p_type != PT_LOAD || address < begin || address >= begin + part.p_memsz) continue;
    return ((part.p_flags & PF_R) != 0 ? PROT_READ : 0) | ((part.p_flags & PF_W) != 0 ? PROT_WRITE : 0) |
           ((part.p_flags & PF_X) != 0 ? PROT_EXEC : 0);
  }
  return PROT_READ;
}

}  // namespace

Image image_of(const dl_phdr_info& info) noexcept {
  Image image{.base = info.dlpi_addr};
  const ElfW(Phdr)* dynamic = header(info, PT_DYNAMIC);
  if (dynamic == nullptr) return image;
  const Address base = image.base;
  for (auto* entry = reinterpret_cast<const ElfW(Dyn)*>(base + dynamic->p_vaddr); entry->d_tag != DT_NULL;
       ++entry) {
    const Address value = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) image.symbols = pointer<ElfW(Sym)>(base, value);
    if (entry->d_tag == DT_STRTAB) image.strings = pointer<const char>(base, value);
    if (entry->d_tag == DT_HASH) image.n_symbols = pointer<const std::uint32_t>(base, value)[1];
    if (entry->d_tag == DT_JMPREL) image.of_calls.first = pointer<const ElfW(Rela)>(base, value);
    if (entry->d_tag == DT_PLTRELSZ) image.of_calls.n = value / sizeof(ElfW(Rela));
    if (entry->d_tag == DT_RELA) image.of_data.first = pointer<const ElfW(Rela)>(base, value);
    if (entry->d_tag == DT_RELASZ) image.of_data.n = value / sizeof(ElfW(Rela));
  }
  return image;
}

Writable::Writable(Address begin, Address end, Pages pages, int before) noexcept : before_(before) {
  const auto page = static_cast<Address>(sysconf(_SC_PAGESIZE));
  const Address first = begin & ~(page - 1);
  const Address last = (pages == Pages::whole ? end : end + page - 1) & ~(page - 1);
  begin_ = reinterpret_cast<void*>(first);
  length_ = last - first;
  good_ = length_ == 0 || mprotect(begin_, length_, before | PROT_WRITE) == 0;
}

Writable::~Writable() {
  if (length_ != 0) mprotect(begin_, length_, before_);
}

// The dynamic linker protects whole pages.
Writable writable_slots(const dl_phdr_info& info) noexcept {
  const ElfW(Phdr)* relro = header(info, PT_GNU_RELRO);
  if (relro == nullptr) return {0, 0, Writable::Pages::whole, PROT_READ};
  const Address begin = info.dlpi_addr + relro->p_vaddr;
  return {begin, begin + relro->p_memsz, Writable::Pages::whole, PROT_READ};
}

Writable writable_symbols(const dl_phdr_info& info, const Image& image) noexcept {
  const auto begin = reinterpret_cast<Address>(image.symbols);
  return {begin, begin + image.n_symbols * sizeof(ElfW(Sym)), Writable::Pages::touched,
          protection(info, begin)};
}

}  // namespace typewarp::interpose
