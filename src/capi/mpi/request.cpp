// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "capi/mpi/request.hpp"

using namespace typewarp;
using namespace typewarp::capi;

namespace {

Status status_of(const tw_status& status) {
  return {status.source, status.tag, status.bytes, status.cancelled != 0};
}

/// Frees a request that has completed or failed, unless it is persistent.
class Settled {
 public:
  explicit Settled(tw_request*& request) noexcept : request_(request) {}
  Settled& operator=(Settled&&) = delete;
  ~Settled() {
    if (request_ == nullptr || request_->value.active() || request_->value.persistent()) return;
    delete request_;
    request_ = nullptr;
  }

 private:
  tw_request*& request_;
};

tw_result of_status(const char* call, const tw_status* status, const tw_plan* plan, int64_t* place,
                    const char* argument, std::int64_t (Status::*method)(const Plan&) const) noexcept {
  return guarded(call, [&] {
    require(status, call, "status");
    const Plan& made = value_of(call, plan);
    require(place, call, argument);
    *place = (status_of(*status).*method)(made);
  });
}

}  // namespace

void typewarp::capi::store(const Status& status, tw_status* place) {
  if (place != nullptr) *place = {status.source, status.tag, status.bytes, status.cancelled ? 1 : 0};
}

tw_result tw_status_count(const tw_status* status, const tw_plan* plan, int64_t* count) {
  return of_status(__func__, status, plan, count, "count", &Status::count);
}

tw_result tw_status_elements(const tw_status* status, const tw_plan* plan, int64_t* elements) {
  return of_status(__func__, status, plan, elements, "elements", &Status::elements);
}

tw_result tw_request_wait(tw_request** request, tw_status* status) {
  return guarded(__func__, [&](const char* call) {
    require(request, call, "request");
    const Settled settled(*request);
    store(*request == nullptr ? Status{} : (*request)->value.wait(), status);
  });
}

tw_result tw_request_test(tw_request** request, int* complete, tw_status* status) {
  return guarded(__func__, [&](const char* call) {
    require(request, call, "request");
    require(complete, call, "complete");
    const Settled settled(*request);
    const std::optional<Status> found = *request == nullptr ? Status{} : (*request)->value.test();
    *complete = found ? 1 : 0;
    if (found) store(*found, status);
  });
}

tw_result tw_request_ready(tw_request* request, int* ready) {
  return guarded(__func__, [&](const char* call) {
    require(ready, call, "ready");
    *ready = request == nullptr || request->value.ready() ? 1 : 0;
  });
}

tw_result tw_request_cancel(tw_request* request) {
  return guarded(__func__, [&] {
    if (request != nullptr) request->value.cancel();
  });
}

tw_result tw_request_start(tw_request* request) { return on(__func__, request, &Request::start); }

void tw_request_free(tw_request* request) { delete request; }
