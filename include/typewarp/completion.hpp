// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/request.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace typewarp {

/// Which of some requests completed, and how.
struct Completion {
  std::size_t index;
  Status status;
};

// Many requests at once, like MPI_Waitall and its variants. Inactive requests are complete, with an empty
// status; `any` and `some` skip them. An error makes the request that it belongs to inactive. `all` throws
// the first error when all requests have ended, `any` throws when it finds one. `some` throws only if it has
// no completion to report: other errors are left for the next call. The time limit ends a wait if none of the
// active requests has made progress for that long: `all` then gives up all that are left, `any` and `some`
// the first.

std::vector<Status> wait_all(std::span<Request> requests);
/// Nothing, and all still active, if not all are complete.
std::optional<std::vector<Status>> test_all(std::span<Request> requests);
/// Nothing if none is active.
std::optional<Completion> wait_any(std::span<Request> requests);
/// Nothing if no active one is complete.
std::optional<Completion> test_any(std::span<Request> requests);
/// At least one, unless none is active.
std::vector<Completion> wait_some(std::span<Request> requests);
std::vector<Completion> test_some(std::span<Request> requests);

}  // namespace typewarp
