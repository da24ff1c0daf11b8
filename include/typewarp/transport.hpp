// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <typewarp/completion.hpp>
#include <typewarp/p2p.hpp>
#include <typewarp/probe.hpp>
#include <typewarp/session.hpp>
