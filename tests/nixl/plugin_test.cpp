// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nixl/back_end.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/version.hpp>

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <cstddef>
#include <cstring>

namespace typewarp::nixl {
namespace {

/// As NIXL loads it.
Plugin* loaded() {
  void* const library = dlopen(NIXL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  EXPECT_NE(library, nullptr) << dlerror();
  if (library == nullptr) return nullptr;
  EXPECT_NE(dlsym(library, "nixl_plugin_fini"), nullptr);
  auto* const init = reinterpret_cast<Plugin* (*)()>(dlsym(library, "nixl_plugin_init"));
  return init != nullptr ? init() : nullptr;
}

TEST(NixlPlugin, SaysWhatItIs) {
  const Plugin* const plugin = loaded();
  ASSERT_NE(plugin, nullptr);
  EXPECT_EQ(plugin->version, 1);
  EXPECT_STREQ(plugin->name(), "TYPEWARP");
  EXPECT_STREQ(plugin->own_version(), TYPEWARP_VERSION);
  EXPECT_EQ(plugin->memories(), NixlMemories{NixlMemory::device});
  EXPECT_EQ(plugin->parameters(), (NixlParameters{{"time_limit_ms", "10000"}}));
}

TEST(NixlPlugin, HasAllSymbolsOfTheLibraryHidden) {
  void* const library = dlopen(NIXL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_EQ(dlsym(library, "_ZN8typewarp11gpu_presentEv"), nullptr);
}

TEST(NixlPlugin, RefusesWhatItCannotBe) {
  const Plugin* const plugin = loaded();
  ASSERT_NE(plugin, nullptr);
  NixlParameters parameters{{"time_limit_ms", "soon"}};
  InitialParameters given{.agent = "agent", .type = "TYPEWARP", .parameters = &parameters};
  testing::internal::CaptureStderr();
  EXPECT_EQ(plugin->make(&given), nullptr);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("time_limit_ms"), std::string::npos);
  parameters = {{"speed", "1"}};
  testing::internal::CaptureStderr();
  EXPECT_EQ(plugin->make(&given), nullptr);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("speed"), std::string::npos);
  if (gpu_present()) return;
  parameters.clear();
  testing::internal::CaptureStderr();
  EXPECT_EQ(plugin->make(&given), nullptr);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("GPU"), std::string::npos);
}

/// What libnixl.so 1.5.1 was seen to read and to call: offsets of its own back ends' members.
TEST(NixlPlugin, IsLaidOutAsNixlReadsIt) {
  EXPECT_EQ(offsetof(InitialParameters, parameters), 0x40U);
  EXPECT_EQ(offsetof(InitialParameters, has_telemetry), 0x5cU);
  EXPECT_EQ(sizeof(NixlDescriptor), 24U);
  EXPECT_EQ(sizeof(KnownMemory), 32U);
  EXPECT_EQ(sizeof(DescribedMemory), 24U + sizeof(std::string));
  EXPECT_EQ(sizeof(BackEnd), 0xd0U);
  EXPECT_EQ(offsetof(NixlOptions, has_message), sizeof(std::string));
}

}  // namespace
}  // namespace typewarp::nixl
