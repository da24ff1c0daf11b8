// Copyright (c) 2026 The Typewarp Authors
// SPDX-License-Identifier: BSD-3-Clause
#include "fake_gpu.h"

static struct fake_gpu_device device;

void fake_gpu_plug_in(const struct fake_gpu_device* given) { device = *given; }

void fake_gpu_add(void* memory, size_t bytes) {
  if (device.add != NULL) device.add(memory, bytes);
}

void fake_gpu_remove(void* memory) {
  if (device.remove != NULL) device.remove(memory);
}

void fake_gpu_hints(char* text, size_t room) {
  text[0] = '\0';
  if (device.hints != NULL) device.hints(text, room);
}

int fake_gpu_enqueue(void* stream, fake_gpu_work work, void* data) {
  if (device.enqueue == NULL) return 1;
  device.enqueue(stream, work, data);
  return 0;
}
