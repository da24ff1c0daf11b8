// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// An MPI's Fortran calls translate handles, constants, indices and array sections, and then make a C call.
// That call is the one to take. Where it is a PMPI call, no exported name can stand before it, but the slot
// that the dynamic linker fills with its address can be changed.
#include "interpose/front/fortran.hpp"

#include "interpose/calls.hpp"
#include "interpose/front/library.hpp"
#include "interpose/front/report.hpp"

#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

extern "C" {
/// The address of each call that we export (trampoline.S).
[[gnu::visibility("hidden")]] extern void* const typewarp_trampolines[];
}

namespace typewarp::interpose {
namespace {

using Address = ElfW(Addr);

#if defined(__x86_64__)
constexpr std::array<std::uint32_t, 2> slot_kinds{R_X86_64_JUMP_SLOT, R_X86_64_GLOB_DAT};
#elif defined(__aarch64__)
constexpr std::array<std::uint32_t, 2> slot_kinds{R_AARCH64_JUMP_SLOT, R_AARCH64_GLOB_DAT};
#else
#error "no relocations for this architecture"
#endif

/// The n relocations of a list.
struct Relocations {
  const ElfW(Rela) * first = nullptr;
  std::size_t n = 0;
};

/// A loaded library, as its dynamic section describes it.
struct Image {
  Address base;
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  Relocations of_calls{}, of_data{};
};

const ElfW(Phdr) * header(const dl_phdr_info& info, std::uint32_t type) noexcept {
  for (int i = 0; i < info.dlpi_phnum; ++i) {
    if (info.dlpi_phdr[i].p_type == type) return &info.dlpi_phdr[i];
  }
  return nullptr;
}

/// glibc adds the base to addresses of a dynamic section as it loads it, other C libraries do not.
template <class T>
void point(T*& pointer, Address base, Address value) noexcept {
  pointer = reinterpret_cast<T*>(value < base ? base + value : value);
}

Image image_of(const dl_phdr_info& info) noexcept {
  Image image{.base = info.dlpi_addr};
  const ElfW(Phdr)* dynamic = header(info, PT_DYNAMIC);
  if (dynamic == nullptr) return image;
  for (auto* entry = reinterpret_cast<const ElfW(Dyn)*>(image.base + dynamic->p_vaddr);
       entry->d_tag != DT_NULL; ++entry) {
    const Address value = entry->d_un.d_ptr;
    if (entry->d_tag == DT_SYMTAB) point(image.symbols, image.base, value);
    if (entry->d_tag == DT_STRTAB) point(image.strings, image.base, value);
    if (entry->d_tag == DT_JMPREL) point(image.of_calls.first, image.base, value);
    if (entry->d_tag == DT_PLTRELSZ) image.of_calls.n = value / sizeof(ElfW(Rela));
    if (entry->d_tag == DT_RELA) point(image.of_data.first, image.base, value);
    if (entry->d_tag == DT_RELASZ) image.of_data.n = value / sizeof(ElfW(Rela));
  }
  return image;
}

/// Slots that the dynamic linker has made read-only are writable as long as this lives.
class Writable {
 public:
  explicit Writable(const dl_phdr_info& info) noexcept {
    const ElfW(Phdr)* relro = header(info, PT_GNU_RELRO);
    if (relro == nullptr) return;
    const auto page = static_cast<Address>(sysconf(_SC_PAGESIZE));
    const Address begin = (info.dlpi_addr + relro->p_vaddr) & ~(page - 1);
    const Address end = (info.dlpi_addr + relro->p_vaddr + relro->p_memsz) & ~(page - 1);
    begin_ = reinterpret_cast<void*>(begin);
    length_ = end - begin;
    good_ = length_ == 0 || mprotect(begin_, length_, PROT_READ | PROT_WRITE) == 0;
  }
  ~Writable() {
    if (length_ != 0) mprotect(begin_, length_, PROT_READ);
  }
  Writable(const Writable&) = delete;
  Writable& operator=(const Writable&) = delete;
  bool good() const noexcept { return good_; }

 private:
  void* begin_ = nullptr;
  std::size_t length_ = 0;
  bool good_ = true;
};

/// Ours of that name, or null.
void* exported(const char* name) noexcept {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::strcmp(name, names[i]) == 0) return typewarp_trampolines[i];
  }
  return nullptr;
}

/// Open MPI 5's Fortran calls write into the request that these give back, as one of Open MPI's own
/// nonblocking collectives: behind the end of any other, such as ours.
constexpr std::array writes_into_request{"MPI_Ialltoallw",
                                         "MPI_Ineighbor_alltoallw",
                                         "MPI_Allgatherv_init",
                                         "MPI_Alltoallv_init",
                                         "MPI_Alltoallw_init",
                                         "MPI_Gatherv_init",
                                         "MPI_Scatterv_init",
                                         "MPI_Reduce_scatter_init",
                                         "MPI_Neighbor_allgatherv_init",
                                         "MPI_Neighbor_alltoallv_init",
                                         "MPI_Neighbor_alltoallw_init"};

/// With their variants for large counts.
bool stays_the_mpis(const char* name) noexcept {
  return std::ranges::any_of(writes_into_request, [name](const char* known) {
    const std::size_t length = std::strlen(known);
    return std::strncmp(name, known, length) == 0 &&
           (name[length] == 0 || std::strcmp(name + length, "_c") == 0);
  });
}

/// How many slots of a list now lead to calls of ours.
int lead(const Image& image, const Relocations& relocations) noexcept {
  int led = 0;
  for (std::size_t i = 0; i < relocations.n; ++i) {
    const ElfW(Rela)& slot = relocations.first[i];
    const std::uint32_t kind = ELF64_R_TYPE(slot.r_info);
    if (kind != slot_kinds[0] && kind != slot_kinds[1]) continue;
    const char* symbol = image.strings + image.symbols[ELF64_R_SYM(slot.r_info)].st_name;
    if (std::strncmp(symbol, "PMPI_", 5) != 0 || stays_the_mpis(symbol + 1)) continue;
    void* const ours = exported(symbol + 1);
    if (ours == nullptr) continue;
    __atomic_store_n(reinterpret_cast<void**>(image.base + slot.r_offset), ours, __ATOMIC_RELEASE);
    ++led;
  }
  return led;
}

int adopt(dl_phdr_info* info, std::size_t, void*) noexcept {
  if (!is_fortran_library_of_mpi(info->dlpi_name)) return 0;
  if (is_set("TYPEWARP_DISABLE")) {
    report("Fortran library %s: all its calls go to the MPI: TYPEWARP_DISABLE=1", info->dlpi_name);
    return 0;
  }
  const Image image = image_of(*info);
  if (image.symbols == nullptr || image.strings == nullptr) return 0;
  const Writable writable(*info);
  if (writable.good()) {
    const int led = lead(image, image.of_calls) + lead(image, image.of_data);
    report("Fortran library %s: %d PMPI calls lead to ours", info->dlpi_name, led);
  } else {
    report("Fortran library %s: its PMPI calls are not seen, as mprotect failed", info->dlpi_name);
  }
  return 0;
}

}  // namespace

void adopt_fortran_libraries() noexcept { dl_iterate_phdr(adopt, nullptr); }

}  // namespace typewarp::interpose

namespace {

/// A Fortran program makes no call that we export before its MPI makes one for it.
[[gnu::constructor]] void adopt_at_start() { typewarp::interpose::adopt_fortran_libraries(); }

}  // namespace
