// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "nixl/back_end.hpp"

#include <typewarp/engine.hpp>
#include <typewarp/version.hpp>

#include <gtest/gtest.h>

#include <dlfcn.h>

#include <array>
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
  EXPECT_EQ(plugin->parameters(), NixlParameters{});
}

TEST(NixlPlugin, HasAllSymbolsOfTheLibraryHidden) {
  void* const library = dlopen(NIXL_PLUGIN, RTLD_NOW | RTLD_LOCAL);
  ASSERT_NE(library, nullptr) << dlerror();
  EXPECT_EQ(dlsym(library, "_ZN8typewarp11gpu_presentEv"), nullptr);
}

TEST(NixlPlugin, RefusesWhatItCannotBe) {
  const Plugin* const plugin = loaded();
  ASSERT_NE(plugin, nullptr);
  NixlParameters parameters{{"speed", "1"}};
  InitialParameters given{.agent = "agent", .type = "TYPEWARP", .parameters = &parameters};
  testing::internal::CaptureStderr();
  EXPECT_EQ(plugin->make(&given), nullptr);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("speed"), std::string::npos);
  if (gpu_present()) return;
  parameters.clear();
  testing::internal::CaptureStderr();
  EXPECT_EQ(plugin->make(&given), nullptr);
  EXPECT_NE(testing::internal::GetCapturedStderr().find("GPU"), std::string::npos);
}

/// Bytes from the beginning of the table of virtual functions on; by the ABI of C++ a pointer to such a
/// member is that and 1.
template <typename Member>
std::ptrdiff_t place_in_table(Member member) {
  std::array<std::ptrdiff_t, 2> words{};
  static_assert(sizeof member == sizeof words);
  std::memcpy(words.data(), &member, sizeof words);
  return words[0] - 1;
}

/// As in the tables of the back ends in the wheel of NIXL 1.5.1.
TEST(NixlPlugin, HasItsFunctionsWhereNixlCallsThem) {
  const std::array<std::ptrdiff_t, 22> places{place_in_table(&BackEnd::supports_remote),
                                              place_in_table(&BackEnd::supports_local),
                                              place_in_table(&BackEnd::supports_messages),
                                              place_in_table(&BackEnd::memories),
                                              place_in_table(&BackEnd::register_memory),
                                              place_in_table(&BackEnd::deregister_memory),
                                              place_in_table(&BackEnd::connect),
                                              place_in_table(&BackEnd::disconnect),
                                              place_in_table(&BackEnd::unload),
                                              place_in_table(&BackEnd::prepare),
                                              place_in_table(&BackEnd::post),
                                              place_in_table(&BackEnd::check),
                                              place_in_table(&BackEnd::release),
                                              place_in_table(&BackEnd::view_remote),
                                              place_in_table(&BackEnd::view_local),
                                              place_in_table(&BackEnd::release_view),
                                              place_in_table(&BackEnd::public_data),
                                              place_in_table(&BackEnd::connection),
                                              place_in_table(&BackEnd::load_connection),
                                              place_in_table(&BackEnd::load_remote),
                                              place_in_table(&BackEnd::load_local),
                                              place_in_table(&BackEnd::take_messages)};
  for (std::size_t i = 0; i < places.size(); ++i)
    EXPECT_EQ(places[i], static_cast<std::ptrdiff_t>(0x10 + 8 * i)) << i;
  EXPECT_EQ(place_in_table(&BackEnd::send_message), 0xc0);
  EXPECT_EQ(place_in_table(&BackEnd::query), 0xc8);
  EXPECT_EQ(place_in_table(&BackEnd::estimate), 0xd0);
}

/// What libnixl.so 1.5.1 was seen to read: offsets of its own back ends' members.
TEST(NixlPlugin, IsLaidOutAsNixlReadsIt) {
  EXPECT_EQ(offsetof(InitialParameters, parameters), 0x40U);
  EXPECT_EQ(offsetof(InitialParameters, has_telemetry), 0x5cU);
  EXPECT_EQ(sizeof(NixlDescriptor), 24U);
  EXPECT_EQ(sizeof(KnownMemory), 32U);
  EXPECT_EQ(sizeof(NixlDescriptors<KnownMemory>), 0x28U);
  EXPECT_EQ(sizeof(DescribedMemory), 24U + sizeof(std::string));
  EXPECT_EQ(sizeof(BackEnd), 0xd0U);
  EXPECT_EQ(offsetof(NixlOptions, has_message), sizeof(std::string));
}

}  // namespace
}  // namespace typewarp::nixl
