// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "datatype/of_thread.hpp"

#include <vector>

namespace typewarp {
namespace {

constinit thread_local bool has_ended = false;

class EndOfThread {
 public:
  EndOfThread& operator=(EndOfThread&&) = delete;
  ~EndOfThread() {
    has_ended = true;
    for (void (*const end)() : ends_) end();
  }

  void add(void (*end)()) { ends_.push_back(end); }

 private:
  std::vector<void (*)()> ends_;
};

}  // namespace

void at_thread_end(void (*end)()) {
  if (has_ended) return;
  thread_local EndOfThread ends;
  ends.add(end);
}

}  // namespace typewarp
