// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "capi/mpi/request.hpp"

#include <typewarp/completion.hpp>
#include <typewarp/p2p.hpp>

#include <utility>

using namespace typewarp;
using namespace typewarp::capi;

namespace {

/// The requests of an array of handles, contiguous while this lives. The destructor puts them back and frees
/// those that are complete and not persistent.
class InARow {
 public:
  InARow(const char* call, int count, tw_request** requests)
      : requests_(requests), row_(size_of(call, "count", count, requests, "requests")) {
    for (std::size_t i = 0; i < row_.size(); ++i) {
      if (requests[i] == nullptr) continue;
      // Only a handle that was moved into the row already has nothing to do.
      if (gone(requests[i]->value)) {
        put_back(i);
        throw InvalidArgument(call, "requests[" + std::to_string(i) + "]", "one that stands before it",
                              "must be there once");
      }
      row_[i] = std::move(requests[i]->value);
    }
  }
  InARow& operator=(InARow&&) = delete;
  ~InARow() { put_back(row_.size()); }

  operator std::span<Request>() noexcept { return row_; }

 private:
  static bool gone(const Request& request) noexcept { return !request.active() && !request.persistent(); }

  void put_back(std::size_t count) noexcept {
    for (std::size_t i = 0; i < count; ++i) {
      if (requests_[i] == nullptr) continue;
      if (gone(row_[i])) {
        delete std::exchange(requests_[i], nullptr);
      } else {
        requests_[i]->value = std::move(row_[i]);
      }
    }
  }

  tw_request** requests_;
  std::vector<Request> row_;
};

void store(const std::vector<Status>& statuses, tw_status* places) {
  for (std::size_t i = 0; places != nullptr && i < statuses.size(); ++i) {
    capi::store(statuses[i], places + i);
  }
}

tw_result any(const char* call, int count, tw_request** requests, int* index, tw_status* status,
              std::optional<Completion> (*of)(std::span<Request>)) noexcept {
  return guarded(call, [&] {
    require(index, call, "index");
    InARow row(call, count, requests);
    const std::optional<Completion> found = of(row);
    *index = found ? static_cast<int>(found->index) : -1;
    if (found) capi::store(found->status, status);
  });
}

tw_result some(const char* call, int count, tw_request** requests, int* done, int* indices,
               tw_status* statuses, std::vector<Completion> (*of)(std::span<Request>)) noexcept {
  return guarded(call, [&] {
    require(done, call, "done");
    static_cast<void>(size_of(call, "count", count, indices, "indices"));
    InARow row(call, count, requests);
    const std::vector<Completion> found = of(row);
    *done = static_cast<int>(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
      indices[i] = static_cast<int>(found[i].index);
      if (statuses != nullptr) capi::store(found[i].status, statuses + i);
    }
  });
}

}  // namespace

tw_result tw_start_all(int count, tw_request* const* requests) {
  return guarded(__func__, [&](const char* call) {
    const std::size_t size = size_of(call, "count", count, requests, "requests");
    for (std::size_t i = 0; i < size; ++i) {
      if (requests[i] == nullptr) require(nullptr, call, "requests[" + std::to_string(i) + "]");
    }
    std::vector<tw_request*> handles(requests, requests + size);
    InARow row(call, count, handles.data());
    start_all(row);
  });
}

tw_result tw_wait_all(int count, tw_request** requests, tw_status* statuses) {
  return guarded(__func__, [&](const char* call) {
    InARow row(call, count, requests);
    store(wait_all(row), statuses);
  });
}

tw_result tw_test_all(int count, tw_request** requests, int* complete, tw_status* statuses) {
  return guarded(__func__, [&](const char* call) {
    require(complete, call, "complete");
    InARow row(call, count, requests);
    const std::optional<std::vector<Status>> found = test_all(row);
    *complete = found ? 1 : 0;
    if (found) store(*found, statuses);
  });
}

tw_result tw_wait_any(int count, tw_request** requests, int* index, tw_status* status) {
  return any(__func__, count, requests, index, status, &wait_any);
}

tw_result tw_test_any(int count, tw_request** requests, int* index, tw_status* status) {
  return any(__func__, count, requests, index, status, &test_any);
}

tw_result tw_wait_some(int count, tw_request** requests, int* done, int* indices, tw_status* statuses) {
  return some(__func__, count, requests, done, indices, statuses, &wait_some);
}

tw_result tw_test_some(int count, tw_request** requests, int* done, int* indices, tw_status* statuses) {
  return some(__func__, count, requests, done, indices, statuses, &test_some);
}
