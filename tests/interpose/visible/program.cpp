// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What a program sees of the calls that the preloaded library exports, by dlsym and by weak references: what
// its MPI has, and what the library makes of that.
//
// usage: program <library of an MPI> [<plugin>]   with a plugin: neither it nor the MPI is loaded at the
// start, else both are
#include "interpose/calls.hpp"
#include "interpose/presence.hpp"

#include <dlfcn.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

namespace {

using namespace typewarp::interpose;

int wrong = 0;

void expect(bool right, const char* name, const char* what) {
  if (right) return;
  ++wrong;
  std::printf("%s %s\n", name, what);
}

/// `mpi`: its library.
bool is_made(void* mpi, std::size_t number, bool takes_calls) {
  const std::string name = names[number];
  if (dlsym(mpi, name.c_str()) != nullptr) return true;
  for (const int one : made_without_the_mpi) {
    if (static_cast<std::size_t>(one) == number) return takes_calls;
  }
  return false;
}

bool is_ours(void* address) {
  Dl_info info{};
  return dladdr(address, &info) != 0 && std::strstr(info.dli_fname, "libtypewarp_mpi.so") != nullptr;
}

/// `weak`: references to all calls.
void look(void* mpi, void** weak, bool takes_calls) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    void* const found = dlsym(RTLD_DEFAULT, names[i]);
    const bool should_be = is_made(mpi, i, takes_calls);
    expect((found != nullptr) == should_be, names[i], should_be ? "is not found" : "is found");
    expect(found == nullptr || is_ours(found), names[i], "is found, and is not ours");
    expect((weak[i] != nullptr) == should_be, names[i], should_be ? "is no reference" : "is a reference");
    expect(weak[i] == nullptr || weak[i] == found, names[i], "is two functions");
  }
}

template <class F>
F* function(void* library, const char* name) {
  void* const found = dlsym(library, name);
  expect(found != nullptr, name, "is missing");
  return reinterpret_cast<F*>(found);
}

/// What is not everywhere is not found before the first call: the MPI may lack it.
void look_before_the_first_call(void* mpi) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    const bool may_be = in_every_mpi[i] || dlsym(mpi, names[i]) != nullptr || is_made(mpi, i, true);
    expect(may_be || dlsym(RTLD_DEFAULT, names[i]) == nullptr, names[i], "is found before the first call");
  }
}

void load_later(const char* library, const char* plugin_file, bool takes_calls) {
  void* const mpi = dlopen(library, RTLD_NOW | RTLD_GLOBAL);
  if (mpi == nullptr) std::printf("%s\n", dlerror());
  void* const plugin = dlopen(plugin_file, RTLD_NOW | RTLD_LOCAL);
  if (plugin == nullptr) std::printf("%s\n", dlerror());
  if (mpi == nullptr || plugin == nullptr) std::exit(1);
  look_before_the_first_call(mpi);
  function<int(int*, char***)>(RTLD_DEFAULT, "MPI_Init")(nullptr, nullptr);
  look(mpi, function<void**()>(plugin, "plugin_references")(), takes_calls);
  const bool has = dlsym(mpi, "MPI_Comm_attach_buffer") != nullptr;
  expect((function<int()>(plugin, "plugin_can_attach")() != 0) == has, "MPI_Comm_attach_buffer",
         "is seen by the global offset table otherwise");
  function<int()>(RTLD_DEFAULT, "MPI_Finalize")();
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  const bool takes_calls = std::getenv("TYPEWARP_DISABLE") == nullptr;
  if (argc > 2) {
    load_later(argv[1], argv[2], takes_calls);
  } else {
    void* const mpi = dlopen(argv[1], RTLD_NOW | RTLD_NOLOAD);
    if (mpi == nullptr) return 2;
    look(mpi, function<void**()>(RTLD_DEFAULT, "plugin_references")(), takes_calls);
  }
  if (wrong == 0) std::printf("all of %d calls are seen as they are\n", calls);
  return wrong != 0;
}
