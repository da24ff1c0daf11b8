// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/request.hpp>

#include <nanobind/nanobind.h>

#include <optional>
#include <vector>

namespace typewarp::python {

/// A message in flight: typewarp.Request. Keeps the array, through its view, until the message is complete.
class Pending {
 public:
  Pending(Request request, nanobind::object view, bool receives)
      : request_(std::move(request)), view_(std::move(view)), receives_(receives) {}
  Pending(Pending&&) noexcept = default;
  Pending& operator=(Pending&&) noexcept = default;
  /// A message that nobody waits for goes on; a receive that nothing has matched is cancelled.
  ~Pending();

  Status wait();
  std::optional<Status> test();
  bool done();
  void cancel();
  bool active() const noexcept { return request_.active(); }

  static std::vector<Status> wait_all(const std::vector<Pending*>& all);

  int traverse(visitproc visit, void* arg) const;
  void clear() {}

 private:
  Request request_;
  nanobind::object view_;
  bool receives_;
};

/// Whether there has been a Session with a time limit, after which a wait gives up.
inline bool may_give_up = false;

/// Completes the messages that were dropped. Before MPI_Finalize.
void end_dropped();

}  // namespace typewarp::python
