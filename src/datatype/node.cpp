// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/node.hpp"

#include "datatype/of_thread.hpp"

#include <utility>

namespace typewarp::datatype {
namespace {

/// So few levels may be destroyed by recursion, which is faster.
constexpr int shallow = 32;

/// What nodes that end in a thread leave to the outermost of them: chains may be longer than stacks.
struct Orphans {
  std::vector<Datatype> all;
  bool being_ended = false;
};

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
  Orphans& orphans = OfThread<Orphans>::get();
  give_away(constructor, orphans.all);
  if (std::exchange(orphans.being_ended, true)) return;
  while (!orphans.all.empty()) {
    const Datatype last = std::move(orphans.all.back());
    orphans.all.pop_back();
  }
  orphans.being_ended = false;
}

}  // namespace typewarp::datatype
