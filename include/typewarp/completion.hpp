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

// Many requests at once, as MPI_Waitall and its kin. Inactive ones are complete, and in statuses empty; they
// are passed over by any and some. An error makes the request that it belongs to inactive. `all` throws the
// first one when all are over, `any` throws when it meets one. `some` throws only if it has no completion to
// tell of: what failed is otherwise left for the next call. The time limit ends a wait when none of the
// active requests has made progress for so long: `all` gives up all that are left, `any` and `some` the
// first.

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
