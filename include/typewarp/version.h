// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

// The version. CMake, Python and the documents read it here; tools/release.sh checks the files that cannot.
#define TYPEWARP_VERSION_MAJOR 0
#define TYPEWARP_VERSION_MINOR 3
#define TYPEWARP_VERSION_PATCH 0
/// Of the C interface. A program runs with every library that has the same number and is not older than its
/// headers. The number is part of the libraries' SONAME and of the version of their symbols.
#define TYPEWARP_ABI_VERSION 0

#define TYPEWARP_VERSION_TEXT_OF(major, minor, patch) #major "." #minor "." #patch
#define TYPEWARP_VERSION_TEXT(major, minor, patch) TYPEWARP_VERSION_TEXT_OF(major, minor, patch)
/// "<major>.<minor>.<patch>"
#define TYPEWARP_VERSION \
  TYPEWARP_VERSION_TEXT(TYPEWARP_VERSION_MAJOR, TYPEWARP_VERSION_MINOR, TYPEWARP_VERSION_PATCH)

#ifdef __cplusplus
extern "C" {
#endif

/// The versions of the library that the program runs with. Any thread may call these at any time.
const char* tw_version(void);
int tw_abi_version(void);

#ifdef __cplusplus
}
#endif
