// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// What NIXL looks for in libplugin_TYPEWARP.so.
#include "nixl/engine.hpp"

#include <typewarp/version.hpp>

#include <cstdio>
#include <exception>

namespace typewarp::nixl {
namespace {

BackEnd* make(const InitialParameters* given) noexcept {
  try {
    return new Engine(*given);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return nullptr;
  }
}

const Plugin plugin{Plugin::version_1,
                    make,
                    [](BackEnd* back_end) { delete back_end; },
                    [] { return "TYPEWARP"; },
                    [] { return TYPEWARP_VERSION; },
                    [] { return NixlParameters{}; },
                    [] { return NixlMemories{NixlMemory::device}; }};

}  // namespace
}  // namespace typewarp::nixl

extern "C" {

__attribute__((visibility("default"))) typewarp::nixl::Plugin* nixl_plugin_init() {
  return const_cast<typewarp::nixl::Plugin*>(&typewarp::nixl::plugin);  // NIXL writes nothing there
}

__attribute__((visibility("default"))) void nixl_plugin_fini() {}
}
