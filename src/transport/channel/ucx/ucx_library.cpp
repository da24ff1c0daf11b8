// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "base/environment.hpp"
#include "transport/channel/ucx/ucx_channel.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <optional>

namespace typewarp::transport {
namespace {

constexpr const char* soname = "libucp.so.0";

// Never closed: UCX hooks memory functions of the process.
void* open_library() {
  // The one that the program or its MPI has loaded: two in one process would conflict.
  if (void* const present = dlopen(soname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD)) return present;
  const char* const named = environment::value("TYPEWARP_UCX_LIBRARY");
  if (named == nullptr) return dlopen(soname, RTLD_NOW | RTLD_LOCAL);
  return *named != '\0' ? load_ucx(named) : nullptr;
}

template <typename Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

bool suits(const ucx::UcxApi& api) {
  unsigned major = 0, minor = 0, release = 0;
  api.ucp_get_version(&major, &minor, &release);
  return major == ucx::major_version && minor >= ucx::least_minor_version;
}

std::optional<ucx::UcxApi> functions(void* library) {
  ucx::UcxApi api{};
#define TYPEWARP_FIND(name) find(library, #name, api.name)
  const bool complete = TYPEWARP_FIND(ucp_get_version) && TYPEWARP_FIND(ucp_init_version) &&
                        TYPEWARP_FIND(ucp_cleanup) && TYPEWARP_FIND(ucp_context_query) &&
                        TYPEWARP_FIND(ucp_worker_create) && TYPEWARP_FIND(ucp_worker_destroy) &&
                        TYPEWARP_FIND(ucp_worker_query) && TYPEWARP_FIND(ucp_worker_release_address) &&
                        TYPEWARP_FIND(ucp_worker_progress) && TYPEWARP_FIND(ucp_ep_create) &&
                        TYPEWARP_FIND(ucp_ep_close_nbx) && TYPEWARP_FIND(ucp_tag_send_nbx) &&
                        TYPEWARP_FIND(ucp_tag_recv_nbx) && TYPEWARP_FIND(ucp_request_cancel) &&
                        TYPEWARP_FIND(ucp_request_free) && TYPEWARP_FIND(ucp_request_check_status) &&
                        TYPEWARP_FIND(ucp_tag_recv_request_test) && TYPEWARP_FIND(ucs_status_string);
#undef TYPEWARP_FIND
  return complete && suits(api) ? std::optional(api) : std::nullopt;
}

}  // namespace

void* load_ucx(const char* file) noexcept {
  void* const library = dlopen(file, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::fprintf(stderr,
                 "typewarp: TYPEWARP_UCX_LIBRARY names no library that can be loaded, UCX is not used: %s\n",
                 dlerror());
  }
  return library;
}

const ucx::UcxApi* ucx_library() {
  static const std::optional<ucx::UcxApi> api = [] {
    void* const library = open_library();
    return library == nullptr ? std::nullopt : functions(library);
  }();
  return api ? &*api : nullptr;
}

const ucx::UcxApi* loaded_ucx_library() {
  void* const present = dlopen(soname, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
  if (present == nullptr) return nullptr;
  dlclose(present);  // gives back what was taken just now
  return ucx_library();
}

}  // namespace typewarp::transport
