// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/core/observe/call_event.hpp"

#include "base/never_destroyed.hpp"

#include <algorithm>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <utility>

namespace typewarp::interpose {
namespace {

constexpr std::size_t most_known = 1000;
constexpr std::size_t longest_text = 300;

struct Known {
  std::mutex mutex;
  std::unordered_map<std::string, std::unique_ptr<UsedType>> types;
  UsedType others{"other datatypes"};
};

Known& known() {
  static NeverDestroyed<Known> instance;  // types may be freed after the library has ended
  return instance.get();
}

}  // namespace

std::string one_line(const Datatype& type) {
  const std::string tree = type.to_string();
  std::string line;
  for (std::size_t at = 0; at < tree.size() && line.size() < longest_text; ++at) {
    if (tree[at] != '\n') {
      line += tree[at];
      continue;
    }
    line += " of";
    while (at + 2 < tree.size() && tree[at + 2] == ' ') ++at;
  }
  return line.size() < longest_text ? line : line + " ...";
}

UsedType& used_type(const Datatype& type) {
  std::string text = one_line(type);
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  const auto found = all.types.find(text);
  if (found != all.types.end()) return *found->second;
  if (all.types.size() >= most_known) return all.others;
  auto made = std::make_unique<UsedType>(text);
  return *all.types.emplace(std::move(text), std::move(made)).first->second;
}

std::vector<const UsedType*> most_used_types(std::size_t most) {
  Known& all = known();
  const std::lock_guard lock(all.mutex);
  std::vector<const UsedType*> used;
  for (const auto& [text, type] : all.types) {
    if (type->calls != 0) used.push_back(type.get());
  }
  if (all.others.calls != 0) used.push_back(&all.others);
  std::ranges::sort(used, [](const UsedType* a, const UsedType* b) {
    const std::int64_t more = a->bytes - b->bytes;
    return more != 0 ? more > 0 : a->text < b->text;
  });
  if (used.size() > most) used.resize(most);
  return used;
}

}  // namespace typewarp::interpose
