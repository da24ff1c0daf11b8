// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/attachment.hpp"
#include "interpose/front/front.hpp"
#include "interpose/front/library.hpp"

#include <dlfcn.h>
#include <limits.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

extern "C" {
/// For programs, which find it by dlsym: from now on MPI calls of this thread are ordered with work of that
/// stream, such as a cudaStream_t, where their communicator names none. Null, as at first, is the legacy
/// default stream. The stream must live until the requests that were made meanwhile are complete, or freed.
/// May be called at any time.
[[gnu::visibility("default")]] void typewarp_set_stream(void* stream) noexcept;
}

namespace typewarp::interpose {
namespace {

/// The stream that this thread has given.
thread_local constinit void* given = nullptr;
void* given_stream() noexcept { return given; }

/// Of this library, where LD_PRELOAD names it by a relative path: until the first call the program may be in
/// another folder, where others may have put what they like.
constinit std::array<char, PATH_MAX> absolute{};

const char* own_path() noexcept {
  Dl_info self;
  if (dladdr(&resolved, &self) == 0) return nullptr;
  return absolute[0] != 0 ? absolute.data() : self.dli_fname;
}

[[gnu::constructor]] void remember_own_path() {
  const char* const path = own_path();
  if (path != nullptr && path[0] != '/' && realpath(path, absolute.data()) == nullptr) absolute[0] = 0;
}

}  // namespace

bool attach_core(std::array<void*, calls>& chosen) noexcept {
  const char* const own = own_path();
  const char* const slash = own == nullptr ? nullptr : std::strrchr(own, '/');
  if (slash == nullptr) return false;
  const int folder = static_cast<int>(slash + 1 - own);
  static std::array<char, PATH_MAX> path;
  const int length = std::snprintf(path.data(), path.size(), "%.*slibtypewarp_mpi_%s.so", folder, own,
                                   name(resolved.mpi.abi));
  if (length >= static_cast<int>(path.size())) return false;
  // All symbols now: what an MPI lacks that the core needs then makes it fail here, and not in the middle of
  // a program.
  void* core = dlopen(path.data(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
  if (core == nullptr) {
    warn("all calls go to the MPI: %s", dlerror());
    return false;
  }
  auto* attach = reinterpret_cast<Attach*>(dlsym(core, attach_name));
  const CoreAttachment attachment{.table = table_hash,
                                  .next = resolved.next.data(),
                                  .chosen = chosen.data(),
                                  .given_stream = given_stream};
  if (attach == nullptr || attach(&attachment) != 0) {
    warn("all calls go to the MPI: %s belongs to another version", path.data());
    return false;
  }
  report("attached %s", path.data());
  return true;
}

}  // namespace typewarp::interpose

void typewarp_set_stream(void* stream) noexcept { typewarp::interpose::given = stream; }
