// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/observe/call_stack.hpp"

#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <span>

namespace typewarp::interpose {
namespace {

constexpr int most_frames = 32;

std::string own_path() {
  std::array<char, PATH_MAX> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  return length > 0 ? std::string(path.data(), static_cast<std::size_t>(length)) : "?";
}

void append(std::string& text, const void* address) {
  Dl_info info{};
  link_map* module = nullptr;
  const bool found = dladdr1(address, &info, reinterpret_cast<void**>(&module), RTLD_DL_LINKMAP) != 0;
  const auto place = reinterpret_cast<std::uintptr_t>(address);
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), " %zx\n", found ? place - module->l_addr : place);
  if (!found) {
    text += '?';
  } else {
    text += module->l_name[0] != '\0' ? std::string(module->l_name) : own_path();
  }
  text += digits.data();
}

}  // namespace

std::string call_stack(const void* caller) {
  std::array<void*, most_frames> frames{};
  const int found = backtrace(frames.data(), most_frames);
  const std::span all(frames.data(), static_cast<std::size_t>(std::max(found, 0)));
  const auto first = std::ranges::find(all, const_cast<void*>(caller));
  std::string text;
  if (first == all.end()) append(text, caller);
  for (auto frame = first; frame != all.end(); ++frame) append(text, *frame);
  return text;
}

}  // namespace typewarp::interpose
