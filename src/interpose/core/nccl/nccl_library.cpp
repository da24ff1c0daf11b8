// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/nccl/nccl_library.hpp"

#include "interpose/core/settings.hpp"

#include <dlfcn.h>

#include <filesystem>
#include <optional>
#include <system_error>

namespace typewarp::interpose::nccl {
namespace {

constexpr const char* soname = "libnccl.so.2";
constexpr const char* in_packages = "nvidia/nccl/lib/libnccl.so.2";

void* load(const std::string& path) { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); }

// Where Python packages are installed one folder has this library's and NCCL's.
void* load_beside() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&load_beside), &own) == 0 || own.dli_fname == nullptr) return nullptr;
  std::error_code unreadable;
  std::filesystem::path folder = std::filesystem::canonical(own.dli_fname, unreadable).parent_path();
  while (!unreadable && folder.has_relative_path()) {
    folder = folder.parent_path();
    if (std::filesystem::exists(folder / in_packages, unreadable)) return load(folder / in_packages);
  }
  return nullptr;
}

// Never closed: its threads run as long as the process.
void* open_library() {
  // One that the program has, as PyTorch loads its own: a second would take as much memory again.
  if (void* const present = dlopen(soname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return present;
  const std::string named(setting("TYPEWARP_NCCL"));
  if (!named.empty() && named != "1") return load(named);
  if (void* const systems = load(soname)) return systems;
  return load_beside();
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

std::optional<Api> functions(void* library) {
  Api api{};
  const bool complete =
      find(library, "ncclGetVersion", api.ncclGetVersion) &&
      find(library, "ncclGetUniqueId", api.ncclGetUniqueId) &&
      find(library, "ncclCommInitRank", api.ncclCommInitRank) &&
      find(library, "ncclCommDestroy", api.ncclCommDestroy) &&
      find(library, "ncclCommAbort", api.ncclCommAbort) &&
      find(library, "ncclCommGetAsyncError", api.ncclCommGetAsyncError) &&
      find(library, "ncclGetErrorString", api.ncclGetErrorString) &&
      find(library, "ncclGetLastError", api.ncclGetLastError) &&
      find(library, "ncclGroupStart", api.ncclGroupStart) &&
      find(library, "ncclGroupEnd", api.ncclGroupEnd) && find(library, "ncclAllReduce", api.ncclAllReduce) &&
      find(library, "ncclReduce", api.ncclReduce) &&
      find(library, "ncclReduceScatter", api.ncclReduceScatter) &&
      find(library, "ncclBroadcast", api.ncclBroadcast) && find(library, "ncclAllGather", api.ncclAllGather);
  return complete ? std::optional(api) : std::nullopt;
}

struct Found {
  std::optional<Library> library;
  std::string why_not;
};

Found look() {
  void* const opened = open_library();
  if (opened == nullptr) {
    const char* const reason = dlerror();
    return {std::nullopt, reason != nullptr ? reason : std::string(soname) + " is nowhere"};
  }
  const std::optional<Api> api = functions(opened);
  if (!api) return {std::nullopt, std::string(soname) + " lacks functions: at least version 2.18 is needed"};
  int version = 0;
  const bool suits = api->ncclGetVersion(&version) == Result::success && version >= least_version &&
                     version < first_unknown_version;
  if (!suits)
    return {std::nullopt, "version " + std::to_string(version) + " of it: 21800 to 29999 are known"};
  return {Library{*api, version}, {}};
}

const Found& found() {
  static const Found& once = *new Found(look());
  return once;
}

}  // namespace

const Library* library() { return found().library ? &*found().library : nullptr; }

const std::string& why_no_library() { return found().why_not; }

}  // namespace typewarp::interpose::nccl
