// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/select/protocol_row.hpp"

namespace typewarp::transport {

/// Fragments through host memory, by the MPI: what is always possible.
extern const ProtocolRow host_row;

}  // namespace typewarp::transport
