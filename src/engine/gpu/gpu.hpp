// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/gpu/batch.hpp"
#include "engine/gpu/copy.hpp"
#include "engine/gpu/device.hpp"
#include "engine/gpu/event.hpp"
#include "engine/gpu/launch_context.hpp"
#include "engine/gpu/memory.hpp"
#include "engine/gpu/replay.hpp"
#include "engine/gpu/share.hpp"
#include "engine/gpu/stream.hpp"

/// A GPU as the rest of the library sees it, whoever made it. A build without any links none.cpp, in which
/// nothing is present.
