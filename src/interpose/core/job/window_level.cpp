// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/job/job.hpp"

#include <link.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace typewarp::interpose {
namespace {

#ifdef OPEN_MPI
/// The symbols of a loaded file that others define come first.
struct Symbols {
  const ElfW(Sym) * table = nullptr;
  const char* strings = nullptr;
  std::size_t foreign = 0;
};

Symbols symbols_of(const dl_phdr_info& info) noexcept {
  Symbols symbols;
  const auto* const end = info.dlpi_phdr + info.dlpi_phnum;
  const auto* const dynamic =
      std::find_if(info.dlpi_phdr, end, [](const ElfW(Phdr) & part) { return part.p_type == PT_DYNAMIC; });
  if (dynamic == end) return symbols;
  for (auto* entry = reinterpret_cast<const ElfW(Dyn)*>(info.dlpi_addr + dynamic->p_vaddr);
       entry->d_tag != DT_NULL; ++entry) {
    // Some C libraries add the base to the addresses of a dynamic section, some do not.
    const ElfW(Addr) value = entry->d_un.d_ptr;
    const ElfW(Addr) address = value < info.dlpi_addr ? info.dlpi_addr + value : value;
    if (entry->d_tag == DT_SYMTAB) symbols.table = reinterpret_cast<const ElfW(Sym)*>(address);
    if (entry->d_tag == DT_STRTAB) symbols.strings = reinterpret_cast<const char*>(address);
    if (entry->d_tag == DT_GNU_HASH) symbols.foreign = reinterpret_cast<const std::uint32_t*>(address)[1];
    if (entry->d_tag == DT_HASH && symbols.foreign == 0)
      symbols.foreign = reinterpret_cast<const std::uint32_t*>(address)[1];  // all there are
  }
  return symbols;
}

/// In any language.
bool makes_windows(const char* name) noexcept {
  const bool makes =
      strcasestr(name, "mpi_win_create") != nullptr || strcasestr(name, "mpi_win_allocate") != nullptr;
  return makes && strcasestr(name, "keyval") == nullptr && strcasestr(name, "errhandler") == nullptr;
}

/// Also the MPI's own bindings.
bool is_of_mpi(const char* path) noexcept {
  const char* const slash = std::strrchr(path, '/');
  const std::string_view name = slash != nullptr ? slash + 1 : path;
  constexpr std::array<std::string_view, 3> own{"libmpi", "liboshmem", "libtypewarp_mpi"};
  return std::ranges::any_of(own, [&](std::string_view start) { return name.starts_with(start); });
}

int look_for_windows(dl_phdr_info* info, std::size_t, void* found) noexcept {
  if (is_of_mpi(info->dlpi_name)) return 0;
  const Symbols symbols = symbols_of(*info);
  if (symbols.table == nullptr || symbols.strings == nullptr) return 0;
  for (std::size_t i = 0; i < symbols.foreign; ++i) {
    const ElfW(Sym)& symbol = symbols.table[i];
    if (symbol.st_shndx != SHN_UNDEF || !makes_windows(symbols.strings + symbol.st_name)) continue;
    *static_cast<bool*>(found) = true;
    return 1;
  }
  return 0;
}

bool program_names_windows() noexcept {
  bool found = false;
  dl_iterate_phdr(look_for_windows, &found);
  return found;
}

bool is_before_5() noexcept {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
  int length = 0;
  PMPI_Get_library_version(version.data(), &length);
  constexpr std::string_view start = "Open MPI v";
  return std::string_view(version.data()).starts_with(start) && std::atoi(version.data() + start.size()) < 5;
}

/// As the MPI has it from the environment and its files. Between MPI_T_init_thread and MPI_T_finalize.
std::string parameter(const char* name) {
  int index = 0, length = 0;
  MPI_T_cvar_handle handle{};
  if (PMPI_T_cvar_get_index(name, &index) != MPI_SUCCESS) return {};
  if (PMPI_T_cvar_handle_alloc(index, nullptr, &handle, &length) != MPI_SUCCESS) return {};
  std::vector<char> text(static_cast<std::size_t>(length) + 1);
  const int code = PMPI_T_cvar_read(handle, text.data());
  PMPI_T_cvar_handle_free(&handle);
  return code == MPI_SUCCESS ? text.data() : "";
}

/// Whether a parameter that lists components, or with ^ before them those that are not wanted, allows one.
bool allows_component(std::string_view list, std::string_view component) noexcept {
  const bool excludes = list.starts_with('^');
  if (excludes) list.remove_prefix(1);
  if (list.empty()) return true;
  bool is_listed = false;
  while (!list.empty()) {
    const std::string_view one = list.substr(0, list.find(','));
    is_listed = is_listed || one == component;
    list.remove_prefix(std::min(list.size(), one.size() + 1));
  }
  return is_listed != excludes;
}

bool has_adapter_of_ucx() {
  std::error_code none;
  const std::filesystem::directory_iterator adapters("/sys/class/infiniband", none);
  return !none && std::any_of(begin(adapters), end(adapters), [](const auto& adapter) {
    return adapter.path().filename().string().starts_with("mlx");
  });
}

bool pt2pt_may_be_needed() {
  int provided = 0, index = 0;
  if (PMPI_T_init_thread(MPI_THREAD_SINGLE, &provided) != MPI_SUCCESS) return false;
  const std::string components = parameter("osc");
  const bool is_there = PMPI_T_cvar_get_index("osc_pt2pt_no_locks", &index) == MPI_SUCCESS;
  PMPI_T_finalize();
  if (!is_there || !allows_component(components, "pt2pt")) return false;
  return !allows_component(components, "ucx") || !has_adapter_of_ucx();
}
#endif

}  // namespace

bool level_forbids_windows() noexcept {
#ifdef OPEN_MPI
  try {
    return is_before_5() && program_names_windows() && pt2pt_may_be_needed();
  } catch (const std::exception&) {
    return true;
  }
#else
  return false;
#endif
}

}  // namespace typewarp::interpose
