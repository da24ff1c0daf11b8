// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/select/protocol_row.hpp"

namespace typewarp::transport {

/// Read by the receiver where it lies.
extern const ProtocolRow get_row;

}  // namespace typewarp::transport
