// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include "engine/device/batch.hpp"
#include "engine/device/copy.hpp"
#include "engine/runtime/device.hpp"
#include "engine/runtime/event.hpp"
#include "engine/runtime/launch_context.hpp"
#include "engine/runtime/memory.hpp"
#include "engine/runtime/replay.hpp"
#include "engine/runtime/share.hpp"
#include "engine/runtime/stream.hpp"

/// A GPU as the rest of the library sees it, whoever made it. In a build without any nothing is present
/// (runtime/none).
