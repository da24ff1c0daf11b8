// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause

// The calls that complete requests, and those that start, cancel and free them. Where no request is ours they
// are the MPI's.

#include "interpose/core/core.hpp"
#include "interpose/core/errors.hpp"
#include "interpose/core/job/job.hpp"
#include "interpose/core/job/rts_readiness.hpp"
#include "interpose/core/requests/operations.hpp"
#include "interpose/core/requests/results.hpp"

#include <typewarp/completion.hpp>

#include <algorithm>
#include <thread>

namespace typewarp::interpose {
namespace {

using Handles = std::vector<MPI_Request>;
using Late = OperationProgress::Late;
using Looks = OperationProgress::Looks;

Handles copy(int count, const MPI_Request* requests) {
  return count > 0 && requests != nullptr ? Handles(requests, requests + count) : Handles();
}

bool any_is_ours(const Handles& handles) {
  return std::ranges::any_of(handles, [](MPI_Request handle) { return operations().is_ours(handle); });
}

// What the MPI has completed of ours: its status, if it is a persistent request, and its error.
int conclude(MPI_Request handle, MPI_Status* status) {
  if (const auto result = operations().conclude(handle)) {
    fill(status, result->status);
    return result->code;
  }
  return failed_requests::take(handle);
}

/// For calls that complete several: which of them failed is in their statuses.
class Several {
 public:
  explicit Several(MPI_Status* statuses) : statuses_(statuses) {}

  /// `place`: in the array of statuses.
  void conclude(MPI_Request handle, int place) {
    MPI_Status* const status = at(place);
    const int code = interpose::conclude(handle, status);
    if (code == MPI_SUCCESS) return;
    if (status != MPI_STATUS_IGNORE) status->MPI_ERROR = code;
    failed_.push_back(place);
  }
  /// What the call returns, where the MPI would have returned `code` for `completed` statuses.
  int result(int code, int completed) {
    if (failed_.empty()) return code;
    for (int i = 0; code == MPI_SUCCESS && statuses_ != MPI_STATUSES_IGNORE && i < completed; ++i) {
      if (std::ranges::find(failed_, i) == failed_.end()) statuses_[i].MPI_ERROR = MPI_SUCCESS;
    }
    return MPI_ERR_IN_STATUS;
  }

 private:
  MPI_Status* at(int place) const {
    return statuses_ == MPI_STATUSES_IGNORE ? MPI_STATUS_IGNORE : statuses_ + place;
  }

  MPI_Status* statuses_;
  std::vector<int> failed_;
};

template <class Act>
int contained(Act act) noexcept {
  try {
    return act();
  } catch (...) {
    return raise(fallback_comm(), std::current_exception());
  }
}

int wait(MPI_Request* request, MPI_Status* status) noexcept {
  const LeftRequests left(1, request);
  if (!operations().any()) return hand_on(call::Wait, request, status);
  return contained([&] {
    const MPI_Request handle = *request;
    operations().progress().settle({&handle, 1});
    const int code = hand_on(call::Wait, request, status);
    return code == MPI_SUCCESS ? conclude(handle, status) : code;
  });
}

int wait_all(int count, MPI_Request* requests, MPI_Status* statuses) noexcept {
  const LeftRequests left(count, requests);
  if (!operations().any()) return hand_on(call::Waitall, count, requests, statuses);
  return contained([&] {
    const Handles handles = copy(count, requests);
    operations().progress().settle(handles);
    const int code = hand_on(call::Waitall, count, requests, statuses);
    Several several(statuses);
    for (int i = 0; i < static_cast<int>(handles.size()); ++i)
      several.conclude(handles[static_cast<std::size_t>(i)], i);
    return several.result(code, count);
  });
}

int test(MPI_Request* request, int* flag, MPI_Status* status) noexcept {
  const LeftRequests left(1, request);
  if (!operations().any()) return hand_on(call::Test, request, flag, status);
  return contained([&] {
    const MPI_Request handle = *request;
    operations().progress().exhaust({&handle, 1});
    preset(flag, 0);
    const int code = hand_on(call::Test, request, flag, status);
    if (code != MPI_SUCCESS) return code;
    if (result(flag, 0) != 0) return conclude(handle, status);
    operations().progress().end_late({&handle, 1}, Late::all);
    return code;
  });
}

int test_all(int count, MPI_Request* requests, int* flag, MPI_Status* statuses) noexcept {
  const LeftRequests left(count, requests);
  if (!operations().any()) return hand_on(call::Testall, count, requests, flag, statuses);
  return contained([&] {
    const Handles handles = copy(count, requests);
    operations().progress().exhaust(handles);
    preset(flag, 0);
    const int code = hand_on(call::Testall, count, requests, flag, statuses);
    if (result(flag, 0) == 0) operations().progress().end_late(handles, Late::all);
    Several several(statuses);
    for (int i = 0; result(flag, 0) != 0 && i < static_cast<int>(handles.size()); ++i)
      several.conclude(handles[static_cast<std::size_t>(i)], i);
    return several.result(code, count);
  });
}

/// What is no flag and no number of requests: the call has failed, also if it returns MPI_SUCCESS.
constexpr int unwritten = -1;

/// What a look at several requests found.
struct LookResult {
  int code;
  bool is_over;  ///< a wait ends: something is complete, nothing is active, or the call has failed
};

using TestAny = int(int, MPI_Request*, int*, int*, MPI_Status*);

LookResult look_for_any(TestAny* test, const Handles& handles, MPI_Request* requests, int* index, int* flag,
                        MPI_Status* status, Looks looks) {
  operations().progress().exhaust(handles);
  preset(flag, unwritten);
  preset(index, MPI_UNDEFINED);
  const int code = test(static_cast<int>(handles.size()), requests, index, flag, status);
  const int said = result(flag, 0);
  if (said == unwritten) *flag = 0;
  if (code != MPI_SUCCESS || said == unwritten) return {code, true};
  if (said == 0) operations().progress().end_late(handles, Late::first, looks);
  const int completed = result(index, MPI_UNDEFINED);
  if (said == 0 || completed == MPI_UNDEFINED) return {code, said != 0};
  return {conclude(handles[static_cast<std::size_t>(completed)], status), true};
}

int test_any(int count, MPI_Request* requests, int* index, int* flag, MPI_Status* status) noexcept {
  auto* const next_test = next<TestAny>(call::Testany);
  const LeftRequests left(count, requests);
  if (!operations().any()) return next_test(count, requests, index, flag, status);
  return contained([&] {
    return look_for_any(next_test, copy(count, requests), requests, index, flag, status, Looks::now_and_then)
        .code;
  });
}

/// Looks by `look(handles)` until a wait for them ends. `next_wait()` waits if none is ours.
template <class NextWait, class LookAt>
int wait_by_looks(int count, MPI_Request* requests, NextWait next_wait, LookAt look) noexcept {
  const LeftRequests left(count, requests);
  if (!operations().any()) return next_wait();
  return contained([&] {
    const Handles handles = copy(count, requests);
    if (!any_is_ours(handles)) return next_wait();
    operations().progress().begin_wait(handles);
    for (;;) {
      const LookResult found = look(handles);
      if (found.is_over) return found.code;
      std::this_thread::yield();
    }
  });
}

int wait_any(int count, MPI_Request* requests, int* index, MPI_Status* status) noexcept {
  return wait_by_looks(
      count, requests, [&] { return hand_on(call::Waitany, count, requests, index, status); },
      [&](const Handles& handles) {
        int flag = 0;
        return look_for_any(PMPI_Testany, handles, requests, index, &flag, status, Looks::in_wait);
      });
}

using Some = int(int, MPI_Request*, int*, int*, MPI_Status*);

LookResult look_for_some(Some* test, const Handles& handles, MPI_Request* requests, int* found, int* indices,
                         MPI_Status* statuses, Looks looks) {
  operations().progress().exhaust(handles);
  preset(found, unwritten);
  int code = test(static_cast<int>(handles.size()), requests, found, indices, statuses);
  const int said = result(found, 0);
  if (said == unwritten) *found = 0;
  if (code == MPI_SUCCESS && said == 0) operations().progress().end_late(handles, Late::first, looks);
  Several several(statuses);
  const int completed = said == MPI_UNDEFINED || said == unwritten ? 0 : said;
  for (int i = 0; i < completed; ++i) several.conclude(handles[static_cast<std::size_t>(indices[i])], i);
  code = several.result(code, completed);
  return {code, code != MPI_SUCCESS || said != 0};
}

int test_some(int count, MPI_Request* requests, int* found, int* indices, MPI_Status* statuses) noexcept {
  auto* const next_test = next<Some>(call::Testsome);
  const LeftRequests left(count, requests);
  if (!operations().any()) return next_test(count, requests, found, indices, statuses);
  return contained([&] {
    return look_for_some(next_test, copy(count, requests), requests, found, indices, statuses,
                         Looks::now_and_then)
        .code;
  });
}

int wait_some(int count, MPI_Request* requests, int* found, int* indices, MPI_Status* statuses) noexcept {
  return wait_by_looks(
      count, requests, [&] { return hand_on(call::Waitsome, count, requests, found, indices, statuses); },
      [&](const Handles& handles) {
        return look_for_some(PMPI_Testsome, handles, requests, found, indices, statuses, Looks::in_wait);
      });
}

int get_status(MPI_Request request, int* flag, MPI_Status* status) noexcept {
  if (!operations().any()) return hand_on(call::Request_get_status, request, flag, status);
  return contained([&] {
    operations().progress().exhaust({&request, 1});
    preset(flag, 0);
    const int code = hand_on(call::Request_get_status, request, flag, status);
    if (code != MPI_SUCCESS) return code;
    const bool is_over = result(flag, 0) != 0;
    if (!is_over) operations().progress().end_late({&request, 1}, Late::all);
    const auto found = is_over ? operations().look(request) : std::nullopt;
    if (found) fill(status, *found);
    return code;
  });
}

int start(MPI_Request* request) noexcept {
  if (!operations().any() || !operations().is_persistent(*request)) {
    return hand_on(call::Start, request);
  }
  return operations().start(*request);
}

int start_all(int count, MPI_Request* requests) noexcept {
  const auto next_start = [&] { return hand_on(call::Startall, count, requests); };
  if (!operations().any()) return next_start();
  return contained([&] {
    if (!any_is_ours(copy(count, requests))) return next_start();
    int first = MPI_SUCCESS;
    for (int i = 0; i < count; ++i) {
      const int code = start(requests + i);
      if (first == MPI_SUCCESS) first = code;
    }
    return first;
  });
}

int free_request(MPI_Request* request) noexcept {
  if (!operations().any() || !operations().is_persistent(*request)) {
    left_freed(*request);
    operations().leave(*request);
    return hand_on(call::Request_free, request);
  }
  operations().free(*request);
  *request = MPI_REQUEST_NULL;
  return MPI_SUCCESS;
}

int cancel(MPI_Request* request) noexcept {
  if (!operations().any()) return hand_on(call::Cancel, request);
  return contained([&] {
    int code = MPI_SUCCESS;
    if (operations().is_persistent(*request)) {
      operations().cancel(*request);
    } else {
      code = hand_on(call::Cancel, request);  // which calls back if it is ours
    }
    operations().progress().poll();
    return code;
  });
}

}  // namespace

void take_completion() noexcept {
  take<call::Wait, wait>();
  take<call::Waitall, wait_all>();
  take<call::Waitany, wait_any>();
  take<call::Waitsome, wait_some>();
  take<call::Test, test>();
  take<call::Testall, test_all>();
  take<call::Testany, test_any>();
  take<call::Testsome, test_some>();
  take<call::Request_get_status, get_status>();
  take<call::Start, start>();
  take<call::Startall, start_all>();
  take<call::Request_free, free_request>();
  take<call::Cancel, cancel>();
}

}  // namespace typewarp::interpose
