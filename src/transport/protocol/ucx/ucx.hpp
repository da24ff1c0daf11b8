// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "transport/protocol/select/protocol_row.hpp"

namespace typewarp::transport {

/// Fragments from device to device, by UCX.
extern const ProtocolRow ucx_row;

}  // namespace typewarp::transport
