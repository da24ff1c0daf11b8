// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/nccl/nccl_communicator.hpp"

#include "base/environment.hpp"
#include "engine/runtime/vendor.hpp"

#include <dlfcn.h>
#include <sys/stat.h>
#include <unistd.h>

#include <exception>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <system_error>

namespace typewarp::interpose::nccl {
namespace {

namespace fs = std::filesystem;

const char* soname() noexcept { return gpu::vendor().collectives; }
constexpr const char* in_packages = "nvidia/nccl/lib/libnccl.so.2";

void* load(const std::string& path) { return dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL); }

/// Whether nobody but root and this user can change what a path leads to: whoever can change a folder has
/// others' files in it, but for one with the sticky bit.
bool is_trusted(const fs::path& path) {
  struct stat found{};
  if (lstat(path.c_str(), &found) != 0) return false;
  const bool is_owned = found.st_uid == 0 || found.st_uid == geteuid();
  const bool is_shared = S_ISDIR(found.st_mode) && (found.st_mode & S_ISVTX) != 0;
  // Many systems give each user a group of the same number; root knows to whom it gives a folder.
  const bool is_of_group =
      (found.st_mode & S_IWGRP) != 0 && found.st_uid != 0 && found.st_gid != found.st_uid;
  const bool is_open = (found.st_mode & S_IWOTH) != 0 || is_of_group;
  if (!is_owned || (is_open && !is_shared)) return false;
  return path == path.root_path() || is_trusted(path.parent_path());
}

/// That of a Python package: one folder has nvidia/nccl and typewarp/lib, where this library is. Throws
/// std::runtime_error if others can change it.
void* load_beside() {
  Dl_info own{};
  if (dladdr(reinterpret_cast<void*>(&load_beside), &own) == 0 || own.dli_fname == nullptr) return nullptr;
  std::error_code missing;
  const fs::path package = fs::canonical(own.dli_fname, missing).parent_path().parent_path();
  if (missing || package.filename() != "typewarp") return nullptr;
  const fs::path beside = fs::canonical(package.parent_path() / in_packages, missing);
  if (missing) return nullptr;
  if (!is_trusted(beside))
    throw std::runtime_error(beside.string() + " is not used: other users can change it");
  return load(beside);
}

// Never closed: its threads run as long as the process.
void* open_library() {
  // One that the program has, as PyTorch loads its own: a second would take as much memory again.
  if (void* const present = dlopen(soname(), RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return present;
  const std::string named(environment::text("TYPEWARP_NCCL"));
  if (!named.empty() && named != "1") return load(named);
  if (void* const systems = load(soname())) return systems;
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

Found look() try {
  void* const opened = open_library();
  if (opened == nullptr) {
    const char* const reason = dlerror();
    return {std::nullopt, reason != nullptr ? reason : std::string(soname()) + " is nowhere"};
  }
  const std::optional<Api> api = functions(opened);
  if (!api)
    return {std::nullopt, std::string(soname()) + " lacks functions: at least version 2.18 is needed"};
  int version = 0;
  const bool suits = api->ncclGetVersion(&version) == Result::success && version >= least_version &&
                     version < first_unknown_version;
  if (!suits)
    return {std::nullopt, "version " + std::to_string(version) + " of it: 21800 to 29999 are known"};
  return {Library{*api, version}, {}};
} catch (const std::exception& error) {
  return {std::nullopt, error.what()};
}

const Found& found() {
  static const Found& once = *new Found(look());
  return once;
}

}  // namespace

const Library* library() { return found().library ? &*found().library : nullptr; }

const std::string& why_no_library() { return found().why_not; }

}  // namespace typewarp::interpose::nccl
