// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
//
// What NVTX loads in place of a profiler (NVTX_INJECTION64_PATH): counts ranges, and prints at the end how
// many were of MPI_Send, and how many are open still.
#include <nvtx3/nvToolsExt.h>

#include <stdio.h>
#include <string.h>

static int sends, open_ranges;

static int NVTX_API push(const char* name) {
  sends += strcmp(name, "MPI_Send") == 0;
  return open_ranges++;
}

static int NVTX_API pop(void) { return --open_ranges; }

static void __attribute__((destructor)) tell(void) {
  printf("ranges of MPI_Send %d, open %d\n", sends, open_ranges);
}

__attribute__((visibility("default"))) int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t tables) {
  const NvtxExportTableCallbacks* callbacks = tables(NVTX_ETID_CALLBACKS);
  NvtxFunctionTable functions = NULL;
  unsigned int size = 0;
  if (callbacks == NULL || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &functions, &size))
    return 0;
  if (size <= NVTX_CBID_CORE_RangePop) return 0;
  *functions[NVTX_CBID_CORE_RangePushA] = (NvtxFunctionPointer)push;
  *functions[NVTX_CBID_CORE_RangePop] = (NvtxFunctionPointer)pop;
  return 1;
}
