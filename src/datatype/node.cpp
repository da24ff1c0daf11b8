// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/node.hpp"

#include <atomic>
#include <utility>

namespace typewarp::datatype {
namespace {

/// So few levels may be destroyed by recursion, which is faster.
constexpr int shallow = 32;

/// Moves what `constructor` is built upon to `orphans`.
void give_away(Constructor& constructor, std::vector<Datatype>& orphans) {
  std::visit(
      [&orphans](auto& made) {
        if constexpr (requires { made.children; }) {
          for (Datatype& child : made.children) orphans.push_back(std::move(child));
        }
        if constexpr (requires { made.child; }) orphans.push_back(std::move(made.child));
        if constexpr (requires { made.expansion; }) orphans.push_back(std::move(made.expansion));
      },
      constructor);
}

}  // namespace

Node::~Node() {
  if (depth <= shallow) return;
  std::vector<Datatype> orphans;
  give_away(constructor, orphans);
  while (!orphans.empty()) {
    const Datatype last = std::move(orphans.back());
    orphans.pop_back();
    if (last.node_.use_count() != 1) continue;
    // What other threads read of it, before they dropped it, comes before what is done to it now.
    std::atomic_thread_fence(std::memory_order_acquire);
    give_away(const_cast<Node&>(*last.node_).constructor, orphans);
  }
}

}  // namespace typewarp::datatype
