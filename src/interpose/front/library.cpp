// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/front/library.hpp"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include <array>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace typewarp::interpose {
namespace {

using Path = std::array<char, PATH_MAX>;

/// <stem>.so, or one of a family
/// <stem>_x.so.
struct KnownLibrary {
  const char* stem;
  bool family;
};
constexpr std::array known_libraries{KnownLibrary{"libmpi", false},     KnownLibrary{"libmpi_abi", false},
                                     KnownLibrary{"libmpich", false},   KnownLibrary{"libmpich", true},
                                     KnownLibrary{"libmpi_ibm", false}, KnownLibrary{"libmpi_cray", true},
                                     KnownLibrary{"libmpi_gnu", true},  KnownLibrary{"libmpi_intel", true},
                                     KnownLibrary{"libmpi_amd", true},  KnownLibrary{"libmpi_nvidia", true}};

const char* base_name(const char* path) noexcept {
  const char* slash = std::strrchr(path, '/');
  return slash == nullptr ? path : slash + 1;
}

int keep_first(dl_phdr_info* info, std::size_t, void* found) noexcept {
  Path& path = *static_cast<Path*>(found);
  if (!is_library_of_mpi(info->dlpi_name) || std::strlen(info->dlpi_name) >= path.size()) return 0;
  std::strcpy(path.data(), info->dlpi_name);
  return 1;
}

bool says(const MpiLibrary& library, const char* word) noexcept {
  static std::array<char, 8192> text{};  // MPICH's MPI_MAX_LIBRARY_VERSION_STRING, the longest of all
  auto* version = library.function<int(char*, int*)>("PMPI_Get_library_version");
  int length = 0;
  return version != nullptr && version(text.data(), &length) == 0 &&
         std::strstr(text.data(), word) != nullptr;
}

Abi abi_of(const MpiLibrary& library, const char* path) noexcept {
  // By name first: a library of the standard ABI may be a layer above its MPI's own, whose symbols are then
  // found too.
  if (std::strncmp(base_name(path), "libmpi_abi.", 11) == 0) return Abi::standard;
  if (library.address("ompi_mpi_comm_world") != nullptr) return Abi::openmpi;
  for (const char* word : {"MPICH", "Intel(R) MPI", "MVAPICH"}) {
    if (says(library, word)) return Abi::mpich;
  }
  return library.address("MPI_Abi_get_version") != nullptr ? Abi::standard : Abi::none;
}

}  // namespace

bool is_library_of_mpi(const char* path) noexcept {
  const char* base = base_name(path);
  for (const KnownLibrary& known : known_libraries) {
    const std::size_t length = std::strlen(known.stem);
    if (std::strncmp(base, known.stem, length) != 0) continue;
    const char* rest = base + length;
    if (std::strncmp(rest, ".so", 3) == 0) return true;
    if (known.family && *rest == '_' && std::strstr(rest, ".so") != nullptr) return true;
  }
  return false;
}

bool is_fortran_library_of_mpi(const char* path) noexcept {
  const char* base = base_name(path);
  if (std::strncmp(base, "libmpi", 6) != 0) return false;
  for (const char* word : {"mpifh", "usempi", "fort", "f90"}) {
    if (std::strstr(base, word) != nullptr) return true;
  }
  return false;
}

const char* name(Abi abi) noexcept {
  switch (abi) {
    case Abi::openmpi:
      return "openmpi";
    case Abi::mpich:
      return "mpich";
    case Abi::standard:
      return "abi";
    case Abi::none:
      break;
  }
  return "none";
}

void* MpiLibrary::address(const char* symbol) const noexcept {
  return handle == nullptr ? nullptr : dlsym(handle, symbol);
}

MpiLibrary find_library() noexcept {
  static Path path{};
  MpiLibrary library;
  if (dl_iterate_phdr(keep_first, &path) == 0) return library;
  library.handle = dlopen(path.data(), RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
  if (library.handle == nullptr) {
    report("%s: %s", path.data(), dlerror());
    return library;
  }
  library.abi = abi_of(library, path.data());
  report("MPI library %s, ABI %s", path.data(), name(library.abi));
  return library;
}

int unsupported_operation(Abi abi) noexcept {
  switch (abi) {
    case Abi::openmpi:
      return 52;
    case Abi::mpich:
      return 44;
    case Abi::standard:
      return 55;
    case Abi::none:
      break;
  }
  return 16;  // MPI_ERR_OTHER of most
}

bool is_set(const char* name) noexcept {
  const char* value = std::getenv(name);
  return value != nullptr && std::strcmp(value, "1") == 0;
}

namespace {

/// One call, so that lines of ranks that share a terminal stay whole.
[[gnu::format(printf, 1, 0)]] void print(const char* format, std::va_list arguments) noexcept {
  std::array<char, 2048> line;
  const int prefix = std::snprintf(line.data(), line.size(), "typewarp[%d]: ", static_cast<int>(getpid()));
  std::vsnprintf(line.data() + prefix, line.size() - static_cast<std::size_t>(prefix), format, arguments);
  std::fprintf(stderr, "%s\n", line.data());
}

}  // namespace

void report(const char* format, ...) noexcept {
  if (!is_set("TYPEWARP_VERBOSE")) return;
  std::va_list arguments;
  va_start(arguments, format);
  print(format, arguments);
  va_end(arguments);
}

void warn(const char* format, ...) noexcept {
  std::va_list arguments;
  va_start(arguments, format);
  print(format, arguments);
  va_end(arguments);
}

}  // namespace typewarp::interpose
