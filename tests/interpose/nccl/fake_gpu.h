// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#pragma once
#include <stddef.h>

/// Where a program tells the fake device (fake_core.cpp) which memory it has, and where what has streams of
/// that device, as the fake NCCL, enqueues work. Without that core it does nothing.
#ifdef __cplusplus
extern "C" {
#endif
void fake_gpu_add(void* memory, size_t bytes);
void fake_gpu_remove(void* memory);
typedef void (*fake_gpu_work)(void* data);
/// 0, or 1 where there is no device.
int fake_gpu_enqueue(void* stream, fake_gpu_work work, void* data);

/// The hints of the last move of data with a datatype, as text: "priority=high", "none".
void fake_gpu_hints(char* text, size_t room);

struct fake_gpu_device {
  void (*add)(void* memory, size_t bytes);
  void (*remove)(void* memory);
  void (*enqueue)(void* stream, fake_gpu_work work, void* data);
  void (*hints)(char* text, size_t room);
};
/// From now on; before any memory is added.
void fake_gpu_plug_in(const struct fake_gpu_device* device);
#ifdef __cplusplus
}
#endif
