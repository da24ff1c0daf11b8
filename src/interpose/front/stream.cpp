// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "interpose/front/stream.hpp"

namespace typewarp::interpose {
namespace {

thread_local constinit void* given = nullptr;

}  // namespace

void* given_stream() noexcept { return given; }

}  // namespace typewarp::interpose

void typewarp_set_stream(void* stream) noexcept { typewarp::interpose::given = stream; }
