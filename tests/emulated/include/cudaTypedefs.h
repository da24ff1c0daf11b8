// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once

#include <cuda.h>

using PFN_cuCtxCreate_v3020 = decltype(&cuCtxCreate);
using PFN_cuCtxDestroy_v4000 = decltype(&cuCtxDestroy);
using PFN_cuCtxGetCurrent_v4000 = decltype(&cuCtxGetCurrent);
using PFN_cuCtxSetCurrent_v4000 = decltype(&cuCtxSetCurrent);
using PFN_cuDevicePrimaryCtxGetState_v7000 = decltype(&cuDevicePrimaryCtxGetState);
using PFN_cuStreamGetCtx_v9020 = decltype(&cuStreamGetCtx);
using PFN_cuDevicePrimaryCtxRetain_v7000 = decltype(&cuDevicePrimaryCtxRetain);
using PFN_cuPointerGetAttribute_v4000 = decltype(&cuPointerGetAttribute);
using PFN_cuPointerGetAttributes_v7000 = decltype(&cuPointerGetAttributes);
using PFN_cuStreamBatchMemOp_v11070 = decltype(&cuStreamBatchMemOp);
using PFN_cuStreamWriteValue64_v11070 = decltype(&cuStreamWriteValue64);
