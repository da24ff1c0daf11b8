// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include <typewarp/version.h>

const char* tw_version() { return TYPEWARP_VERSION; }
int tw_abi_version() { return TYPEWARP_ABI_VERSION; }
